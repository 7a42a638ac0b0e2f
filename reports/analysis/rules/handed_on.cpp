// F01: a kernel that only hands arrays to the next one.

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/machine/kernel_bounds.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr double kTimesWhatOneMoves = 1.25;
constexpr double kTimesWhatOneMovesUnpriced = 3;
// Once is how programs begin.
constexpr std::int64_t kLeastPairs = 2;

double dram_bytes_of(const KernelRow& row) {
  return real(row.dram_read_bytes) + real(row.dram_write_bytes);
}

// What goes through DRAM and would stay in registers: stored by the first, and loaded by the second. The rest
// stays in L2.
double saved_bytes(const HandedOnSubject& subject) {
  const HandedOnRow& row = subject.row;
  return std::min(real(row.handed_bytes), real(subject.first.dram_write_bytes)) +
         std::min(real(row.handed_bytes) + real(row.shared_bytes), real(subject.second.dram_read_bytes));
}

// DRAM needs as long for these bytes. The instructions of both remain, and the first one's come again for
// each thread that needs its results.
std::int64_t saved_ns(const HandedOnSubject& subject) {
  const double now = real(subject.first.median_gpu_ns) + real(subject.second.median_gpu_ns);
  const double instructions = subject.row.readers * issue_ns(subject.first, subject.machine) +
                              issue_ns(subject.second, subject.machine);
  const double saved = saved_bytes(subject) / subject.machine.dram->bandwidth * 1e9;
  return base::whole(std::max(0.0, std::min(saved, now - instructions)));
}

Cost cost_of_handing_on(const HandedOnSubject& subject) {
  if (!subject.machine.dram) return unknown_cost("cost unknown: how fast DRAM moves bytes is not calibrated");
  if (subject.first.median_gpu_ns.value_or(0) <= 0 || subject.second.median_gpu_ns.value_or(0) <= 0)
    return unknown_cost("cost unknown: none of the launches of one kernel was timed");
  const std::int64_t each_ns = saved_ns(subject);
  const double both_ns = real(subject.first.median_gpu_ns) + real(subject.second.median_gpu_ns);
  return {base::whole(real(each_ns) * real(subject.row.times)),
          fmt::format("DRAM takes {} for what one kernel would not move, {} times", base::format_ns(each_ns),
                      base::format_count(subject.row.times)),
          base::whole(both_ns * real(subject.row.times))};
}

Assessment assess_handed_on(const HandedOnSubject& subject) {
  if (subject.row.times < kLeastPairs) return {measured(0)};
  for (const KernelRow* row : {&subject.first, &subject.second})
    if (!row->dram_read_bytes || !row->dram_write_bytes)
      return {not_measured("DRAM traffic of one of the kernels was not measured")};
  const double all = dram_bytes_of(subject.first) + dram_bytes_of(subject.second),
               saved = saved_bytes(subject);
  if (saved >= all) return {measured(0)};
  const Measure times = measured(all / (all - saved));
  if (!times.reaches(kTimesWhatOneMoves)) return {times};
  return {
      times,
      cost_of_handing_on(subject),
      {FactList()
           .count("times", subject.row.times, "count")
           .add("moved_bytes", all, "bytes")
           .add("handed_bytes", real(subject.row.handed_bytes), "bytes")
           .add("readers", subject.row.readers, "threads")
           .take(),
       fmt::format("{} stores {} that nothing but {} loads; both move {} through DRAM, one kernel would "
                   "move {}",
                   subject.first.name, base::format_bytes(real(subject.row.handed_bytes)),
                   subject.second.name, base::format_bytes(all), base::format_bytes(all - saved))},
      {"F01.hand_on",
       {},
       "Let one kernel do the work of both, which keeps in registers what the first one stores. What a "
       "neighbour needs, too, each thread computes for itself. If it changes what neighbours read, let it "
       "store to a second array, and exchange the two."}};
}

}  // namespace

constinit const Rule<HandedOnSubject> kHandedOn{
    {.id = "F01",
     .title = "Kernels that hand arrays on",
     .repair = "fuse {}",
     .families = "none",
     .measure = "bytes that two kernels move through DRAM / bytes that one kernel would",
     .limit = kTimesWhatOneMoves,
     .unpriced_limit = kTimesWhatOneMovesUnpriced,
     .note = false,
     .calibrated =
         "no family: a program with such kernels was timed as it is and with one kernel (docs/jury.md)",
     .is_of_calls = true,
     .rebuilds = true},
    assess_handed_on,
    nullptr};

}  // namespace coalescope::analysis
