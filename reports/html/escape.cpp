#include "reports/html/escape.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>

#include "core/base/utf8.h"

namespace coalescope::html {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

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
    const base::CodePoint point = base::first_code_point(text);
    const bool control = point.value < 0x20 || point.value == 0x7F;
    if (!point.valid || is_noncharacter(point.value) || (point.value >= 0x80 && point.value < 0xA0))
      out += kReplacement;
    else if (control && point.value != '\n' && point.value != '\t')
      out += picture_of_control(point.value);
    else if (base::changes_direction(point.value) || point.value == 0x2028 || point.value == 0x2029)
      out += fmt::format("[U+{:04X}]", point.value);
    else
      out += text.substr(0, point.bytes);
    text.remove_prefix(point.bytes);
  }
  return out;
}

std::string escape_text(std::string_view text) {
  return replace_each(visible(text), [](char c) -> std::string_view {
    return c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : "";
  });
}

std::string escape_words(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto ends_before = [](char c) {
    return std::string_view(" \n(['\"`|").find(c) != std::string_view::npos;
  };
  const std::string escaped = escape_text(text);
  std::string out;
  std::size_t done = 0;
  for (std::size_t at = escaped.find('-'); at != escaped.npos; at = escaped.find('-', at)) {
    const std::size_t name = std::min(escaped.find_first_not_of('-', at), escaped.size());
    std::size_t end = name;
    while (end < escaped.size() && (is_letter(escaped[end]) || escaped[end] == '-')) ++end;
    const bool is_option = end > name && name - at <= 2 && is_letter(escaped[name]);
    if (is_option && (at == 0 || ends_before(escaped[at - 1]))) {
      out.append(escaped, done, at - done);
      out.append("<span class=\"option\">").append(escaped, at, end - at).append("</span>");
      done = end;
    }
    at = end;
  }
  return out.append(escaped, done);
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
