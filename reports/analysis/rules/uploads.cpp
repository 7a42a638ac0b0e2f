// T07: copies to the device that move the same bytes again and again, or bytes that nothing loads.

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rows/transfer_rows.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

// Copies that were compared. A set-up that runs a few times repeats little.
constexpr double kLeastCompared = 4;
// The same, of copies that are overwritten; and what part of a call's copies they are.
constexpr double kLeastOverwritten = 4;
constexpr double kMostOfACall = 0.9;

// What XLA stages: 64 MiB took 8.7 to 14.2 ms on an H100's host, 11.5 in the median of 100 copies.
constexpr double kStagedBytesPerNs = 5.8;

// Copies to memory that a kernel then overwrites, of all copies of the call.
Measure overwritten_share(const UploadSubject& subject) {
  if (subject.overwritten_by == nullptr || real(subject.use.overwritten) < kLeastOverwritten)
    return measured(0);
  return measured(real(subject.use.overwritten) / std::max(1.0, real(subject.use.calls)));
}

// Several arrays that are copied together are each new once. Other bytes once in a while are still a change
// that the device has to learn of, and where few copies repeat it is not known that the others do.
Measure same_bytes(const UploadSubject& subject) {
  const SiteUse& use = subject.use;
  if (!use.compared || !use.repeated || overwritten_share(subject).reaches(kMostOfACall)) return measured(0);
  const double arrays =
      std::max(1.0, real(subject.row.first_burst_bytes) / std::max(1.0, mean_bytes(subject.row)));
  const double changed = real(*use.compared - *use.repeated);
  if (changed > arrays - 1 || changed > real(use.repeated)) return measured(0);
  return measured(static_cast<double>(*use.repeated));
}

// While a library brings the data to pinned memory, the GPU idles.
double staging_ns(const UploadSubject& subject) {
  if (!subject.is_staged) return 0;
  return std::min(real(subject.row.idle_before_ns), mean_bytes(subject.row) / kStagedBytesPerNs);
}

// All but the first.
Cost repeated_cost(const UploadSubject& subject) {
  const double copies = std::max(1.0, real(copies_of(subject.row, subject.use).copies));
  const double each_ns =
      std::max(real(subject.use.estimated_ns) / copies, least_queued_ns(subject.row, subject.machine));
  const double idle_ns = std::max(real(subject.use.idle_ns) / copies, staging_ns(subject));
  std::string basis = "the first of these copies would be the only one";
  if (idle_ns > 0)
    basis += fmt::format("; the GPU idles for {} before and behind them",
                         base::format_ns(rounded(idle_ns * copies)));
  return {rounded((each_ns + idle_ns) * (copies - 1)), std::move(basis), subject.use.estimated_ns};
}

Assessment assess_repeated(const UploadSubject& subject) {
  const SiteUse& use = subject.use;
  const Measure same = same_bytes(subject);
  if (!same.reaches(kLeastCompared)) return {same};
  const auto [copies, bytes] = copies_of(subject.row, use);
  FactList facts;
  facts.count("copies", copies, "copies")
      .count("bytes", bytes, "bytes")
      .count("compared", use.compared, "copies")
      .count("repeated", use.repeated, "copies");
  return {same,
          repeated_cost(subject),
          {facts.take(),
           fmt::format("{} copies from this call, {} in all; {} of the {} that were compared moved the same "
                       "bytes as one before",
                       base::format_count(copies), base::format_bytes(static_cast<double>(bytes)),
                       use.repeated == use.compared ? "each" : std::to_string(*use.repeated), *use.compared)},
          {"T07.keep",
           {},
           "Copy these data to the device once, before the loop, and keep them there; copy them again only "
           "when the "
           "host has changed them."}};
}

Cost overwritten_cost(const UploadSubject& subject, double share) {
  const double idle_ns = std::max(real(subject.use.idle_ns), staging_ns(subject));
  std::string basis = "the time of these copies";
  if (idle_ns > 0)
    basis += fmt::format("; the GPU idles for {} before and behind them", base::format_ns(rounded(idle_ns)));
  return {rounded((real(subject.use.estimated_ns) + idle_ns) * share), std::move(basis),
          subject.use.estimated_ns};
}

Assessment assess_overwritten(const UploadSubject& subject) {
  const Measure share = overwritten_share(subject);
  if (!share.reaches(kMostOfACall)) return {share};
  const auto [copies, bytes] = copies_of(subject.row, subject.use);
  return {share,
          overwritten_cost(subject, *share.value),
          {FactList().count("copies", copies, "copies").count("bytes", bytes, "bytes").take(),
           fmt::format("{} copies from this call, {} in all, go to memory of which '{}' stores to each byte "
                       "before anything loads any",
                       base::format_count(copies), base::format_bytes(static_cast<double>(bytes)),
                       subject.overwritten_by->name)},
          {"T07.overwritten",
           {},
           "Leave out this copy: the kernel stores to all of this memory before anything loads it."}};
}

}  // namespace

constinit const Rule<UploadSubject> kOverwrittenUploads{
    {"T07", "Uploads that are overwritten", "leave out copies that are overwritten ({})", "D1",
     "copies to memory that a kernel overwrites whole before anything loads it / all copies of the call",
     kMostOfACall, kMostOfACall, false, "D1: the copies' time is measured"},
    assess_overwritten,
    nullptr};

constinit const Rule<UploadSubject> kRepeatedUploads{
    {"T07", "The same bytes copied again", "copy unchanged data once ({})", "D1",
     "copies to the device that moved the same bytes as one before, of those compared", kLeastCompared,
     kLeastCompared, false, "D1: the copies' time is measured; what they move is compared, not calibrated"},
    assess_repeated,
    nullptr};

}  // namespace coalescope::analysis
