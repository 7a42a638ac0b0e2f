// U01: managed memory that kernels fetch page by page. U02: managed memory that goes back and forth.

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr double kLeastBytes = 1 << 20;
constexpr double kFaults = 4;
constexpr double kFaultsUnpriced = 100;
// The driver prefetches 2 MiB at a time, whatever the chip; faults bring 28 KiB on average on an H100.
constexpr double kPrefetchBytes = 2 << 20;
constexpr double kPiecesOfABlock = 4;
constexpr double kCrossingsEachWay = 2;
constexpr double kCrossingsEachWayUnpriced = 4;

// Records of faults may be lost where those of bytes are not: then small pieces tell of them.
Measure faults(const ManagedSubject& subject) {
  const Migration& did = subject.row.migration;
  const double bytes = real(did.first_bytes_to_device);
  if (bytes < kLeastBytes) return measured(0);
  if (did.gpu_faults > 0) return measured(real(did.gpu_faults));
  const double pieces = real(did.pieces_to_device);
  return measured(pieces >= kPiecesOfABlock * bytes / kPrefetchBytes ? pieces : 0);
}

// How often pages that went back to the host went there; at most as often as they came to a device again.
Measure pages_back_and_forth(const ManagedSubject& subject) {
  const Migration& did = subject.row.migration;
  if (subject.row.bytes <= 0) return not_measured("the size of the allocation was not recorded");
  if (real(did.bytes_to_host) < kLeastBytes || did.first_bytes_to_host <= 0) return measured(0);
  const double again = real(did.bytes_to_device - did.first_bytes_to_device);
  const double pages = real(did.first_bytes_to_host);
  return measured(std::min(real(did.bytes_to_host), again + pages) / pages);
}

Cost fault_cost(const ManagedSubject& subject) {
  const Migration& did = subject.row.migration;
  const double bytes = real(did.first_bytes_to_device);
  const auto& machine = subject.machine;
  const auto& way = machine.managed_prefetched ? machine.managed_prefetched : machine.host_to_device;
  if (!way) return unknown_cost("not calibrated: run 'coalescope calibrate --family D' on this machine");
  if (did.first_ns <= 0)
    return unknown_cost("cost unknown: how long its pages took to come was not recorded");
  const double then = bytes / way->bandwidth * 1e9;
  return {base::whole(std::max(0.0, real(did.first_ns) - then)),
          fmt::format("{} came within {}; a prefetch brings {} ({})", base::format_bytes(bytes),
                      base::format_ns(did.first_ns), base::format_bandwidth(way->bandwidth), way->source),
          subject.kernel_ns};
}

// Migrations are assumed to take the same share of the kernels' time after recording has stopped. The kernels
// are faster then, because each record makes faults slower.
double whole_run(const Migration& did) {
  return did.recorded_kernel_ns > 0 ? real(did.kernel_ns) / real(did.recorded_kernel_ns) : 1;
}

std::string recorded_text(const Migration& did) {
  return did.recorded_kernel_ns > 0
             ? fmt::format(
                   "; recorded for the first {} of {} of GPU time of the kernels that use managed memory",
                   base::format_ns(did.recorded_kernel_ns), base::format_ns(did.kernel_ns))
             : "";
}

Cost back_and_forth_cost(const ManagedSubject& subject) {
  const Migration& did = subject.row.migration;
  const auto& way = subject.machine.device_to_host;
  if (!way) return unknown_cost("not calibrated: run 'coalescope calibrate' on this machine");
  if (did.again_ns <= 0)
    return unknown_cost("cost unknown: how long its pages took to come was not recorded");
  const double copies = real(did.bytes_to_host) / way->bandwidth * 1e9;
  const double recorded = std::max(0.0, real(did.again_ns) - copies);
  std::string basis =
      fmt::format("{} came to devices again within {}; copies of what the host looked at take {} ({})",
                  base::format_bytes(real(did.bytes_to_device - did.first_bytes_to_device)),
                  base::format_ns(did.again_ns), base::format_ns(base::whole(copies)), way->source);
  if (did.recorded_kernel_ns > 0)
    basis += fmt::format("; times {} for the whole run", base::format_ratio(whole_run(did)));
  return {base::whole(recorded * whole_run(did)), std::move(basis)};
}

