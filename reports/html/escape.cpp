#include "reports/html/escape.h"

#include <cstddef>
#include <cstdint>
#include <fmt/format.h>

namespace coalescope::html {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t length = 0;  // 0: the bytes are no UTF-8
};

// The lead byte's payload and the number of bytes that follow it; the least value keeps overlong forms out.
CodePoint decode(std::string_view text) {
  struct Form {
    unsigned mask, lead;
    std::size_t length;
    std::uint32_t least;
  };
  static constexpr Form kForms[] = {
      {0x80, 0x00, 1, 0}, {0xE0, 0xC0, 2, 0x80}, {0xF0, 0xE0, 3, 0x800}, {0xF8, 0xF0, 4, 0x10000}};
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  for (const Form& form : kForms) {
    if ((byte(0) & form.mask) != form.lead) continue;
    if (text.size() < form.length) return {};
    std::uint32_t value = byte(0) & ~form.mask;
    for (std::size_t at = 1; at < form.length; ++at) {
      if ((byte(at) & 0xC0U) != 0x80U) return {};
      value = value << 6U | (byte(at) & 0x3FU);
    }
    const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
    if (value < form.least || value > 0x10FFFF || surrogate) return {};
    return {value, form.length};
  }
  return {};
}

// Marks, embeddings, overrides and isolates: they can make a name read as another one.
bool changes_direction(std::uint32_t value) {
  return value == 0x061C || value == 0x200E || value == 0x200F || (value >= 0x202A && value <= 0x202E) ||
         (value >= 0x2066 && value <= 0x2069);
}

bool is_noncharacter(std::uint32_t value) {
  return (value & 0xFFFEU) == 0xFFFEU || (value >= 0xFDD0 && value <= 0xFDEF);
}

std::string picture_of_control(std::uint32_t value) {
  const std::uint32_t picture = value == 0x7F ? 0x2421 : 0x2400 + value;
  return {static_cast<char>(0xE0U | picture >> 12U), static_cast<char>(0x80U | (picture >> 6U & 0x3FU)),
          static_cast<char>(0x80U | (picture & 0x3FU))};
}

std::string replace_each(std::string_view text, std::string_view (*replacement)(char)) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (const char c : text) {
    const std::string_view other = replacement(c);
    if (other.empty())
      out += c;
    else
      out += other;
  }
  return out;
}

}  // namespace

std::string visible(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = decode(text);
    const std::size_t length = point.length == 0 ? 1 : point.length;
    const bool control = point.value < 0x20 || point.value == 0x7F;
    if (point.length == 0 || is_noncharacter(point.value) || (point.value >= 0x80 && point.value < 0xA0))
      out += kReplacement;
    else if (control && point.value != '\n' && point.value != '\t')
      out += picture_of_control(point.value);
    else if (changes_direction(point.value) || point.value == 0x2028 || point.value == 0x2029)
      out += fmt::format("[U+{:04X}]", point.value);
    else
      out += text.substr(0, length);
    text.remove_prefix(length);
  }
  return out;
}

std::string escape_text(std::string_view text) {
  return replace_each(visible(text), [](char c) -> std::string_view {
    return c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : "";
  });
}

std::string escape_attribute(std::string_view text) {
  return replace_each(visible(text), [](char c) -> std::string_view {
    switch (c) {
      case '<':
        return "&lt;";
      case '>':
        return "&gt;";
      case '&':
        return "&amp;";
      case '"':
        return "&quot;";
      case '\'':
        return "&#39;";
      case '\n':
        return "&#10;";
      case '\t':
        return "&#9;";
      default:
        return "";
    }
  });
}

std::string escape_json(std::string_view json) {
  return replace_each(visible(json), [](char c) -> std::string_view {
    return c == '<' ? "\\u003c" : c == '>' ? "\\u003e" : c == '&' ? "\\u0026" : "";
  });
}

}  // namespace coalescope::html
