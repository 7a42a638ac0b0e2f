// What crosses the bus: copies, and kernels that work in the host's memory.

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/gain.h"
#include "reports/analysis/gain_parts.h"
#include "reports/analysis/ratios.h"

namespace coalescope::analysis {

Cost slow_transfer_cost(const TransferRow& row) {
  if (!row.reference_bandwidth) return unknown_cost(std::string(kNotCalibrated));
  const double reference_ns = static_cast<double>(row.bytes) / *row.reference_bandwidth * 1e9;
  return {std::max<std::int64_t>(0, rounded(real(row.gpu_ns) - reference_ns)),
          fmt::format("pinned memory reaches {} ({})", base::format_bandwidth(*row.reference_bandwidth),
                      row.reference.value_or("origin unknown"))};
}

Cost small_transfer_cost(const TransferRow& row, const Machine& machine) {
  if (!machine.copy_ns) return unknown_cost(std::string(kNotCalibrated));
  const double fixed_ns = static_cast<double>(*machine.copy_ns) * static_cast<double>(row.transfers - 1);
  return {
      rounded(std::min(fixed_ns, real(row.gpu_ns))),
      fmt::format("each copy takes {} however small it is; the host's own time for the calls comes on top",
                  base::format_ns(*machine.copy_ns))};
}

Cost peer_detour_cost(const TransferRow& row, const Machine& machine) {
  if (!row.through_host) return slow_transfer_cost(row);
  if (!machine.peer || !machine.peer_staged) return unknown_cost(std::string(kNotCalibrated));
  const double bytes = static_cast<double>(row.bytes);
  return {
      rounded(std::max(0.0, bytes / machine.peer_staged->bandwidth - bytes / machine.peer->bandwidth) * 1e9),
      fmt::format("copies with peer access reach {}, those through the host {} ({})",
                  base::format_bandwidth(machine.peer->bandwidth),
                  base::format_bandwidth(machine.peer_staged->bandwidth), machine.peer->source)};
}

namespace {

// What a launch would take after a copy of the memory that the kernel's pointers lead to, which may be much
// more than it asks for.
std::optional<double> copied_ns(const KernelRow& kernel, const Crossings& crossings, const Machine& machine) {
  if (!crossings.host_bytes || !machine.host_to_device || !machine.dram) return std::nullopt;
  const double asked = real(kernel.load.data_bytes) + real(kernel.store.data_bytes);
  return real(crossings.host_bytes) / machine.host_to_device->bandwidth * 1e9 + real(machine.copy_ns) +
         (asked + real(kernel.dram_read_bytes)) / machine.dram->bandwidth * 1e9;
}

// The bus bounds it: in place, each byte once.
double side_by_side_ns(const KernelRow& kernel, const Crossings& crossings) {
  return real(kernel.median_gpu_ns) / std::max(1.0, crossings.times);
}

}  // namespace

bool copy_is_better(const KernelRow& kernel, const Crossings& crossings, const Machine& machine) {
  const auto copied = copied_ns(kernel, crossings, machine);
  return copied && *copied < side_by_side_ns(kernel, crossings);
}

Cost repeated_crossing_cost(const KernelRow& kernel, const Crossings& crossings, const Machine& machine) {
  if (!kernel.sysmem_sectors || !kernel.load.data_bytes || !kernel.store.data_bytes)
    return unknown_cost("cost unknown: the bytes that it asked for were not measured");
  if (!kernel.median_gpu_ns || *kernel.median_gpu_ns <= 0)
    return unknown_cost("cost unknown: none of its launches was timed");
  const double launch_ns = real(kernel.median_gpu_ns);
  const double crossed = static_cast<double>(*kernel.sysmem_sectors * kSectorBytes);
  if (copy_is_better(kernel, crossings, machine)) {
    const double then = *copied_ns(kernel, crossings, machine);
    return {
        total(launch_ns - then, kernel),
        fmt::format("a launch moved {} over the bus; one copy of {}, and the same in the device's memory, "
                    "take {} ({})",
                    bytes_text(crossed), bytes_text(real(crossings.host_bytes)),
                    base::format_ns(rounded(then)), machine.host_to_device->source)};
  }
  if (crossings.times <= 1) {
    if (!machine.host_to_device || !machine.dram) return unknown_cost(std::string(kNotCalibrated));
    if (!crossings.host_bytes)
      return unknown_cost("cost unknown: how large the memory is that it works in was not recorded");
    return {0, "a copy would take as long"};
  }
  return {total(launch_ns - side_by_side_ns(kernel, crossings), kernel),
          fmt::format("a launch moved {} over the bus for {} that it asked for there, and the bus bounds "
                      "it; side by side these would cross once",
                      bytes_text(crossed), bytes_text(crossed / crossings.times))};
}

}  // namespace coalescope::analysis
