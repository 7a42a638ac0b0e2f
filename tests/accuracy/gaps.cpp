#include "tests/accuracy/gaps.h"

#include <array>
#include <cmath>

namespace coalescope::accuracy {
namespace {

using enum Gap;

constexpr std::string_view kInlined =
    "atomicAdd is a function of a CUDA header, and CUPTI names the line there, not the one that calls it";
constexpr std::string_view kNext = "its pair is younger than the captures";

constexpr std::array kKnownGaps{
    // The hardware's counter of constant replays takes about a millisecond a launch. Without it the kernel
    // only
    // looks as if it waited for something that nothing here counts, and that may as well be arithmetic.
    KnownGap{"constant_by_lane", missed, 0,
             "no counter that is recorded tells at how many addresses a warp reads constant memory"},
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
