#pragma once
// Pauses of a GPU behind plain waits of the host (host_calls.h), after which nothing had gone to the host.

#include <cstdint>
#include <vector>

#include "reports/analysis/program.h"
#include "reports/analysis/rows/host_calls.h"

namespace coalescope::analysis {

// A host that only launches takes less than this for each: PyTorch's eager operations take 5 to 50 us, calls
// of compiled JAX functions up to 160 us.
inline constexpr std::int64_t kLongestLaunchNs = 200'000;

// A launch or a copy begins.
struct OperationBegin {
  std::int64_t start_ns = 0;
  std::int64_t last_end_ns = 0;      // of all before it; 0: what came before is not known
  std::int64_t download_end_ns = 0;  // of all copies to the host before it
  bool is_kernel = false;
};

class PlainWaitGaps {
 public:
  // `launch_extra_ns`: what recording takes of a launch.
  PlainWaitGaps(const CallsOfHost& calls, std::int64_t launch_extra_ns)
      : calls_(calls), launch_extra_ns_(launch_extra_ns), next_(calls.plain_waits.begin()) {}

  // In the order of time. `disturbed`: launches were measured, or nothing was listed.
  void add(const OperationBegin& operation, bool disturbed);
  void take_into(TimelineRow& row) const;

 private:
  void add_pause(const OperationBegin& operation, const PlainWait& wait, std::int64_t before_ns);

  const CallsOfHost& calls_;
  const std::int64_t launch_extra_ns_;
  std::vector<PlainWait>::const_iterator next_;  // the first that no operation has followed yet
  std::int64_t launches_ = 0;                    // since the last wait
  std::int64_t met_ = 0, met_ns_ = 0;            // waits that an undisturbed operation followed
  TimelineRow found_;
};

}  // namespace coalescope::analysis
