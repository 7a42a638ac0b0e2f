#pragma once
// What the program's allocations come to over time, and by the places that asked for them.

#include <functional>
#include <span>
#include <vector>

#include "core/model/memory.h"
#include "reports/analysis/time_line.h"

namespace coalescope::analysis {

inline constexpr std::size_t kPlacesListed = 20;

// The most that were there at one time, by their beginnings and ends.
[[nodiscard]] std::int64_t most_bytes(std::span<const model::Allocation* const> allocations);

// One a kind and device, in that order.
[[nodiscard]] std::vector<MemoryCourse> memory_courses(std::span<const model::Allocation> allocations);

// Most bytes at one time first. `place_of` names the place that asked for an allocation.
[[nodiscard]] std::vector<AllocationPlace> allocation_places(
    std::span<const model::Allocation> allocations,
    const std::function<std::optional<std::string>(const model::Allocation&)>& place_of);

}  // namespace coalescope::analysis
