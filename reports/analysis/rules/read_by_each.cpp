// R04: launches of one kernel in a row that read the same array.

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/machine/kernel_bounds.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr double kLaunchesInARow = 1.5;
constexpr double kMostlyThis = 0.5;  // of what the kernel reads from DRAM
// A thread keeps one value for each launch in registers. More would not fit.
constexpr double kTogether = 8;

// What a launch reads from DRAM of the array, if L2 cannot keep it until the next one.
double again_bytes(const ReadByEachSubject& subject) {
  const std::int64_t l2_bytes = subject.device ? subject.device->l2_bytes.value_or(0) : 0;
  const double read = std::min(real(subject.row.array_bytes), real(subject.kernel.dram_read_bytes));
  return read > real(l2_bytes) ? read : 0;
}

double launches_together(const ReadByEachRow& row) {
  return row.product ? row.in_a_row : std::min(row.in_a_row, kTogether);
}

// DRAM takes as long for the array, which one launch of several reads. Instructions of the author's kernel
// remain; a product of two matrices has hardly more than that of a matrix and a vector.
Cost cost_of_each(const ReadByEachSubject& subject) {
  if (!subject.machine.dram) return unknown_cost("cost unknown: how fast DRAM reads is not calibrated");
  const double now = real(subject.kernel.median_gpu_ns);
  if (now <= 0) return unknown_cost("cost unknown: none of its launches was timed");
  const double instructions =
      subject.row.product ? 0 : std::min(now, issue_ns(subject.kernel, subject.machine));
  const double dram_ns = again_bytes(subject) / subject.machine.dram->bandwidth * 1e9;
  const double saved = std::min(dram_ns, now - instructions) * (1 - 1 / launches_together(subject.row));
  Cost cost{base::whole(saved * real(subject.row.launches)),
            fmt::format("DRAM takes {} for the array, in each of {} launches",
                        base::format_ns(base::whole(dram_ns)), base::format_count(subject.row.launches))};
  cost.fewer_launches = base::whole(real(subject.row.launches) * (1 - 1 / launches_together(subject.row)));
  return cost;
}

Evidence evidence_of_each(const ReadByEachSubject& subject) {
  return {FactList()
              .count("launches", subject.row.launches, "launches")
              .add("launches_in_a_row", subject.row.in_a_row, "launches")
              .add("again_bytes", again_bytes(subject), "bytes")
              .take(),
          fmt::format("{} launches follow each other, and each reads the same {} from DRAM",
                      base::format_ratio(subject.row.in_a_row), base::format_bytes(again_bytes(subject)))};
}

Advice advice_for_each(const ReadByEachRow& row) {
  if (row.product)
    return {"R04.multiply_once",
            {},
            "Multiply the matrix by all vectors at once: put them together as a matrix, so that it is read "
            "once.",
            "multiply by all vectors at once ({})"};
  return {"R04.launch_once",
          {},
          "Let one launch do the work of several: each thread applies what it reads to all of them. None of "
          "the launches works on what another one stores."};
}

Assessment assess_read_by_each(const ReadByEachSubject& subject) {
  if (!subject.kernel.dram_read_bytes) return {not_measured("its DRAM reads were not measured")};
  if (again_bytes(subject) < kMostlyThis * real(subject.kernel.dram_read_bytes)) return {measured(0)};
  const Measure launches = measured(subject.row.in_a_row);
  if (!launches.reaches(kLaunchesInARow)) return {launches};
  return {launches, cost_of_each(subject), evidence_of_each(subject), advice_for_each(subject.row)};
}

}  // namespace

constinit const Rule<ReadByEachSubject> kReadByEach{
    {.id = "R04",
     .title = "Launches that read the same array",
     .repair = "read the array of {} once for several launches",
     .families = "none",
     .measure = "launches in a row that read the same array from DRAM",
     .limit = kLaunchesInARow,
     .unpriced_limit = kLaunchesInARow,
     .note = false,
     .calibrated = "no family: two programs with such launches were timed as they are and with one launch "
                   "(docs/jury.md)",
     .is_of_calls = true},
    assess_read_by_each,
    nullptr};

}  // namespace coalescope::analysis
