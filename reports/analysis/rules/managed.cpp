// U01: managed memory that kernels fetch page by page. U02: managed memory that goes back and forth.

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/ratios.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr double kLeastBytes = 1 << 20;
constexpr double kFaults = 4;
constexpr double kFaultsUnpriced = 100;
constexpr double kCrossingsEachWay = 2;
constexpr double kCrossingsEachWayUnpriced = 4;

Judged faults(const ManagedSubject& subject) {
  const Migration& did = subject.row.migration;
  return judged(real(did.bytes_to_device) >= kLeastBytes ? real(did.gpu_faults) : 0);
}

// How often each byte crossed in the direction in which fewer did.
Judged crossings(const ManagedSubject& subject) {
  const Migration& did = subject.row.migration;
  if (subject.row.bytes <= 0) return not_judged("the size of the allocation was not recorded");
  return judged(real(std::min(did.bytes_to_device, did.bytes_to_host)) / real(subject.row.bytes));
}

Cost fault_cost(const ManagedSubject& subject) {
  const double bytes = real(subject.row.migration.bytes_to_device);
  const auto& machine = subject.machine;
  const double served = real(subject.row.migration.fault_ns);
  if (machine.managed_faults && machine.managed_prefetched) {
    const double now = bytes / machine.managed_faults->bandwidth * 1e9;
    const double then = bytes / machine.managed_prefetched->bandwidth * 1e9;
    return {
        static_cast<std::int64_t>(std::max(0.0, now - then)),
        fmt::format("faults bring {} ({}), a prefetch {}",
                    base::format_bandwidth(machine.managed_faults->bandwidth), machine.managed_faults->source,
                    base::format_bandwidth(machine.managed_prefetched->bandwidth))};
  }
  if (served <= 0 || !machine.host_to_device)
    return unknown_cost("not calibrated: run 'coalescope calibrate --family D' on this machine");
  const double then = bytes / machine.host_to_device->bandwidth * 1e9;
  return {static_cast<std::int64_t>(std::max(0.0, served - then)),
          fmt::format("faults were served for {}; a copy of the same bytes takes {} ({})",
                      base::format_ns(static_cast<std::int64_t>(served)),
                      base::format_ns(static_cast<std::int64_t>(then)), machine.host_to_device->source)};
}

Cost crossing_cost(const ManagedSubject& subject) {
  const Migration& did = subject.row.migration;
  const auto& machine = subject.machine;
  const auto& way = machine.managed_faults ? machine.managed_faults : machine.host_to_device;
  if (!way) return unknown_cost("not calibrated: run 'coalescope calibrate --family D' on this machine");
  // Once each way is what the work needs.
  const double spare =
      std::max(0.0, real(did.bytes_to_device + did.bytes_to_host) - 2 * real(subject.row.bytes));
  return {static_cast<std::int64_t>(spare / way->bandwidth * 1e9),
          fmt::format("{} moved beyond once each way, at {} ({})", base::format_bytes(spare),
                      base::format_bandwidth(way->bandwidth), way->source)};
}

std::string evidence(const ManagedSubject& subject) {
  const Migration& did = subject.row.migration;
  return fmt::format(
      "{} managed: {} went to devices and {} to the host, with {} faults of the GPU and {} of the host",
      base::format_bytes(real(subject.row.bytes)), base::format_bytes(real(did.bytes_to_device)),
      base::format_bytes(real(did.bytes_to_host)), base::format_count(did.gpu_faults),
      base::format_count(did.cpu_faults));
}

}  // namespace

constinit const Rule<ManagedSubject> kManagedFaults{
    {"U01", "Managed memory fetched page by page", "D7", "groups of faults of the GPU", kFaults,
     kFaultsUnpriced, false, "D7: first touch by a kernel speaks, prefetched memory does not"},
    faults,
    fault_cost,
    evidence,
    [](const ManagedSubject&) {
      return std::string(
          "Bring it before the kernel needs it: cudaMemPrefetchAsync to the device in the kernel's stream, "
          "and "
          "cudaMemAdvise (read-mostly, preferred location) for what both sides use.");
    },
    nullptr};

constinit const Rule<ManagedSubject> kManagedPingPong{
    {"U02", "Managed memory that goes back and forth", "D7",
     "times that each byte crossed in either direction", kCrossingsEachWay, kCrossingsEachWayUnpriced, false,
     "D7: host and device in turn speak; one crossing each way does not"},
    crossings,
    crossing_cost,
    evidence,
    [](const ManagedSubject&) {
      return std::string(
          "Host and device take turns on the same pages: keep what the host looks at in a buffer of its own, "
          "let "
          "cudaMemAdviseSetReadMostly duplicate what is only read, or do the host's step on the device.");
    },
    nullptr};

}  // namespace coalescope::analysis
