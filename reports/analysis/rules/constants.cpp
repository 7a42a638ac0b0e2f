// C01: constant memory that lanes read at different addresses.

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "core/model/metric.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rules/missing.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr double kSeveralAddresses = 2;
constexpr double kSeveralAddressesUnpriced = 4;

Measure addresses_a_warp(const KernelRow& row) {
  if (!row.constant_divergent_loads)
    return lacks(row, model::metric(model::MetricId::constant_divergent_loads).phase,
                 "divergent constant loads");
  return measured(*row.constant_divergent_loads == 0 ? 0 : row.constant_addresses.value_or(0));
}

// What constant loads at several addresses of a warp cost against loads at one.
Cost divergent_constant_cost(const KernelRow& kernel, const Machine& machine) {
  if (!kernel.median_gpu_ns || *kernel.median_gpu_ns <= 0)
    return unknown_cost("cost unknown: none of its launches was timed");
  if (!machine.constants || !kernel.constant_divergent_loads || !kernel.constant_addresses)
    return unknown_cost(kNotCalibrated);
  const auto rate = profile::value_near(machine.constants->curve, *kernel.constant_addresses);
  const auto rate_at_one = profile::value_near(machine.constants->curve, 1);
  if (!rate || !rate_at_one || *rate <= 0 || *rate_at_one <= 0) return unknown_cost(kNotCalibrated);
  const double loads = real(kernel.constant_divergent_loads);
  const double now = loads / *rate;
  const double then = loads / *rate_at_one;
  const double most = std::max(0.0, real(kernel.median_gpu_ns) - floor_ns(kernel, machine));
  return {
      total(std::min(std::max(0.0, now - then), most), kernel),
      fmt::format("{} loads per launch at {:.1f} addresses take {} ({}), at one address {}",
                  base::format_count(rounded(loads)), *kernel.constant_addresses,
                  base::format_ns(rounded(now)), machine.constants->source, base::format_ns(rounded(then)))};
}

Evidence constant_evidence(std::int64_t loads, double addresses) {
  return {FactList()
              .count("divergent_constant_loads", loads, "loads")
              .add("addresses_per_warp", addresses, "addresses")
              .take(),
          fmt::format(
              "{} loads of constant memory per launch read {:.1f} addresses per warp, one after the other",
              base::format_count(loads), addresses)};
}

Assessment assess_constants(const KernelSubject& kernel) {
  const Measure addresses = addresses_a_warp(kernel.row);
  if (!addresses.reaches(kSeveralAddresses)) return {addresses};
  return {addresses,
          divergent_constant_cost(kernel.row, kernel.machine),
          constant_evidence(*kernel.row.constant_divergent_loads, *addresses.value),
          {"C01.other_memory",
           {},
           "Use constant memory only for what all lanes of a warp read at the same address; keep tables that "
           "lanes index by themselves in shared or global memory."}};
}

}  // namespace

constinit const Rule<KernelSubject> kConstantAddresses{
    {.id = "C01",
     .title = "Constant memory read at several addresses",
     .repair = "read constant memory at one address per warp in {}",
     .families = "B5",
     .measure = "addresses of a warp's constant load",
     .limit = kSeveralAddresses,
     .unpriced_limit = kSeveralAddressesUnpriced,
     .note = false,
     .calibrated = "B5: k addresses take k times as long as one",
     .price_error = 0.06},
    assess_constants,
    nullptr};

}  // namespace coalescope::analysis
