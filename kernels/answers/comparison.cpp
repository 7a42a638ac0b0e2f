#include "kernels/answers/comparison.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "kernels/answers/quartiles.h"

namespace coalescope::kernels {
namespace {

using model::Calibration;

constexpr std::size_t kFewestForSpread = 4;  // a value for each quarter

Calibration row_of(const Case& one, std::string_view quantity, std::string_view unit) {
  Calibration row;
  row.family = one.family;
  row.case_id = one.id;
  row.quantity = quantity;
  row.unit = unit;
  row.abscissa = one.abscissa;
  return row;
}

// 90 is 9.0. The cases run on the first GPU.
std::optional<std::int64_t> capability_of(const CaptureRows& rows) {
  if (rows.devices.empty()) return std::nullopt;
  const model::Device& device = rows.devices.front();
  if (!device.compute_capability_major || !device.compute_capability_minor) return std::nullopt;
  return *device.compute_capability_major * 10 + *device.compute_capability_minor;
}

std::string why_unmeasured(const KernelRuns& runs, model::Phase phase) {
  if (runs.launches == 0) return "not measured: the kernel was not launched";
  const auto reason = runs.reasons.find(phase);
  if (reason == runs.reasons.end()) return fmt::format("not measured in any of {} launches", runs.launches);
  return fmt::format("not measured in any of {} launches: {}", runs.launches, name_of(reason->second));
}

// Why nobody could measure it on this GPU; nullopt: somebody should have.
std::optional<std::string> why_impossible(const Case& one, const model::Metric& metric,
                                          const KernelRuns& runs, const CaptureRows& rows) {
  if (const auto capability = capability_of(rows); capability && *capability < one.least_capability)
    return fmt::format("needs compute capability {}.{}, this GPU has {}.{}", one.least_capability / 10,
                       one.least_capability % 10, *capability / 10, *capability % 10);
  if (const auto reason = runs.reasons.find(metric.phase);
      reason != runs.reasons.end() && reason->second == model::CoverageReason::unsupported)
    return "not measured: this GPU does not support it";
  const auto is_metric = [&](const model::MetricUsed& used) { return used.id == metric.id; };
  const auto is_of_phase = [&](const model::MetricUsed& used) {
    return model::metric(used.id).phase == metric.phase;
  };
  if (std::ranges::any_of(rows.metrics, is_of_phase) && std::ranges::none_of(rows.metrics, is_metric))
    return "not measured: this GPU has no such counter";
  return std::nullopt;
}

Calibration compare_count(const Case& one, const ExpectedCount& expected, const KernelRuns& runs,
                          const CaptureRows& rows) {
  const model::Metric& metric = model::metric(expected.metric);
  Calibration row = row_of(one, metric.key, name_of(metric.unit));
  row.expected = static_cast<double>(expected.count);
  if (auto reason = why_impossible(one, metric, runs, rows)) {
    row.verdict = model::Verdict::skipped;
    row.note = std::move(*reason);
    return row;
  }
  row.verdict = model::Verdict::fail;
  const auto found = runs.counts.find(expected.metric);
  if (found == runs.counts.end()) {
    row.note = why_unmeasured(runs, metric.phase);
    return row;
  }
  const std::vector<std::int64_t>& values = found->second;
  const auto differs = [&](std::int64_t value) {
    return expected.or_more ? value < expected.count || value != values.front() : value != expected.count;
  };
  const auto wrong = std::ranges::find_if(values, differs);
  row.measured = static_cast<double>(wrong == values.end() ? values.front() : *wrong);
  if (wrong == values.end()) {
    row.verdict = model::Verdict::pass;
    row.note =
        fmt::format("{} launches{}", values.size(), expected.or_more ? ", expected that much or more" : "");
  } else {
    row.note = fmt::format("{} of {} launches differ", std::ranges::count_if(values, differs), values.size());
  }
  return row;
}

struct Timed {
  Quartiles ns;
  std::size_t repetitions = std::numeric_limits<std::size_t>::max();
  std::string why_not;  // empty: it was timed

  // One part of a run, after the other.
  void add(const std::vector<std::int64_t>& times_ns, std::string_view missing) {
    repetitions = std::min(repetitions, times_ns.size());
    if (times_ns.empty()) {
      if (why_not.empty()) why_not = missing;
      return;
    }
    const Quartiles part = quartiles({times_ns.begin(), times_ns.end()});
    ns = {ns.low + part.low, ns.median + part.median, ns.high + part.high};
  }
};

// Bytes over nanoseconds are GB/s. Where a run is kernel and copy, the quartiles of both are summed: its
// spread is the most that the two can make together.
std::vector<Calibration> bandwidth_of(const Case& one, const KernelRuns& runs, const CaptureRows& rows) {
  Timed timed;
  if (!one.kernel.empty()) timed.add(runs.native_gpu_ns, "not measured: no launch was timed");
  if (one.copy) timed.add(times_of(*one.copy, rows), "not measured: no such copy was timed");
  Calibration row = row_of(one, kBandwidthQuantity, "GB/s");
  if (!timed.why_not.empty()) {
    row.verdict = model::Verdict::skipped;
    row.note = timed.why_not;
    return {row};
  }
  const auto bytes = static_cast<double>(one.useful_bytes);
  row.measured = bytes / timed.ns.median;
  if (timed.repetitions < kFewestForSpread) return {row};
  Calibration spread = row;
  spread.quantity += model::kSpreadSuffix;
  spread.measured = bytes / timed.ns.low - bytes / timed.ns.high;
  return {row, spread};
}

}  // namespace

std::vector<Calibration> compare(std::span<const Case* const> cases, const CaptureRows& rows) {
  const auto runs = runs_by_kernel(rows);
  const KernelRuns none;
  std::vector<Calibration> result;
  for (const Case* one : cases) {
    const auto found = runs.find(one->kernel);
    const KernelRuns& kernel = found == runs.end() ? none : found->second;
    for (const ExpectedCount& expected : one->counts)
      result.push_back(compare_count(*one, expected, kernel, rows));
    std::ranges::move(bandwidth_of(*one, kernel, rows), std::back_inserter(result));
  }
  for (std::size_t i = 0; i < result.size(); ++i) result[i].id = static_cast<std::int64_t>(i + 1);
  return result;
}

}  // namespace coalescope::kernels
