#include "core/base/clean.h"

#include <cstdint>

#include "core/base/utf8.h"

namespace coalescope::base {
namespace {

bool is_harmful(std::uint32_t value) {
  const bool control = value < 0x20 || (value >= 0x7F && value < 0xA0);
  const bool breaks_line = value == 0x2028 || value == 0x2029;
  return control || changes_direction(value) || breaks_line;
}

}  // namespace

std::string clean(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    if (text.front() == '\t')
      result += ' ';
    else if (!point.valid || is_harmful(point.value))
      result += '?';
    else
      result += text.substr(0, point.bytes);
    text.remove_prefix(point.bytes);
  }
  return result;
}

}  // namespace coalescope::base
