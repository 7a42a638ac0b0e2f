#include "reports/analysis/figures/ratios.h"

#include <algorithm>

namespace coalescope::analysis {
namespace {

Ratio quotient(std::optional<double> numerator, std::optional<double> denominator) {
  if (!numerator || !denominator || *denominator <= 0) return std::nullopt;
  return *numerator / *denominator;
}

std::optional<double> known(Count count) {
  return count ? std::optional(static_cast<double>(*count)) : std::nullopt;
}

}  // namespace

Ratio degree(Count data_bytes, Count sectors) {
  if (!sectors) return std::nullopt;
  return quotient(known(data_bytes), static_cast<double>(*sectors) * kSectorBytes);
}

Ratio share_asked(Count data_bytes, Count moved_bytes) {
  return quotient(known(data_bytes), known(moved_bytes));
}

Ratio lanes(Count threads, Count requests) {
  return quotient(known(threads), known(requests));
}

Ratio sectors_per_request(Count sectors, Count requests) {
  return quotient(known(sectors), known(requests));
}

Ratio sector_efficiency(Count ideal_sectors, Count sectors) {
  return quotient(known(ideal_sectors), known(sectors));
}

Ratio best_sector_efficiency(Count data_bytes, Count sectors, Count requests) {
  if (!data_bytes || !requests || !sectors) return std::nullopt;
  const double filled = static_cast<double>(*data_bytes) / kSectorBytes;
  const double needed = std::max(filled, static_cast<double>(*requests));
  // A request whose lanes are all switched off touches no sector, so `needed` may exceed what was touched.
  return quotient(std::min(needed, static_cast<double>(*sectors)), known(sectors));
}

Ratio l2_hit_ratio(std::optional<double> hit_sectors, std::optional<double> sectors) {
  constexpr double kCountingNoise = 1.01;  // launches of one kernel differed by less on an H100
  const Ratio ratio = quotient(hit_sectors, sectors);
  if (!ratio || *ratio < 0 || *ratio > kCountingNoise) return std::nullopt;
  return std::min(*ratio, 1.0);
}

Ratio bandwidth(Count bytes, Count ns) {
  const Ratio per_ns = quotient(known(bytes), known(ns));
  return per_ns ? Ratio(*per_ns * 1e9) : std::nullopt;
}

}  // namespace coalescope::analysis
