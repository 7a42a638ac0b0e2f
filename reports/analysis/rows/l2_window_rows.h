#pragma once
// L2 access-policy windows with the launches that ran under them. Windows are set in the host's time and
// launches begin in the GPU's: a launch counts for a window that was set before it began.

#include <span>
#include <vector>

#include "core/capture/views.h"
#include "core/model/memory.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

struct L2WindowInput {
  std::span<const model::L2Window> windows;
  std::span<const model::L2Setting> settings;
  std::span<const model::GroupPointer> pointers;
  std::span<const capture::GroupView> groups;
  const capture::LaunchPlaces& launches;  // with their streams
};

// Those whose hits persist, in the order in which they were set: the first hundred that differ.
struct L2WindowRows {
  std::vector<L2WindowRow> rows;
  std::int64_t left_out = 0;
};
[[nodiscard]] L2WindowRows l2_window_rows(const L2WindowInput& input);

}  // namespace coalescope::analysis
