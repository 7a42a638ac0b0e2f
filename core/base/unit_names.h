#pragma once
// The units that numbers are printed with: a number and its unit stay on one line.

#include <algorithm>
#include <array>
#include <string_view>

namespace coalescope::base {

[[nodiscard]] constexpr bool is_unit_name(std::string_view word) {
  constexpr std::array<std::string_view, 17> kUnits{"%",    "ns",   "us",   "ms",   "s",   "min",
                                                    "B",    "KiB",  "MiB",  "GiB",  "TiB", "B/s",
                                                    "kB/s", "MB/s", "GB/s", "TB/s", "GB"};
  return std::ranges::find(kUnits, word) != kUnits.end();
}

// Whether what begins with `rest`, behind a word that ends in `last`, is the unit of that number.
[[nodiscard]] constexpr bool is_unit_of(char last, std::string_view rest) {
  return last >= '0' && last <= '9' && is_unit_name(rest.substr(0, rest.find_first_of(" .,;:()")));
}

}  // namespace coalescope::base
