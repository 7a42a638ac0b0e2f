#pragma once
// Text in columns: measured, cut, padded and wrapped. Widths count code points.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/clean.h"
#include "reports/analysis/view/shown.h"

namespace coalescope::text {

using analysis::spoken;
using base::clean;

inline constexpr std::size_t kIndent = 2;  // of what stands below a heading

[[nodiscard]] std::size_t width_of(std::string_view text);

// Cut with "..." at the end (names), or at the beginning (paths, whose end tells more).
[[nodiscard]] std::string cut_end(std::string_view text, std::size_t width);
[[nodiscard]] std::string cut_begin(std::string_view text, std::size_t width);
// In the middle: names that begin alike differ at their ends.
[[nodiscard]] std::string cut_middle(std::string_view text, std::size_t width);

// Padded to the width; what is longer stays as it is.
[[nodiscard]] std::string pad_right(std::string_view text, std::size_t width);
[[nodiscard]] std::string pad_left(std::string_view text, std::size_t width);

// Broken between words, and not between a number and its unit; a word that is longer than the width is cut.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, std::size_t width);

// Appends the wrapped text: `mark` before the first line, the others indented as far.
void append(std::vector<std::string>& lines, const std::vector<std::string>& more);
void append_wrapped(std::vector<std::string>& lines, std::string_view text, std::size_t width,
                    std::string_view mark, std::size_t indent);

}  // namespace coalescope::text
