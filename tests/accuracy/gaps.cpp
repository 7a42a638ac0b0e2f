#include "tests/accuracy/gaps.h"

#include <array>
#include <cmath>

namespace coalescope::accuracy {
namespace {

using enum Gap;

constexpr std::string_view kNext = "its pair is younger than the captures";

constexpr std::array kKnownGaps{
    KnownGap{"broadcast_table", missed, 0, "a note only: what the loads cost in L1 is not priced"},
    KnownGap{"shuffled_gather", missed, 0, "its lines say nothing of an index"},
    KnownGap{"constant_by_lane", missed, 0,
             "no counter that can be recorded tells at how many addresses a warp reads constant memory"},
    KnownGap{"returning_atomics", missed, 0,
             "the atomics are as fast as those without a result would be, as far as the profile tells"},
    KnownGap{"atomic_each_thread", wrong_line, 0, "the line of the inlined CUDA header is named"},
    KnownGap{"histogram_in_global", wrong_line, 0, "the line of the inlined CUDA header is named"},
    KnownGap{"histogram_in_global", false_alarm, 2,
             "the flush of the blocks' counters is taken for the work"},
    KnownGap{"histogram_in_global", far_off, 0.83, "contention between warps is not counted"},
    KnownGap{"shared_rows_2", far_off, 0.26, "conflicts of degree 2 are partly hidden"},
    KnownGap{"indexed_array", far_off, 0.39, "what local memory costs inside L1 is priced too low"},
    KnownGap{"spilled_registers", unpriced, 0, "its traffic was not measured"},
    KnownGap{"unblocked_passes", unrecorded, 0, kNext},
    KnownGap{"window_too_large", unrecorded, 0, kNext},
    KnownGap{"window_untuned", unrecorded, 0, kNext},
    KnownGap{"window_left_on", unrecorded, 0, kNext},
    KnownGap{"windows_together", unrecorded, 0, kNext},
    KnownGap{"pageable_upload", unrecorded, 0, kNext},
    KnownGap{"pageable_download", unrecorded, 0, kNext},
    KnownGap{"small_copies", unrecorded, 0, kNext},
    KnownGap{"synchronous_copies", unrecorded, 0, kNext},
    KnownGap{"copies_in_turn", unrecorded, 0, kNext},
    KnownGap{"round_trip", unrecorded, 0, kNext},
    KnownGap{"zero_copy_again", unrecorded, 0, kNext},
    KnownGap{"zero_copy_strided", unrecorded, 0, kNext},
    KnownGap{"managed_first_touch", unrecorded, 0, kNext},
    KnownGap{"managed_ping_pong", unrecorded, 0, kNext},
    KnownGap{"peer_without_access", unrecorded, 0, "it takes two GPUs that reach each other"},
};

}  // namespace

std::string_view name_of(Gap gap) {
  constexpr std::array<std::string_view, 6> kNames{"not recorded", "missed",   "wrong line",
                                                   "false alarm",  "no price", "gain far off"};
  return kNames[static_cast<std::size_t>(gap)];
}

std::span<const KnownGap> known_gaps() {
  return kKnownGaps;
}

std::set<Gap> gaps_of(const Outcome& outcome) {
  std::set<Gap> gaps;
  if (!outcome.noise.empty()) gaps.insert(false_alarm);
  if (outcome.twin->verdict != kernels::Verdict::fault) return gaps;
  if (!outcome.found) {
    gaps.insert(missed);
    return gaps;
  }
  if (!outcome.right_line.value_or(true)) gaps.insert(wrong_line);
  if (!outcome.predicted) gaps.insert(unpriced);
  if (const auto error = outcome.error(); error && std::abs(*error) > kMostError) gaps.insert(far_off);
  return gaps;
}

std::set<Gap> known_gaps_of(const kernels::Twin& twin) {
  std::set<Gap> gaps;
  for (const KnownGap& known : kKnownGaps)
    if (known.id == twin.id) gaps.insert(known.gap);
  return gaps;
}

}  // namespace coalescope::accuracy
