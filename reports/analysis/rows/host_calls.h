#pragma once
// When calls kept the host: what it launches afterwards comes late because of them.

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/model/activity.h"
#include "core/model/memory.h"
#include "reports/analysis/rows/spans.h"

namespace coalescope::analysis {

// United, by process.
using HostCalls = std::map<std::int64_t, std::vector<TimeSpan>>;

// Waits for the GPU, and calls that allocate memory or give it back.
[[nodiscard]] HostCalls host_calls(std::span<const model::Synchronization> waits,
                                   std::span<const model::Allocation> allocations);

}  // namespace coalescope::analysis
