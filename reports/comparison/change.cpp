#include "reports/comparison/change.h"

#include <algorithm>
#include <cmath>

#include "reports/analysis/judge/findings.h"

namespace coalescope::comparison {

double noise_of(std::optional<double> before_spread, std::optional<double> after_spread) {
  if (!before_spread || !after_spread)
    return std::max(kOneLaunch, 2 * std::max(before_spread, after_spread).value_or(0));
  const double spread = std::max(*before_spread, *after_spread);
  return spread > 0 ? std::max(kOneLaunch, 2 * spread) : 0;
}

Judgement judge(std::optional<double> before, std::optional<double> after, double noise, double least) {
  if (!before || !after || *before == *after) return Judgement::same;
  const double difference = std::fabs(*after - *before);
  if (difference <= noise * std::max(std::fabs(*before), std::fabs(*after)) || difference < least)
    return Judgement::same;
  return *after > *before ? Judgement::worse : Judgement::better;
}

std::optional<double> relative(const Number& number) {
  if (!number.before || !number.after || *number.before == 0) return std::nullopt;
  return (*number.after - *number.before) / *number.before;
}

double number_noise(const analysis::Report& before, const analysis::Report& after) {
  const auto sampled = [](const analysis::Report& report) {
    return std::ranges::any_of(report.diagnostics, [](const model::Diagnostic& diagnostic) {
      return diagnostic.origin == "trace" && diagnostic.code == "sampled";
    });
  };
  return sampled(before) || sampled(after) ? kCountedNoise : kOneLaunch;
}

double least_time(const analysis::Report& report) {
  return analysis::kLeastShareOfRun * static_cast<double>(analysis::run_ns(report.totals));
}

Judgement both(Judgement one, Judgement other) {
  if (one == Judgement::same || one == other) return other;
  return other == Judgement::same ? one : Judgement::changed;
}

}  // namespace coalescope::comparison
