#pragma once
// The columns that the ranking and the table of kernels share, so that the eye finds a number in one place.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::text {

// Before what stands below a numbered line.
inline constexpr std::size_t kRankIndent = 3;

// Two header lines over rows of this layout: a name, a time, its share of the run, then the measurements.
[[nodiscard]] std::string kernel_heading_above(std::string_view title, std::size_t width);
[[nodiscard]] std::string kernel_heading(std::string_view name_title, std::string_view time_title,
                                         std::size_t width);
[[nodiscard]] std::string kernel_line(std::string_view name, std::string_view time, std::string_view share,
                                      const analysis::KernelFamily& family, std::size_t width);

// A name with what comes after it, part by part as long as the name has room: "long_na... x80, 3 shapes".
[[nodiscard]] std::string name_before(std::string_view name, const std::vector<std::string>& after,
                                      std::size_t width);

// The same line for what is no kernel: `text` fills the columns of the measurements.
[[nodiscard]] std::string other_line(std::string_view name, std::string_view time, std::string_view share,
                                     std::string_view text, std::size_t width);

// "12.5 ms", "unknown"; "9.3 %", "".
[[nodiscard]] std::string time_cell(const std::optional<std::int64_t>& ns);
[[nodiscard]] std::string share_or_blank(const std::optional<double>& share);
[[nodiscard]] std::string name_of_family(const analysis::KernelFamily& family);

}  // namespace coalescope::text
