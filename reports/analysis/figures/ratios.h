#pragma once
// The ratios of the report: numerators are summed, denominators are summed, then one is divided by the other.
// std::nullopt means that there is nothing to judge: a part was not measured, or nothing was moved.

#include <cstdint>
#include <optional>

namespace coalescope::analysis {

using Count = std::optional<std::int64_t>;
using Ratio = std::optional<double>;

inline constexpr std::int64_t kSectorBytes = 32;
inline constexpr double kWarpLanes = 32;
inline constexpr double kWordBytes = 4;  // the narrowest element that a full warp fills its sectors with

// A count that the caller knows to be there, or that adds nothing where it is not.
[[nodiscard]] inline double real(Count count) {
  return static_cast<double>(count.value_or(0));
}

// No launch counts as much as this: a file that says so is damaged or forged, and sums must not overflow.
inline constexpr double kMostCount = 1e15;
[[nodiscard]] inline bool plausible(double value) {
  return value >= 0 && value <= kMostCount;
}
[[nodiscard]] inline bool plausible_count(Count count) {
  return count && plausible(static_cast<double>(*count));
}

// A sum is unknown where none of its parts is known.
inline void add(Count& sum, Count part) {
  if (plausible_count(part)) sum = sum.value_or(0) + *part;
}

// Distinct bytes asked for / bytes moved. A 4-byte word that all lanes share is 4 / 32.
[[nodiscard]] Ratio degree(Count data_bytes, Count sectors);

// The same for a level that counts bytes. Not clamped: above 1 the level before it served bytes again.
[[nodiscard]] Ratio share_asked(Count data_bytes, Count moved_bytes);

// Threads that took part in a request; 32 where the warp was full.
[[nodiscard]] Ratio lanes(Count threads, Count requests);

// How many sectors one memory instruction of a warp touched.
[[nodiscard]] Ratio sectors_per_request(Count sectors, Count requests);

// Sectors that the lanes' bytes would fill if they lay together, at most those touched / sectors touched. The
// shared word is 1 / 1.
[[nodiscard]] Ratio sector_efficiency(Count ideal_sectors, Count sectors);

// The same from the counters of a whole kernel, where no instruction was measured: no request touches less
// than one sector, and no sector carries more than 32 bytes. Never below the true efficiency.
[[nodiscard]] Ratio best_sector_efficiency(Count data_bytes, Count sectors, Count requests);

// Share of L1's sectors that L2 held. The two means are of different launches, so they may disagree: what is
// over 1 by more than a hundredth is no ratio. (Misses do not complete it: a store of a part of a sector that
// misses is looked up again to be filled.)
[[nodiscard]] Ratio l2_hit_ratio(std::optional<double> hit_sectors, std::optional<double> sectors);

// Bytes a second.
[[nodiscard]] Ratio bandwidth(Count bytes, Count ns);

}  // namespace coalescope::analysis
