#include "reports/html/escape.h"

#include <algorithm>
#include <array>
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

// Words of prose stay whole; names of kernels, files and functions are longer.
constexpr std::size_t kLongWord = 16;
constexpr std::size_t kLongFile = 24;  // longer ones break before their dots, too
constexpr std::size_t kShortPart = 6;  // shorter ones stay with the next
constexpr std::string_view kMayBreak = "<wbr>";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_lower(char c) {
  return (c >= 'a' && c <= 'z') || is_digit(c);
}
bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

// Whether the name has a seam before this place, behind a mark that is not its first.
bool follows_mark(std::string_view escaped, std::size_t at) {
  constexpr std::array<std::string_view, 9> kMarks{"_", ",", "/", "(", "=", "#", "+", "::", "&lt;"};
  const std::string_view before = escaped.substr(0, at);
  if (escaped[at] == ')' || (before.back() == '#' && is_digit(escaped[at]))) return false;
  return std::ranges::any_of(
      kMarks, [&](std::string_view mark) { return at > mark.size() && before.ends_with(mark); });
}

// "CUDAKernelTemplate" has two: before "Kernel" and "Template"; "1184579103.part.coal" before its dots.
bool begins_part(std::string_view escaped, std::size_t at) {
  const bool next_is_lower = at + 1 < escaped.size() && is_lower(escaped[at + 1]);
  if (escaped[at] == '.') return next_is_lower && escaped.size() > kLongFile;
  if (!is_upper(escaped[at])) return false;
  return is_lower(escaped[at - 1]) || (is_upper(escaped[at - 1]) && next_is_lower);
}

void append_long_part(std::string& out, std::string_view escaped) {
  for (std::size_t at = 0; at < escaped.size(); ++at) {
    if (escaped.size() > kLongWord && at > 0 && begins_part(escaped, at)) out += kMayBreak;
    out += escaped[at];
  }
}

void append_long_word(std::string& out, std::string_view escaped) {
  std::size_t done = 0;
  for (std::size_t at = 1; at < escaped.size(); ++at) {
    if (at - done < kShortPart || !follows_mark(escaped, at)) continue;
    append_long_part(out, escaped.substr(done, at - done));
    out += kMayBreak;
    done = at;
  }
  append_long_part(out, escaped.substr(done));
}

// A browser breaks a name anywhere unless it is told where the name has parts.
void append_words(std::string& out, std::string_view escaped) {
  while (!escaped.empty()) {
    const std::size_t end = std::min(escaped.find_first_of(" \n\t"), escaped.size());
    if (end > kLongWord)
      append_long_word(out, escaped.substr(0, end));
    else
      out.append(escaped.substr(0, end));
    escaped.remove_prefix(end);
    const std::size_t next = std::min(escaped.find_first_not_of(" \n\t"), escaped.size());
    out.append(escaped.substr(0, next));
    escaped.remove_prefix(next);
  }
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
      append_words(out, std::string_view(escaped).substr(done, at - done));
      out.append("<span class=\"option\">").append(escaped, at, end - at).append("</span>");
      done = end;
    }
    at = end;
  }
  append_words(out, std::string_view(escaped).substr(done));
  return out;
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
