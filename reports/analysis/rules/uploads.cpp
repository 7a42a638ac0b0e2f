// T07: copies to the device that move the same bytes again and again.

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

// What XLA stages: 64 MiB took 8.7 to 14.2 ms on an H100's host, 11.5 in the median of 100 copies.
constexpr double kStagedBytesPerNs = 5.8;

// Several arrays that are copied together are each new once. Other bytes once in a while are still a change
// that the device has to learn of.
Measure same_bytes(const UploadSubject& subject) {
  const SiteUse& use = subject.use;
  if (!use.compared || !use.repeated) return measured(0);
  const double arrays =
      std::max(1.0, real(subject.row.first_burst_bytes) / std::max(1.0, mean_bytes(subject.row)));
  if (real(*use.compared - *use.repeated) > arrays - 1) return measured(0);
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

}  // namespace

constinit const Rule<UploadSubject> kRepeatedUploads{
    {"T07", "The same bytes copied again", "copy unchanged data once ({})", "D1",
     "copies to the device that moved the same bytes as one before, of those compared", kLeastCompared,
     kLeastCompared, false, "D1: the copies' time is measured; what they move is compared, not calibrated"},
    assess_repeated,
    nullptr};

}  // namespace coalescope::analysis