Evidence migration_evidence(const ManagedSubject& subject) {
  const Migration& did = subject.row.migration;
  const bool again = did.bytes_to_host > did.first_bytes_to_host && did.first_bytes_to_host > 0;
  const double times_to_host = again ? real(did.bytes_to_host) / real(did.first_bytes_to_host) : 1;
  const auto size_text = [](std::int64_t bytes) { return base::format_bytes(real(bytes)); };
  const std::string faults = did.gpu_faults > 0
                                 ? fmt::format("with {} faults", base::format_count(did.gpu_faults))
                                 : fmt::format("in {} pieces", base::format_count(did.pieces_to_device));
  std::string text = fmt::format("{} managed: {} went to devices {}, and {} to the host with {} faults",
                                 size_text(subject.row.bytes), size_text(did.bytes_to_device), faults,
                                 size_text(did.bytes_to_host), base::format_count(did.cpu_faults));
  if (again)
    text += fmt::format("; {} of its pages went there {} times", size_text(did.first_bytes_to_host),
                        base::format_ratio(times_to_host));
  text += recorded_text(did);
  FactList facts;
  facts.count("managed_bytes", subject.row.bytes, "bytes")
      .count("bytes_to_device", did.bytes_to_device, "bytes")
      .count("gpu_faults", did.gpu_faults, "faults")
      .count("pieces_to_device", did.pieces_to_device, "pieces")
      .count("bytes_to_host", did.bytes_to_host, "bytes")
      .count("cpu_faults", did.cpu_faults, "faults");
  if (again)
    facts.count("repeated_bytes", did.first_bytes_to_host, "bytes")
        .add("times_to_host", times_to_host, "times");
  if (did.recorded_kernel_ns > 0)
    facts.count("recorded_kernel_ns", did.recorded_kernel_ns, "ns").count("kernel_ns", did.kernel_ns, "ns");
  return {facts.take(), std::move(text)};
}

Assessment assess_faults(const ManagedSubject& subject) {
  const Measure count = faults(subject);
  if (!count.reaches(kFaults)) return {count};
  return {count,
          fault_cost(subject),
          migration_evidence(subject),
          {"U01.prefetch",
           {},
           "Bring it before the kernel needs it: cudaMemPrefetchAsync to the device in the kernel's stream, "
           "and cudaMemAdvise (read-mostly, preferred location) for what both sides use."}};
}

Assessment assess_back_and_forth(const ManagedSubject& subject) {
  const Measure times = pages_back_and_forth(subject);
  if (!times.reaches(kCrossingsEachWay)) return {times};
  return {
      times,
      back_and_forth_cost(subject),
      migration_evidence(subject),
      {"U02.keep_apart",
       {},
       "Host and device take turns on the same pages: keep what the host looks at in a buffer of its own, "
       "let cudaMemAdviseSetReadMostly duplicate what is only read, or do the host's step on the "
       "device."}};
}

}  // namespace

constinit const Rule<ManagedSubject> kManagedFaults{
    {"U01", "Managed memory fetched page by page", "prefetch managed memory", "D7",
     "groups of faults of the GPU", kFaults, kFaultsUnpriced, false,
     "D7: first touch by a kernel speaks, prefetched memory does not"},
    assess_faults,
    nullptr,
    true};

constinit const Rule<ManagedSubject> kManagedPingPong{
    {"U02", "Managed memory that goes back and forth", "keep managed memory on one side", "D7",
     "times that pages went to the host and came back", kCrossingsEachWay, kCrossingsEachWayUnpriced, false,
     "D7: host and device in turn speak; one crossing each way does not"},
    assess_back_and_forth,
    nullptr};

}  // namespace coalescope::analysis
