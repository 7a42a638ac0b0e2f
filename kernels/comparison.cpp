#include "kernels/comparison.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>

namespace coalescope::kernels {
namespace {

using model::Calibration;
using model::Verdict;

Calibration row_of(const Case& one, std::string_view quantity, std::string_view unit) {
  Calibration row;
  row.family = one.family;
  row.case_id = one.id;
  row.quantity = quantity;
  row.unit = unit;
  row.abscissa = one.abscissa;
  return row;
}

std::string why_unmeasured(const KernelRuns& runs, model::Phase phase) {
  if (runs.launches == 0) return "not measured: the kernel was not launched";
  const auto reason = runs.reasons.find(phase);
  if (reason == runs.reasons.end()) return fmt::format("not measured in any of {} launches", runs.launches);
  return fmt::format("not measured in any of {} launches: {}", runs.launches, name_of(reason->second));
}

Calibration compare_count(const Case& one, const ExpectedCount& expected, const KernelRuns& runs) {
  const model::Metric& metric = model::metric(expected.metric);
  Calibration row = row_of(one, metric.key, name_of(metric.unit));
  row.expected = static_cast<double>(expected.count);
  row.verdict = Verdict::fail;
  const auto found = runs.counts.find(expected.metric);
  if (found == runs.counts.end()) {
    row.note = why_unmeasured(runs, metric.phase);
    return row;
  }
  const std::vector<std::int64_t>& values = found->second;
  const auto differs = [&](std::int64_t value) { return value != expected.count; };
  const auto wrong = std::ranges::find_if(values, differs);
  if (wrong == values.end()) {
    row.measured = row.expected;
    row.verdict = Verdict::pass;
    row.note = fmt::format("{} launches", values.size());
  } else {
    row.measured = static_cast<double>(*wrong);
    row.note = fmt::format("{} of {} launches differ", std::ranges::count_if(values, differs), values.size());
  }
  return row;
}

std::optional<std::int64_t> median(std::vector<std::int64_t> values) {
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// Bytes over nanoseconds are GB/s. The time of a case with kernel and copy is the sum of both.
Calibration bandwidth_of(const Case& one, const KernelRuns& runs, const CaptureRows& rows) {
  Calibration row = row_of(one, kBandwidthQuantity, "GB/s");
  const auto kernel_ns = one.kernel.empty() ? 0 : median(runs.native_gpu_ns);
  const auto copy_ns = one.copy ? median(times_of(*one.copy, rows)) : 0;
  if (kernel_ns && copy_ns && *kernel_ns + *copy_ns > 0) {
    row.measured = static_cast<double>(one.useful_bytes) / static_cast<double>(*kernel_ns + *copy_ns);
    return row;
  }
  row.verdict = Verdict::skipped;
  row.note = kernel_ns ? "not measured: no such copy was timed" : "not measured: no launch was timed";
  return row;
}

}  // namespace

std::vector<Calibration> compare(std::span<const Case* const> cases, const CaptureRows& rows) {
  const auto runs = runs_by_kernel(rows);
  const KernelRuns none;
  std::vector<Calibration> result;
  for (const Case* one : cases) {
    const auto found = runs.find(one->kernel);
    const KernelRuns& kernel = found == runs.end() ? none : found->second;
    for (const ExpectedCount& expected : one->counts) result.push_back(compare_count(*one, expected, kernel));
    result.push_back(bandwidth_of(*one, kernel, rows));
  }
  for (std::size_t i = 0; i < result.size(); ++i) result[i].id = static_cast<std::int64_t>(i + 1);
  return result;
}

}  // namespace coalescope::kernels
