#pragma once
// Lengths of time as people write them.

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace coalescope::base {

// "30s", "500ms", "2m", "1.5s"; nothing else, and nothing negative.
inline std::optional<std::int64_t> parse_duration_ns(std::string_view text) {
  double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  const auto unit = text.substr(static_cast<std::size_t>(stop - text.data()));
  const double unit_ns = unit == "ms" ? 1e6 : unit == "s" ? 1e9 : unit == "m" ? 60e9 : 0;
  const double ns = number * unit_ns;
  constexpr double kCenturyNs = 3.2e18;  // what a signed 64-bit count of nanoseconds can hold
  if (unit_ns == 0 || !(ns >= 0) || ns > kCenturyNs) return std::nullopt;
  return static_cast<std::int64_t>(ns);
}

}  // namespace coalescope::base
