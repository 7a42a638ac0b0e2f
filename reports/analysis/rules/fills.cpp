// F02: fills of memory that the next kernel overwrites, of gradients that PyTorch could store to, and of
// gradients of tables of which few rows are looked up.

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

// Once is how programs begin.
constexpr double kLeastFills = 2;
// Below this, sorting and adding up rows may take what is saved.
constexpr double kLeastTimesRows = 8;

// The repair may change how long the kernel takes that overwrites them: it stores to memory of which L2 holds
// a part now. The difference is at most the time in which DRAM moves that part.
std::int64_t with_overwriting_ns(const FillSubject& fill) {
  double ns = fill.overwritten_by == nullptr ? 0 : real(fill.overwritten_by->median_gpu_ns);
  if (fill.device && fill.device->l2_bytes && fill.machine.dram) {
    const double held = std::min(real(fill.row.bytes), real(*fill.device->l2_bytes));
    ns = std::min(ns, held / fill.machine.dram->bandwidth * 1e9);
  }
  return fill.row.gpu_ns + base::whole(ns * real(fill.row.times));
}

Assessment assess_fills(const FillSubject& fill) {
  const Measure times = measured(real(fill.row.times));
  if (!times.reaches(kLeastFills)) return {times};
  const std::string by =
      fill.overwritten_by == nullptr ? std::string("the next kernel") : "'" + fill.overwritten_by->name + "'";
  return {times,
          {fill.row.gpu_ns,
           fmt::format("all of the time of these fills, {} times", base::format_count(fill.row.times)),
           with_overwriting_ns(fill)},
          {FactList().count("times", fill.row.times, "count").count("bytes", fill.row.bytes, "bytes").take(),
           fmt::format("{} are filled {} times, and {} stores to all of them before anything loads them",
                       base::format_bytes(real(fill.row.bytes)), base::format_count(fill.row.times), by)},
          {"F02.leave_out",
           {},
           "Leave out the fill (cudaMemset or a kernel of your own): the next kernel stores to all of this "
           "memory."}};
}

Assessment assess_zeroed_gradients(const ZeroedGradientsSubject& gradients) {
  const ZeroedGradientsRow& row = gradients.row;
  const Measure fills = measured(real(row.fills));
  if (!fills.reaches(kLeastFills)) return {fills};
  return {fills,
          {base::sum_of(row.fill_ns, row.add_ns),
           fmt::format("{} for the fills, and {} for additions to as many bytes",
                       base::format_ns(row.fill_ns), base::format_ns(row.add_ns))},
          {FactList().count("fills", row.fills, "count").count("bytes", row.bytes, "bytes").take(),
           fmt::format("zero_grad() stores {} of zeros in {} fills, and the backward pass adds its gradients "
                       "to the zeros",
                       base::format_bytes(real(row.bytes)), base::format_count(row.fills))},
          {"F02.set_to_none",
           {},
           "Call zero_grad() with set_to_none=True, which is the default: then the backward pass stores the "
           "gradients."}};
}

// As many bytes as are looked up are still filled and changed.
Assessment assess_table_gradients(const TableGradientsSubject& gradients) {
  const TableGradientsRow& row = gradients.row;
  if (row.row_bytes <= 0 || real(row.steps) < kLeastFills) return {measured(0)};
  const Measure times = measured(real(row.table_bytes) / real(row.row_bytes));
  if (!times.reaches(kLeastTimesRows)) return {times};
  const double taken_ns = real(row.fill_ns) + real(row.optimiser_ns);
  return {
      times,
      {base::whole(taken_ns * (1 - 1 / *times.value)),
       fmt::format("{} for the fills, and {} in which the optimiser changes arrays of the table's size",
                   base::format_ns(row.fill_ns), base::format_ns(row.optimiser_ns))},
      {FactList()
           .count("steps", row.steps, "count")
           .count("table_bytes", row.table_bytes, "bytes")
           .count("row_bytes", row.row_bytes, "bytes")
           .take(),
       fmt::format("each of {} steps stores the gradients of {} of rows, and fills {} with zeros for them, "
                   "all of which the optimiser reads",
                   base::format_count(row.steps), base::format_bytes(real(row.row_bytes)),
                   base::format_bytes(real(row.table_bytes)))},
      {"F02.sparse_gradient",
       {},
       "Let the gradient hold only the rows that were looked up: nn.Embedding(..., sparse=True), with an "
       "optimiser that takes it (SGD, Adagrad, SparseAdam)."}};
}

}  // namespace

constinit const Rule<FillSubject> kOverwrittenFills{
    {.id = "F02",
     .title = "Fills that are overwritten",
     .repair = "leave out {}",
     .families = "none",
     .measure = "fills that a kernel overwrites whole before anything loads them",
     .limit = kLeastFills,
     .unpriced_limit = kLeastFills,
     .note = false,
     .calibrated = "no family: the time of the fills themselves is measured"},
    assess_fills,
    nullptr};

constinit const Rule<ZeroedGradientsSubject> kZeroedGradients{
    {.id = "F02",
     .title = "Gradients filled with zeros",
     .repair = "set gradients to None instead of zeros",
     .families = "none",
     .measure = "fills of gradients to which the backward pass adds",
     .limit = kLeastFills,
     .unpriced_limit = kLeastFills,
     .note = false,
     .calibrated = "no family: the time of fills and additions is measured",
     .is_of_calls = true},
    assess_zeroed_gradients,
    nullptr};

constinit const Rule<TableGradientsSubject> kTableGradients{
    {.id = "F02",
     .title = "Gradients of whole tables",
     .repair = "let gradients hold only the rows that were looked up",
     .families = "none",
     .measure = "bytes of a table's gradient / bytes of the rows that it is about",
     .limit = kLeastTimesRows,
     .unpriced_limit = kLeastTimesRows,
     .note = false,
     .calibrated = "no family: the time of the fills and of the optimiser is measured",
     .is_of_calls = true},
    assess_table_gradients,
    nullptr};

}  // namespace coalescope::analysis
