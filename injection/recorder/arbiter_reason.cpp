// Why a kernel lacks the readings of a phase.

#include "injection/recorder/arbiter.h"

namespace coalescope::recorder {

using model::CoverageReason;
using model::Phase;

namespace {

// In a window a launch is counted, not timed.
CoverageReason reason_untimed(const Group& group) {
  if (group.launches_timed > 0) return CoverageReason::measured;
  if (group.launches_seen == 0 && group.launches_in_stream_capture > 0) return CoverageReason::in_capture;
  if (group.launches_untraced > 0) return CoverageReason::timed_by_program;
  return group.needs.measured >= group.launches_seen ? CoverageReason::too_few_launches
                                                     : CoverageReason::failed;
}

}  // namespace

CoverageReason Arbiter::reason(const Group& group, Phase phase) const {
  if (phase == Phase::trace) return reason_untimed(group);
  const auto i = index_of(phase);
  if (group.needs.taken[i] > 0) return CoverageReason::measured;
  if (group.reason != CoverageReason::measured) return group.reason;
  if (const auto state = phase_state_[i].load(); state != CoverageReason::measured) return state;
  const SharedNeeds* shared = group.needs.shared;
  if (shared != nullptr && shared->of_sizes && shared->taken[i] > 0) return CoverageReason::size_measured;
  if (group.needs.discarded[i] > 0) return CoverageReason::window_discarded;
  // An autotuner may have timed some outside.
  if (2 * group.launches_in_graph > group.launches_seen && !group.taken_apart)
    return CoverageReason::in_graph;
  if (group.launches_seen == 0 && group.launches_in_stream_capture > 0) return CoverageReason::in_capture;
  if (group.cooperative) return CoverageReason::skip_listed;
  if (group.needs.refused_for_budget) return CoverageReason::budget_spent;
  if (group.needs.refused_while_timed) return CoverageReason::timed_by_program;
  if (group.needs.refused_by_selection) return CoverageReason::not_selected;
  // All of its launches may have come then.
  if (held_by_others_[i].load()) return CoverageReason::counters_busy;
  if (in_vain_ns_.load() > 0) return CoverageReason::gpu_busy;
  return CoverageReason::too_few_launches;
}

}  // namespace coalescope::recorder
