#include "tests/support/json_text.h"

namespace coalescope {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kWidth = 150;

std::string key_text(const Json& object, const std::string& key) {
  return object.is_object() ? Json(key).dump() + ": " : std::string();
}

std::string between_brackets(const Json& value, const std::string& text) {
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

std::string on_one_line(const Json& value) {
  if (value.is_primitive()) return value.dump();
  std::string text;
  for (const auto& [key, member] : value.items())
    text += (text.empty() ? "" : ", ") + key_text(value, key) + on_one_line(member);
  return between_brackets(value, text);
}

}  // namespace

std::string json_text(const Json& value, std::size_t indent) {
  std::string line = on_one_line(value);
  if (indent + line.size() <= kWidth || value.is_primitive()) return line;
  const std::string begin = "\n" + std::string(indent + 2, ' ');
  std::string text;
  for (const auto& [key, member] : value.items())
    text += (text.empty() ? "" : ",") + begin + key_text(value, key) + json_text(member, indent + 2);
  return between_brackets(value, text + "\n" + std::string(indent, ' '));
}

}  // namespace coalescope
