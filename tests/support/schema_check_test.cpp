#include "tests/support/schema_check_test.h"

#include <algorithm>
#include <set>

namespace coalescope::json {
namespace {

using Json = nlohmann::json;
using Errors = std::vector<std::string>;

const std::set<std::string> kSilent{"$schema",     "$defs",    "title",
                                    "description", "required", "additionalProperties"};

bool has_type(const Json& value, const std::string& type) {
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  return type == "null" && value.is_null();
}

class Check {
 public:
  explicit Check(const Json& root) : root_(root) {}

  Errors run(const Json& schema, const Json& value, const std::string& path) const {
    Errors errors;
    const auto report = [&](const std::string& what) { errors.push_back(path + ": " + what); };
    const auto descend = [&](const Json& inner, const Json& part, const std::string& name) {
      for (auto& error : run(inner, part, path + "/" + name)) errors.push_back(std::move(error));
    };
    for (const auto& [key, rule] : schema.items()) {
      if (key == "type") {
        const Json types = rule.is_array() ? rule : Json::array({rule});
        if (std::ranges::none_of(types,
                                 [&](const Json& type) { return has_type(value, type.get<std::string>()); }))
          report("is not " + rule.dump());
      } else if (key == "$ref") {
        descend(root_.at(Json::json_pointer(rule.get<std::string>().substr(1))), value, "");
      } else if (key == "enum" || key == "const") {
        const Json allowed = key == "enum" ? rule : Json::array({rule});
        if (std::ranges::find(allowed, value) == allowed.end())
          report(value.dump() + " is not in " + allowed.dump());
      } else if (key == "anyOf") {
        if (std::ranges::none_of(rule, [&](const Json& one) { return run(one, value, path).empty(); }))
          report("fits no alternative");
      } else if (key == "items") {
        for (std::size_t i = 0; value.is_array() && i < value.size(); ++i)
          descend(rule, value[i], std::to_string(i));
      } else if (key == "minItems" || key == "maxItems") {
        const auto limit = rule.get<std::size_t>();
        if (key == "minItems" ? value.size() < limit : value.size() > limit) report("has the wrong length");
      } else if (key == "properties") {
        if (value.is_object())
          for (auto& error : members(schema, value, path)) errors.push_back(std::move(error));
      } else if (!kSilent.contains(key)) {
        report("keyword '" + key + "' is not known to this check");
      }
    }
    return errors;
  }

 private:
  // `required` and `additionalProperties` belong to `properties`; all of ours close their objects.
  Errors members(const Json& schema, const Json& value, const std::string& path) const {
    Errors errors;
    const Json& properties = schema.at("properties");
    for (const auto& name : schema.at("required"))
      if (!value.contains(name)) errors.push_back(path + ": lacks " + name.dump());
    for (const auto& [name, part] : value.items()) {
      if (!properties.contains(name)) {
        errors.push_back(path + ": has '" + name + "', which the schema does not name");
        continue;
      }
      for (auto& error : run(properties.at(name), part, path + "/" + name))
        errors.push_back(std::move(error));
    }
    return errors;
  }

  const Json& root_;
};

}  // namespace

std::vector<std::string> schema_errors(const Json& schema, const Json& document) {
  return Check(schema).run(schema, document, "");
}

}  // namespace coalescope::json
