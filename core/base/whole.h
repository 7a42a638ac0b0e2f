#pragma once
// Whole numbers that are computed from those of a file. What is read has been checked
// (core/capture/limits.h), but sums of products and what comes back from real numbers may still be larger
// than any sum of those in a capture: these stop at the ends of a range in which differences of two of them
// fit.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

namespace coalescope::base {

inline constexpr std::int64_t kMostWhole = std::int64_t{1} << 61;

// The nearest one; 0 for what is no number.
[[nodiscard]] inline std::int64_t whole(double value) {
  constexpr double kMost = static_cast<double>(kMostWhole);
  return std::isnan(value) ? 0 : std::llround(std::clamp(value, -kMost, kMost));
}

[[nodiscard]] constexpr std::int64_t sum_of(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return a < 0 ? -kMostWhole : kMostWhole;
  return std::clamp(sum, -kMostWhole, kMostWhole);
}

constexpr void add_to(std::int64_t& sum, std::int64_t part) {
  sum = sum_of(sum, part);
}

// A sum is unknown where none of its parts is known.
constexpr void add_known(std::optional<std::int64_t>& sum, const std::optional<std::int64_t>& part) {
  if (part) sum = sum_of(sum.value_or(0), *part);
}

[[nodiscard]] constexpr std::int64_t product_of(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return (a < 0) == (b < 0) ? kMostWhole : -kMostWhole;
  return std::clamp(product, -kMostWhole, kMostWhole);
}

}  // namespace coalescope::base
