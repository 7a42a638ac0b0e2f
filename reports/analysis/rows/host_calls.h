#pragma once
// When calls kept the host: what it launches afterwards comes late because of them.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "core/capture/views.h"
#include "core/model/activity.h"
#include "core/model/memory.h"
#include "core/model/run.h"
#include "reports/analysis/rows/spans.h"

namespace coalescope::analysis {

// A wait for a stream or for all of a context.
struct PlainWait {
  std::int64_t began_ns = 0, ended_ns = 0;
  std::optional<std::int64_t> call_site;
};

// Of a process.
struct CallsOfHost {
  std::vector<TimeSpan> all;     // united: waits for the GPU, and calls that allocate memory or give it back
  std::vector<TimeSpan> others;  // united: of them those that are no plain waits
  std::vector<PlainWait> plain_waits;  // in the order of their ends
  std::int64_t plain_unlisted_ns = 0;  // of plain waits that are not listed
  std::int64_t unlisted = 0;           // waits of any kind
};

using HostCalls = std::map<std::int64_t, CallsOfHost>;

[[nodiscard]] HostCalls host_calls(std::span<const model::Synchronization> waits,
                                   std::span<const model::SynchronizationTotal> totals,
                                   std::span<const model::Allocation> allocations);

// Whether the host queued what began at `start_ns` before what ran before it ended, at `ended_ns`: no call
// that kept the host ended in between, early enough for it to queue this then.
[[nodiscard]] bool was_queued(const CallsOfHost& calls, std::int64_t ended_ns, std::int64_t start_ns);

// Processes whose results somebody may read without a copy that is seen: the host, in memory of its own that
// kernels use, or other ranks.
[[nodiscard]] std::set<std::int64_t> read_by_others(std::span<const model::Process> processes,
                                                    std::span<const capture::GroupView> groups,
                                                    std::span<const model::GroupPointer> pointers);

}  // namespace coalescope::analysis
