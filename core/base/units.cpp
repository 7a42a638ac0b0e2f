#include "core/base/units.h"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <span>
#include <string_view>

#include "core/base/whole.h"

namespace coalescope::base {
namespace {

// Groups the digits before the decimal point by three.
std::string with_separators(std::string digits) {
  const std::size_t begin = digits.starts_with('-') ? 1 : 0;
  std::size_t end = digits.find('.');
  if (end == std::string::npos) end = digits.size();
  for (std::size_t at = end; at > begin + 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

// Three significant digits; more only before the decimal point.
std::string three_digits(double value) {
  const double size = std::abs(value);
  const int decimals = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
  return with_separators(fmt::format("{:.{}f}", value, decimals));
}

// The first unit in which the rounded number stays below `step`; the last one takes what is left.
std::string scaled(double value, double step, std::span<const std::string_view> units) {
  std::size_t unit = 0;
  while (unit + 1 < units.size() && std::abs(value) >= step - 0.5) {
    value /= step;
    ++unit;
  }
  const bool whole = value == std::round(value) && (unit == 0 || step == 1024.0);
  const std::string number = whole ? with_separators(fmt::format("{:.0f}", value)) : three_digits(value);
  return number + " " + std::string(units[unit]);
}

}  // namespace

std::string format_bytes(double bytes) {
  static constexpr std::array<std::string_view, 6> kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  return scaled(bytes, 1024.0, kUnits);
}

std::string format_ns(std::int64_t ns) {
  static constexpr std::array<std::string_view, 4> kUnits{"ns", "us", "ms", "s"};
  return scaled(static_cast<double>(ns), 1000.0, kUnits);
}

std::string format_share(double share) {
  if (share == 0.0 || share == 1.0) return share == 0.0 ? "0 %" : "100 %";
  if (share > 0.0 && share < 0.0005) return "< 0.1 %";
  if (share > 0.9995 && share < 1.0) return "> 99.9 %";
  if (share > 1.0 && share < 1.0005) return "100 %";  // parts that were rounded exceed their sum
  return with_separators(fmt::format("{:.1f}", share * 100.0)) + " %";
}

std::string format_count(std::int64_t count) {
  return with_separators(fmt::format("{}", count));
}

std::string format_bandwidth(double bytes_per_second) {
  static constexpr std::array<std::string_view, 5> kUnits{"B/s", "kB/s", "MB/s", "GB/s", "TB/s"};
  return scaled(bytes_per_second, 1000.0, kUnits);
}

std::string format_figure(double value, std::string_view unit) {
  if (unit == "GB/s") return format_bandwidth(value * 1e9);
  if (unit == "ns") return format_ns(whole(value));
  if (unit == "bytes") return format_bytes(value);
  return fmt::format("{:.4g}{}{}", value, unit.empty() ? "" : " ", unit);
}

std::string format_ratio(double ratio) {
  if (ratio > 0.0 && ratio < 0.05) return "< 0.1";
  return with_separators(fmt::format("{:.1f}", ratio));
}

}  // namespace coalescope::base
