// A01: atomics whose result is waited for.

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rows/kernel_rows.h"
#include "reports/analysis/rules/missing.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr double kReturningShare = 0.1;
constexpr double kNeverWithoutPrice = 2;  // a share is 1 at most

Measure returning_share(const KernelRow& row) {
  if (row.atomic.sectors == 0) return measured(0);
  if (!row.atomic.sectors) return lacks(row, model::Phase::bytes, "atomics");
  if (!row.atomic.requests) return lacks(row, model::Phase::lines, "executions of atomics");
  return measured(real(row.atomic.requests) / std::max(1.0, memory_requests(row)));
}

// What it costs that atomics return a value.
Cost returning_cost(const KernelRow& kernel, const Machine& machine) {
  if (auto missing = missing_input(kernel, machine)) return unknown_cost(*missing);
  if (!machine.atomics) return unknown_cost(kNotCalibrated);
  if (!kernel.atomic.requests || !kernel.atomic.lanes)
    return unknown_cost("cost unknown: its atomics were not counted by line");
  const double launch_ns = real(kernel.median_gpu_ns);
  const double rate = std::ranges::max(machine.atomics->curve.points, {}, &profile::Point::y).y;
  const double atomics_ns = real(kernel.atomic.requests) * *kernel.atomic.lanes / rate;
  if (atomics_ns < kNoise * launch_ns)
    return {0, fmt::format("its atomics take {} of the {} of a launch: it waits for something else",
                           base::format_ns(rounded(atomics_ns)), base::format_ns(rounded(launch_ns)))};
  const Bound memory = longest(bounds_of(*work_of(kernel), machine));
  // What the curve says was reached; of a bound a kernel reaches a part.
  const double then = std::max(atomics_ns, memory.ns / kFull);
  return {total(launch_ns - then, kernel),
          fmt::format("without a result the atomics of a launch take {} ({}), and {} needs {}",
                      base::format_ns(rounded(atomics_ns)), machine.atomics->source, name_of(memory.level),
                      base::format_ns(rounded(memory.ns)))};
}

Assessment assess_returning(const KernelSubject& kernel) {
  const Measure share = returning_share(kernel.row);
  if (!share.reaches(kReturningShare)) return {share};
  return {share,
          returning_cost(kernel.row, kernel.machine),
          {FactList().add("returning_share", share.value, "share").take(),
           fmt::format("{} of its requests to global memory are atomics that wait for the old value",
                       base::format_share(*share.value))},
          {"A01.ignore_result",
           {},
           "If the old value is not needed, do not use what the atomic returns: the compiler then makes a "
           "reduction of it, for which nobody waits."}};
}

}  // namespace

constinit const Rule<KernelSubject> kReturningAtomics{
    {"A01", "Atomics that return a value", "drop the results of the atomics of {}", "B7",
     "share of the requests that are atomics with a result", kReturningShare, kNeverWithoutPrice, false,
     "B7: atomics whose result is used speak where they cost time; reductions do not", "", Picture::atomics,
     0.07},
    assess_returning,
    [](const LineRow& line) -> std::optional<double> {
      if (line.atomics.value_or(0) == 0) return std::nullopt;
      return static_cast<double>(*line.atomics);
    }};

}  // namespace coalescope::analysis
