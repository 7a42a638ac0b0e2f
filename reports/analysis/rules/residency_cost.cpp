// The curves of the reference kernels, read at the region's size and at the kernel's share of accesses to it.

#include "reports/analysis/rules/residency_cost.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/figures/ratios.h"

namespace coalescope::analysis {
namespace {

// Of the accesses of the kernels that family C2 times, those to the region.
constexpr double kRegionShare = 1.0 / 3, kMostRegionShare = 7.0 / 8;
// Counters of different launches differ by a few per cent.
constexpr double kReadOnce = 1.1;
constexpr std::size_t kKernelsNamed = 3;  // kernels in a sentence

// The share of its time that the reference kernel saves by a tuned hitRatio.
std::optional<double> tuned_gain(const std::optional<KnownCurve>& full,
                                 const std::optional<KnownCurve>& tuned, double bytes) {
  if (!full || !tuned) return std::nullopt;
  const auto now = profile::value_near(full->curve, bytes), then = profile::value_near(tuned->curve, bytes);
  if (!now || !then || *then <= 0) return std::nullopt;
  return std::max(0.0, 1 - *now / *then);
}

// The gain of a kernel with that share of its accesses to the region: straight between what is known, and
// nothing where nothing goes there.
std::optional<double> gain_at(const Machine& machine, double bytes, double share) {
  const auto some = tuned_gain(machine.residency_full, machine.residency_tuned, bytes);
  const auto most = tuned_gain(machine.residency_most_full, machine.residency_most_tuned, bytes);
  if (!some && !most) return std::nullopt;
  if (!most) return std::min(1.0, *some * share / kRegionShare);
  if (!some || share > kMostRegionShare) return std::min(1.0, *most * share / kMostRegionShare);
  if (share <= kRegionShare) return *some * share / kRegionShare;
  return *some + (*most - *some) * (share - kRegionShare) / (kMostRegionShare - kRegionShare);
}

// Of what a launch gets from L2: all but the kernel's other memory, which is taken to be read once.
std::optional<double> region_share(const KernelRow& kernel, double window_bytes) {
  if (!kernel.l2_read_sectors || *kernel.l2_read_sectors <= 0 || !kernel.footprint_bytes) return std::nullopt;
  const double others = std::max(0.0, real(kernel.footprint_bytes) - window_bytes);
  return std::clamp(1 - others / (real(kernel.l2_read_sectors) * kSectorBytes), 0.0, 1.0);
}

// Where it was measured alone, DRAM does not show what windows of other streams do: then whether it comes
// back to its memory at all is what is known.
bool reads_again(const KernelRow& kernel, bool measured_alone) {
  const std::optional<double> bytes =
      measured_alone ? (kernel.l2_read_sectors ? std::optional(real(kernel.l2_read_sectors) * kSectorBytes)
                                               : std::nullopt)
                     : (kernel.dram_read_bytes ? std::optional(real(kernel.dram_read_bytes)) : std::nullopt);
  return !bytes || !kernel.footprint_bytes || *bytes > kReadOnce * real(kernel.footprint_bytes);
}

}  // namespace

Cost thrashing_cost(std::span<const KernelUse> users, const Persisting& bytes, const Machine& machine) {
  if (!gain_at(machine, bytes.wanted, kRegionShare))
    return unknown_cost("not calibrated: run 'coalescope calibrate --family C' on this GPU");
  if (users.empty()) return unknown_cost("cost unknown: no kernel that uses it was timed");
  double lost = 0;
  std::string shares;
  std::size_t named = 0;
  for (const KernelUse& use : users) {
    if (!reads_again(*use.kernel, bytes.of_several)) continue;
    const auto share = region_share(*use.kernel, bytes.window);
    lost += gpu_ns_of(use) * gain_at(machine, bytes.wanted, share.value_or(kRegionShare)).value_or(0);
    if (share && ++named <= kKernelsNamed)
      shares += fmt::format("{}{} of what {} gets from L2", shares.empty() ? "" : ", ",
                            base::format_share(*share), use.kernel->name);
  }
  if (named > kKernelsNamed) shares += fmt::format(", and of {} more kernels", named - kKernelsNamed);
  const std::string region = bytes_text(bytes.wanted);
  const auto& source = machine.residency_full ? machine.residency_full : machine.residency_most_full;
  return {
      rounded(lost),
      fmt::format("a tuned hitRatio saves the reference kernels {} of their time with a region of {} that "
                  "1 of 3 accesses are to, {} where 7 of 8 are ({}){}",
                  base::format_share(gain_at(machine, bytes.wanted, kRegionShare).value_or(0)), region,
                  base::format_share(gain_at(machine, bytes.wanted, kMostRegionShare).value_or(0)),
                  source->source, shares.empty() ? "" : "; here it is " + shares)};
}

}  // namespace coalescope::analysis
