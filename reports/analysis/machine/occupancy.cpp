#include "reports/analysis/machine/occupancy.h"

#include <algorithm>
#include <cmath>

#include "reports/analysis/figures/access_shape.h"
#include "reports/analysis/figures/ratios.h"

namespace coalescope::analysis {
namespace {

// Of a multiprocessor. Compute capability 7.5 has 16, the others 24 or 32.
constexpr double kMostBlocks = 16;
constexpr double kRegistersAtATime = 256;      // a warp gets them by so many
constexpr double kReservedSharedBytes = 1024;  // of each block

}  // namespace

std::optional<double> blocks_at_once(const KernelRow& kernel, const Machine& machine) {
  const double warps = std::ceil(threads_of(kernel) / kWarpLanes);
  if (warps <= 0 || !machine.multiprocessors || !machine.threads_per_multiprocessor ||
      !machine.registers_per_multiprocessor || !machine.shared_bytes_per_multiprocessor ||
      !kernel.registers_per_thread || !kernel.static_shared_bytes)
    return std::nullopt;
  const double registers = std::ceil(real(kernel.registers_per_thread) * kWarpLanes / kRegistersAtATime) *
                           kRegistersAtATime * warps;
  const double shared_bytes = real(kernel.static_shared_bytes) +
                              static_cast<double>(kernel.dynamic_shared_bytes) + kReservedSharedBytes;
  const double blocks = std::min({kMostBlocks, *machine.threads_per_multiprocessor / (warps * kWarpLanes),
                                  *machine.registers_per_multiprocessor / std::max(1.0, registers),
                                  *machine.shared_bytes_per_multiprocessor / shared_bytes});
  return std::floor(blocks) * *machine.multiprocessors;
}

}  // namespace coalescope::analysis
