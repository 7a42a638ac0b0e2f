#include "reports/analysis/rows/needed_sectors.h"

#include <algorithm>

#include "core/base/whole.h"
#include "reports/analysis/figures/ratios.h"

namespace coalescope::analysis {
namespace {

// The widest access of a lane, in bytes.
constexpr double kWidest = 16;
// Counts are sums over many requests.
constexpr double kRounding = 1 + 1e-9;

// Ideal sectors hold the bytes of the active lanes: a lane has at most these, and accesses have a power of
// two of bytes.
double bytes_of_a_lane(double ideal_sectors, double threads) {
  double bytes = 1;
  while (bytes < kWidest && 2 * bytes * threads <= ideal_sectors * kSectorBytes * kRounding) bytes *= 2;
  return bytes;
}

}  // namespace

std::int64_t needed_sectors(const capture::InstructionCounts& instruction) {
  const std::int64_t sectors = *instruction.sectors;
  const std::int64_t ideal = std::min(*instruction.ideal_sectors, sectors);
  const double requests = real(instruction.loads) + real(instruction.stores) + real(instruction.atomics) +
                          real(instruction.reductions);
  const double threads = real(instruction.threads);
  if (requests <= 0 || threads <= 0 || threads >= requests * kWarpLanes) return ideal;
  const double whole_warp =
      requests * kWarpLanes * bytes_of_a_lane(static_cast<double>(ideal), threads) / kSectorBytes;
  return std::clamp(base::whole(whole_warp), ideal, sectors);
}

std::optional<std::int64_t> needed_wavefronts(const capture::InstructionView& instruction) {
  const bool is_atomic =
      instruction.code && instruction.code->operation == model::MemoryOperation::shared_atomic;
  if (is_atomic) return instruction.shared_wavefronts;
  const auto ideal = instruction.shared_ideal_wavefronts;
  if (instruction.async_copies.value_or(0) <= 0 || !ideal || !instruction.shared_wavefronts) return ideal;
  return std::max(*ideal, std::min(*instruction.shared_wavefronts, instruction.sectors.value_or(0)));
}

}  // namespace coalescope::analysis
