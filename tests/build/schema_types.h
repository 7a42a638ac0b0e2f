#pragma once
// JSON Schema of rows whose members are declared (reports/analysis/fields.h).

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/capture/columns.h"
#include "core/capture/lookup_tables.h"
#include "reports/analysis/fields.h"
#include "reports/analysis/report.h"

namespace coalescope::schema {

using Json = nlohmann::ordered_json;

// The names of an enumeration that has no definition of its own.
template <class Enum>
struct Names;

inline Json reference(std::string_view name) {
  return {{"$ref", "#/$defs/" + std::string(name)}};
}

template <class List>
Json names_in(const List& list) {
  Json names = Json::array();
  for (const auto& entry : list) names.push_back(entry.name);
  return {{"type", "string"}, {"enum", names}};
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
    else if constexpr (requires { Names<Value>::kAll; })
      return names_in(Names<Value>::kAll);
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

}  // namespace coalescope::schema
