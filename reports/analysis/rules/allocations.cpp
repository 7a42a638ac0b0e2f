// T08: memory that one call pins or allocates again and again.

#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

using model::AllocationKind;

// A set-up that goes over some devices or files allocates less often.
constexpr double kLeastAgain = 8;
constexpr double kPriceError = 0.37;
constexpr std::string_view kCallsAreMeasured = "no family: the time of the calls themselves is measured";

Measure again(const AllocatedAgainRow& row) {
  Measure count = measured(static_cast<double>(row.again));
  if (!count.reaches(kLeastAgain)) return count;
  if (!row.call_site_id) return not_measured("which call allocates its memory was not recorded");
  if (!row.calls_ns) return not_measured("the duration of its allocation calls was not recorded");
  return count;
}

// What passes while a GPU works may cost nothing.
Cost calls_cost(const AllocatedAgainRow& row) {
  std::string basis = fmt::format("behind these calls of {} the GPU idles for {}",
                                  base::format_ns(*row.calls_ns), base::format_ns(row.idle_ns));
  if (row.unlisted > 0)
    basis += fmt::format("; it may be more, because {} allocations of the process are not listed",
                         base::format_count(row.unlisted));
  return {row.idle_ns, std::move(basis)};
}

Evidence evidence_of(const AllocatedAgainRow& row) {
  const bool pinned = model::is_pinned(row.kind);
  const std::string what = row.emptied ? "gave memory back" : pinned ? "pinned memory" : "allocated memory";
  std::string text =
      fmt::format("this call {} {} times, up to {}. {} times {} {} that memory and giving it back took {}",
                  what, base::format_count(row.allocations),
                  base::format_bytes(static_cast<double>(row.largest_bytes)), base::format_count(row.again),
                  row.emptied ? "memory of that size was allocated again."
                              : "it could have used memory again that had been given back.",
                  pinned ? "Pinning" : "Allocating", base::format_ns(*row.calls_ns));
  return {FactList()
              .count("allocations", row.allocations, "count")
              .count("again", row.again, "count")
              .count("largest_bytes", row.largest_bytes, "bytes")
              .count("calls_ns", row.calls_ns, "ns")
              .count("idle_ns", row.idle_ns, "ns")
              .take(),
          std::move(text)};
}

Advice advice_of(const AllocatedAgainRow& row) {
  if (row.kind == AllocationKind::registered)
    return {
        "T08.register_once",
        {},
        "Call cudaHostRegister once for this memory, before the loop, and cudaHostUnregister after it. If "
        "each round has a buffer of its own, keep one buffer and copy into it."};
  if (row.emptied)
    return {"T08.keep",
            {},
            "Do not give this memory back in each round: the pool that it came from uses it again by itself.",
            "keep memory in its pool"};
  std::string text =
      "Allocate this memory once, before the loop, as large as the largest round needs, and use it again in "
      "each round";
  if (row.kind == AllocationKind::device)
    text +=
        ", or use cudaMallocAsync and cudaFreeAsync, whose pool keeps what is given back (release "
        "threshold: cudaMemPoolAttrReleaseThreshold)";
  return {"T08.reuse", {}, text + "."};
}

Assessment assess(const AllocatedAgainRow& row) {
  const Measure count = again(row);
  if (!count.reaches(kLeastAgain)) return {count};
  return {count, calls_cost(row), evidence_of(row), advice_of(row)};
}

}  // namespace

constinit const Rule<AllocationSubject> kPinnedAgain{
    {.id = "T08",
     .title = "Host memory pinned again and again",
     .repair = "pin host memory once ({})",
     .families = "none",
     .measure = "times that a call pinned memory where memory of that size had been given back",
     .limit = kLeastAgain,
     .unpriced_limit = kLeastAgain,
     .note = false,
     .calibrated = kCallsAreMeasured,
     .price_error = kPriceError,
     .is_loss_error = true},
    [](const AllocationSubject& subject) {
      return model::is_pinned(subject.row.kind) ? assess(subject.row) : Assessment{measured(0)};
    },
    nullptr};

constinit const Rule<AllocationSubject> kAllocatedAgain{
    {.id = "T08",
     .title = "Device memory allocated again and again",
     .repair = "allocate memory once ({})",
     .families = "none",
     .measure = "times that a call allocated memory where memory of that size had been given back",
     .limit = kLeastAgain,
     .unpriced_limit = kLeastAgain,
     .note = false,
     .calibrated = kCallsAreMeasured,
     .price_error = kPriceError,
     .is_loss_error = true},
    [](const AllocationSubject& subject) {
      return model::is_pinned(subject.row.kind) ? Assessment{measured(0)} : assess(subject.row);
    },
    nullptr};

}  // namespace coalescope::analysis
