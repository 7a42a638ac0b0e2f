// T02: memory sets in a row, each so small that its fixed cost is most of its time.

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rows/transfer_rows.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr double kManySets = 100;
// Libraries clear a counter before a kernel of theirs: such sets have a kernel between them.
constexpr double kMostlyInARow = 0.8;

// Of one set: what it takes beyond the time in which DRAM stores as many bytes.
double fixed_ns(const TransferSubject& subject) {
  const TransferRow& row = subject.row;
  const double taken_ns = real(row.gpu_ns) / std::max(1.0, real(row.transfers));
  return std::max(0.0, taken_ns - mean_bytes(row) / subject.machine.dram->bandwidth * 1e9);
}

Assessment assess_small_sets(const TransferSubject& subject) {
  const TransferRow& row = subject.row;
  if (row.direction != model::Direction::set || row.in_a_row.value_or(0) < kMostlyInARow)
    return {measured(0)};
  if (!subject.machine.dram) return {not_measured("how fast DRAM stores is not calibrated for this GPU")};
  const double each_ns = fixed_ns(subject);
  const bool is_small = 2 * each_ns * real(row.transfers) >= real(row.gpu_ns);
  const Measure sets = measured(is_small ? real(row.transfers) : 0);
  if (!sets.reaches(kManySets)) return {sets};
  return {
      sets,
      {base::whole(each_ns * (real(row.transfers) - 1)),
       fmt::format(
           "each memory set takes {} beyond what DRAM needs for its bytes; the host's own time for the "
           "calls comes on top",
           base::format_ns(base::whole(each_ns)))},
      {FactList().count("sets", row.transfers, "count").add("mean_bytes", mean_bytes(row), "bytes").take(),
       fmt::format("{} memory sets of {} on average follow each other without a kernel in between",
                   base::format_count(row.transfers), base::format_bytes(mean_bytes(row)))},
      {"T02.clear_at_once",
       {},
       "Clear all of this memory at once: lay the arrays out in one allocation and set that, or let one "
       "kernel clear them from a list of their places."}};
}

}  // namespace

constinit const Rule<TransferSubject> kSmallSets{
    {.id = "T02",
     .title = "Many small memory sets",
     .repair = "clear memory at once",
     .families = "none",
     .measure = "memory sets in a row whose fixed time is half of their time or more",
     .limit = kManySets,
     .unpriced_limit = kManySets,
     .note = false,
     .calibrated = "no family: the time of the sets themselves is measured"},
    assess_small_sets,
    nullptr};

}  // namespace coalescope::analysis
