#pragma once
// The columns that the ranking and the table of kernels share, so that the eye finds a number in one place.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::text {

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

}  // namespace coalescope::text
