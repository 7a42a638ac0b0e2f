// F01: kernels that read the same arrays one after the other.

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/machine/kernel_bounds.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr double kTimesTheReads = 1.25;
constexpr double kTimesTheReadsUnpriced = 3;
// Once is how programs begin.
constexpr std::int64_t kLeastRuns = 2;

// What a launch reads from DRAM of arrays that a launch before has read. The rest came from L2.
double again(const ReadAgainSubject& subject, std::size_t at) {
  return std::min(real(subject.row.again_bytes[at]), real(subject.kernels[at]->dram_read_bytes));
}

// DRAM needs as long for what is read again, and a launch no longer than it took. All of their instructions
// remain.
std::int64_t saved_ns(const ReadAgainSubject& subject) {
  double saved = 0, now = 0, instructions = 0;
  for (std::size_t at = 0; at < subject.kernels.size(); ++at) {
    const KernelRow& row = *subject.kernels[at];
    const double ns = real(row.median_gpu_ns);
    now += ns;
    instructions += std::min(ns, issue_ns(row, subject.machine));
    saved += std::min(ns, again(subject, at) / subject.machine.dram->bandwidth * 1e9);
  }
  return base::whole(std::max(0.0, std::min(saved, now - instructions)));
}

Cost cost_of_reading_again(const ReadAgainSubject& subject) {
  if (!subject.machine.dram) return unknown_cost("cost unknown: how fast DRAM reads is not calibrated");
  double all_ns = 0;
  for (const KernelRow* row : subject.kernels) {
    if (row->median_gpu_ns.value_or(0) <= 0)
      return unknown_cost("cost unknown: none of the launches of one kernel was timed");
    all_ns += real(row->median_gpu_ns);
  }
  const std::int64_t each_ns = saved_ns(subject);
  Cost cost{base::whole(real(each_ns) * real(subject.row.times)),
            fmt::format("DRAM takes {} for what is read again, {} times", base::format_ns(each_ns),
                        base::format_count(subject.row.times)),
            base::whole(all_ns * real(subject.row.times))};
  cost.fewer_launches = fewer_launches(std::ssize(subject.kernels), subject.row.times);
  return cost;
}

Assessment assess_read_again(const ReadAgainSubject& subject) {
  if (subject.row.times < kLeastRuns) return {measured(0)};
  double all = 0, twice = 0;
  for (std::size_t at = 0; at < subject.kernels.size(); ++at) {
    const KernelRow& row = *subject.kernels[at];
    if (!row.dram_read_bytes) return {not_measured("DRAM reads of one of the kernels were not measured")};
    all += real(row.dram_read_bytes);
    twice += again(subject, at);
  }
  if (twice >= all) return {measured(0)};
  const Measure times = measured(all / (all - twice));
  if (!times.reaches(kTimesTheReads)) return {times};
  return {
      times,
      cost_of_reading_again(subject),
      {FactList()
           .count("kernels", std::ssize(subject.kernels), "count")
           .count("times", subject.row.times, "count")
           .add("dram_read_bytes", all, "bytes")
           .add("read_again_bytes", twice, "bytes")
           .take(),
       fmt::format(
           "{} kernels one after the other read {} from DRAM, of which {} are what one before them has read",
           subject.kernels.size(), base::format_bytes(all), base::format_bytes(twice))},
      {"F01.read_once",
       {},
       "Let one kernel do the work of these: it reads their common arrays once. None of them works on "
       "what another one stores."}};
}

}  // namespace

constinit const Rule<ReadAgainSubject> kReadAgain{
    {.id = "F01",
     .title = "Kernels that read the same arrays",
     .repair = "fuse {}",
     .families = "none",
     .measure = "bytes that the kernels read from DRAM / bytes that one kernel would",
     .limit = kTimesTheReads,
     .unpriced_limit = kTimesTheReadsUnpriced,
     .note = false,
     .calibrated =
         "no family: a program with such kernels was timed as it is and with one kernel (docs/jury.md)",
     .is_of_calls = true,
     .rebuilds = true},
    assess_read_again,
    nullptr};

}  // namespace coalescope::analysis
