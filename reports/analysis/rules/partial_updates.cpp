// F03: whole arrays are copied to change a part of the copy.

#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/rows/transfer_rows.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

// Once is how programs begin.
constexpr double kLeastUpdates = 2;

Assessment assess_copies_to_change(const TransferSubject& subject) {
  const TransferRow& row = subject.row;
  const Measure copies = measured(row.changed_by ? static_cast<double>(row.transfers) : 0);
  if (!copies.reaches(kLeastUpdates)) return {copies};
  const std::string bytes = base::format_bytes(mean_bytes(row));
  return {
      copies,
      {row.gpu_ns.value_or(0), "all of the time of these copies: changing the part in place takes no longer"},
      {FactList()
           .count("transfers", row.transfers, "copies")
           .add("mean_bytes", mean_bytes(row), "bytes")
           .take(),
       fmt::format("{} arrays of {} were copied, and the next kernel changed a part of the copy",
                   base::format_count(row.transfers), bytes)},
      {"F03.donate",
       {},
       "XLA copies an array before it changes a part, because you may still use what you passed to the "
       "compiled function. Donate it (jax.jit(step, donate_argnums=...)), and go on with what the function "
       "returns."}};
}

}  // namespace

constinit const Rule<TransferSubject> kCopiesToChange{
    {.id = "F03",
     .title = "Arrays copied to change a part of them",
     .repair = "donate arrays that are changed",
     .families = "none",
     .measure = "copies of which the next kernel changes a part",
     .limit = kLeastUpdates,
     .unpriced_limit = kLeastUpdates,
     .note = false,
     .calibrated = "no family: the time of the copies themselves is measured"},
    assess_copies_to_change,
    nullptr};

}  // namespace coalescope::analysis
