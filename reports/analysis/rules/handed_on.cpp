// F01: kernels that only hand arrays to the next one.

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

double dram_bytes_of(const HandedOnSubject& subject) {
  double bytes = 0;
  for (const KernelRow* row : subject.kernels)
    bytes += real(row->dram_read_bytes) + real(row->dram_write_bytes);
  return bytes;
}

// What goes through DRAM and would stay in registers: stored by one kernel, and loaded by the next one. The
// rest stays in L2.
double saved_bytes(const HandedOnSubject& subject) {
  double bytes = 0;
  for (std::size_t at = 0; at < subject.row.links.size(); ++at) {
    const HandedOnLink& link = subject.row.links[at];
    bytes +=
        std::min(real(link.handed_bytes - link.kept_bytes), real(subject.kernels[at]->dram_write_bytes)) +
        std::min(real(link.handed_bytes + link.shared_bytes), real(subject.kernels[at + 1]->dram_read_bytes));
  }
  return bytes;
}

double time_of_all(const HandedOnSubject& subject) {
  double ns = 0;
  for (const KernelRow* row : subject.kernels) ns += real(row->median_gpu_ns);
  return ns;
}

// All instructions remain, and those whose results several threads need come again for each of them.
double instructions_ns(const HandedOnSubject& subject) {
  double ns = 0, readers = 1;
  for (std::size_t at = subject.kernels.size(); at-- > 0;) {
    if (at < subject.row.links.size()) readers *= subject.row.links[at].readers;
    ns += readers * issue_ns(*subject.kernels[at], subject.machine);
  }
  return ns;
}

// DRAM needs as long for these bytes.
std::int64_t saved_ns(const HandedOnSubject& subject) {
  const double saved = saved_bytes(subject) / subject.machine.dram->bandwidth * 1e9;
  return base::whole(std::max(0.0, std::min(saved, time_of_all(subject) - instructions_ns(subject))));
}

Cost cost_of_handing_on(const HandedOnSubject& subject) {
  if (!subject.machine.dram) return unknown_cost("cost unknown: how fast DRAM moves bytes is not calibrated");
  for (const KernelRow* row : subject.kernels)
    if (row->median_gpu_ns.value_or(0) <= 0)
      return unknown_cost("cost unknown: none of the launches of one kernel was timed");
  const std::int64_t each_ns = saved_ns(subject), times = subject.row.times;
  Cost cost{base::whole(real(each_ns) * real(times)),
            fmt::format("DRAM takes {} for what one kernel would not move, {} times",
                        base::format_ns(each_ns), base::format_count(times))};
  cost.fewer_launches = fewer_launches(std::ssize(subject.kernels), times);
  return cost;
}

Evidence evidence_of(const HandedOnSubject& subject, double all, double saved) {
  double handed = 0, kept = 0, readers = 1;
  for (const HandedOnLink& link : subject.row.links) {
    handed += real(link.handed_bytes);
    kept += real(link.kept_bytes);
    readers = std::max(readers, link.readers);
  }
  const std::string what =
      subject.kernels.size() == 2
          ? fmt::format("{} stores {} that {} loads{}; both move", subject.kernels[0]->name,
                        base::format_bytes(handed), subject.kernels[1]->name,
                        kept > 0 ? " next" : ", and nothing else")
          : fmt::format(
                "{} kernels follow each other, each of which works on what the one before stores; they move",
                subject.kernels.size());
  return {FactList()
              .count("times", subject.row.times, "count")
              .add("moved_bytes", all, "bytes")
              .add("handed_bytes", handed, "bytes")
              .add("readers", readers, "threads")
              .take(),
          fmt::format("{} {} through DRAM, one kernel would move {}", what, base::format_bytes(all),
                      base::format_bytes(all - saved))};
}

Assessment assess_handed_on(const HandedOnSubject& subject) {
  if (subject.row.times < kLeastPairs) return {measured(0)};
  for (const KernelRow* row : subject.kernels)
    if (!row->dram_read_bytes || !row->dram_write_bytes)
      return {not_measured("DRAM traffic of one of the kernels was not measured")};
  const double all = dram_bytes_of(subject), saved = saved_bytes(subject);
  if (saved >= all) return {measured(0)};
  const Measure times = measured(all / (all - saved));
  if (!times.reaches(kTimesWhatOneMoves)) return {times};
  return {
      times,
      cost_of_handing_on(subject),
      evidence_of(subject, all, saved),
      {"F01.hand_on",
       {},
       "Let one kernel do the work of all of these, which keeps in registers what one stores for the next. "
       "What a "
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
