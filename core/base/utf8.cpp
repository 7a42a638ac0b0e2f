#include "core/base/utf8.h"

#include <array>

namespace coalescope::base {

CodePoint first_code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {first, 1, true};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  constexpr std::uint32_t kLeast[]{0, 0, 0x80, 0x800, 0x10000};
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return {};
  std::uint32_t value = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    value = value << 6U | (byte(i) & 0x3FU);
  }
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kLeast[length] || value > 0x10FFFF || surrogate) return {};
  return {value, length, true};
}

bool changes_direction(std::uint32_t code_point) {
  return code_point == 0x061C || code_point == 0x200E || code_point == 0x200F ||
         (code_point >= 0x202A && code_point <= 0x202E) || (code_point >= 0x2066 && code_point <= 0x2069);
}

std::string_view cut_utf8(std::string_view text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) return text;
  std::size_t end = most_bytes;
  while (end > 0 && !begins_character(text[end])) --end;
  return text.substr(0, end);
}

void append_utf8(std::string& text, std::uint32_t code_point) {
  if (code_point < 0x80) {
    text += static_cast<char>(code_point);
    return;
  }
  const int tail = code_point < 0x800 ? 1 : code_point < 0x10000 ? 2 : 3;
  constexpr std::array<std::uint32_t, 4> kLead{0, 0xc0, 0xe0, 0xf0};
  text += static_cast<char>(kLead[static_cast<std::size_t>(tail)] | (code_point >> (6 * tail)));
  for (int i = tail - 1; i >= 0; --i) text += static_cast<char>(0x80U | ((code_point >> (6 * i)) & 0x3fU));
}

}  // namespace coalescope::base
