// Prints docs/report.schema.json, whose path is the argument, with the definitions of the rows whose fields
// are declared (reports/analysis/*_fields.h). The rest of it is written by hand.

#include <cstdio>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>

#include "core/capture/columns.h"
#include "core/capture/lookup_tables.h"
#include "reports/analysis/family_fields.h"
#include "reports/analysis/row_fields.h"
#include "tests/support/json_text.h"

namespace {

using namespace coalescope;
using Json = nlohmann::ordered_json;

Json reference(std::string_view name) {
  return {{"$ref", "#/$defs/" + std::string(name)}};
}

template <class Value>
Json type_of() {
  if constexpr (capture::kIsOptional<Value>) {
    Json inner = type_of<typename Value::value_type>();
    if (inner.contains("$ref")) return {{"anyOf", {inner, {{"type", "null"}}}}};
    inner["type"] = {inner["type"], "null"};
    return inner;
  } else if constexpr (analysis::HasFields<Value>) {
    return reference(analysis::Fields<Value>::kName);
  } else if constexpr (std::is_enum_v<Value>) {
    if constexpr (std::is_same_v<Value, analysis::Level>)
      return reference("level");
    else if constexpr (std::is_same_v<Value, analysis::Origin>)
      return reference("origin");
    else if constexpr (std::is_same_v<Value, analysis::Aside>)
      return reference("aside");
    else
      return reference(capture::Lookup<Value>::kName);
  } else if constexpr (std::is_same_v<Value, bool>) {
    return {{"type", "boolean"}};
  } else if constexpr (std::is_integral_v<Value>) {
    return {{"type", "integer"}};
  } else if constexpr (std::is_floating_point_v<Value>) {
    return {{"type", "number"}};
  } else if constexpr (std::is_convertible_v<Value, std::string_view>) {
    return {{"type", "string"}};
  } else if constexpr (std::is_same_v<Value, std::array<std::int64_t, 3>>) {
    return reference("three");
  } else {
    return {{"type", "array"}, {"items", type_of<typename Value::value_type>()}};
  }
}

template <class Row>
void define(Json& definitions) {
  Json properties = Json::object(), required = Json::array();
  analysis::for_each_field<Row>([&]<class Field>(const Field& field) {
    Json& property = properties[std::string(field.key)] = type_of<typename Field::Value>();
    if (!field.about.empty()) property["description"] = field.about;
    required.push_back(field.key);
  });
  definitions[std::string(analysis::Fields<Row>::kName)] = {{"description", analysis::Fields<Row>::kAbout},
                                                            {"type", "object"},
                                                            {"properties", properties},
                                                            {"required", required},
                                                            {"additionalProperties", false}};
}

}  // namespace

int main(int argc, char** argv) try {
  std::ifstream file(argc == 2 ? argv[1] : "");
  Json schema = Json::parse(file, nullptr, false);
  if (!schema.is_object()) {
    std::fputs("usage: report_schema docs/report.schema.json\n", stderr);
    return 2;
  }
  Json& definitions = schema["$defs"];
  define<analysis::Samples>(definitions);
  define<analysis::Access>(definitions);
  define<analysis::SharedAccess>(definitions);
  define<analysis::Unmeasured>(definitions);
  define<analysis::Mixed::Part>(definitions);
  define<analysis::Mixed>(definitions);
  define<analysis::SiteUse>(definitions);
  define<analysis::SiteTimes>(definitions);
  define<analysis::CallSiteRow>(definitions);
  define<analysis::KernelRow>(definitions);
  define<analysis::Spread>(definitions);
  define<analysis::FamilyPhase>(definitions);
  define<analysis::FamilyTotal>(definitions);
  define<analysis::ProcessTime>(definitions);
  define<analysis::KernelFamily>(definitions);
  define<analysis::LineRow>(definitions);
  define<analysis::TransferRow>(definitions);
  define<analysis::Fact>(definitions);
  define<analysis::Finding>(definitions);
  std::puts(coalescope::json_text(schema).c_str());
} catch (const std::exception& error) {
  std::fprintf(stderr, "report_schema: %s\n", error.what());
  return 1;
}
