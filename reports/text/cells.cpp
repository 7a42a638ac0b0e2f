#include "reports/text/cells.h"

#include <algorithm>

#include "core/base/unit_names.h"
#include "core/base/utf8.h"

namespace coalescope::text {
namespace {

// Bytes of the first `count` code points.
std::size_t prefix_bytes(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  for (; at < text.size(); ++at)
    if (base::begins_character(text[at]) && count-- == 0) break;
  return at;
}

constexpr std::string_view kDots = "...";

// Behind the unit where the word is a number that has one.
std::size_t end_of_word(std::string_view text, std::size_t width) {
  const std::size_t space = std::min(text.find(' '), text.size());
  if (space == 0 || space == text.size() || !base::is_unit_of(text[space - 1], text.substr(space + 1)))
    return space;
  const std::size_t end = std::min(text.find(' ', space + 1), text.size());
  return end <= width ? end : space;
}

}  // namespace

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, base::begins_character));
}

std::string cut_end(std::string_view text, std::size_t width) {
  if (width_of(text) <= width) return std::string(text);
  const std::size_t kept = width > kDots.size() ? width - kDots.size() : 0;
  return std::string(text.substr(0, prefix_bytes(text, kept))) + std::string(kDots.substr(0, width - kept));
}

std::string cut_begin(std::string_view text, std::size_t width) {
  const std::size_t whole = width_of(text);
  if (whole <= width) return std::string(text);
  const std::size_t kept = width > kDots.size() ? width - kDots.size() : 0;
  return std::string(kDots.substr(0, width - kept)) +
         std::string(text.substr(prefix_bytes(text, whole - kept)));
}

std::string cut_middle(std::string_view text, std::size_t width) {
  const std::size_t whole = width_of(text);
  if (whole <= width || width <= kDots.size()) return cut_end(text, width);
  const std::size_t kept = width - kDots.size(), end = kept / 3;
  return std::string(text.substr(0, prefix_bytes(text, kept - end))) + std::string(kDots) +
         std::string(text.substr(prefix_bytes(text, whole - end)));
}

std::string pad_right(std::string_view text, std::size_t width) {
  const std::size_t used = width_of(text);
  return std::string(text) + std::string(width > used ? width - used : 0, ' ');
}

std::string pad_left(std::string_view text, std::size_t width) {
  const std::size_t used = width_of(text);
  return std::string(width > used ? width - used : 0, ' ') + std::string(text);
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  while (!text.empty()) {
    const std::size_t space = end_of_word(text, width);
    const std::string word = cut_end(text.substr(0, space), width);
    text.remove_prefix(std::min(text.size(), space + 1));
    if (!line.empty() && width_of(line) + 1 + width_of(word) > width) {
      lines.push_back(std::move(line));
      line.clear();
    }
    if (!word.empty()) line += (line.empty() ? "" : " ") + word;
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

void append(std::vector<std::string>& lines, const std::vector<std::string>& more) {
  lines.insert(lines.end(), more.begin(), more.end());
}

void append_wrapped(std::vector<std::string>& lines, std::string_view text, std::size_t width,
                    std::string_view mark, std::size_t indent) {
  bool first = true;
  for (const auto& line : wrap(text, width - std::min(width - 1, indent))) {
    lines.push_back((first ? pad_right(mark, indent) : std::string(indent, ' ')) + line);
    first = false;
  }
}

}  // namespace coalescope::text
