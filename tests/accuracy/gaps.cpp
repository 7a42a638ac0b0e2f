#include "tests/accuracy/gaps.h"

#include <array>
#include <cmath>

namespace coalescope::accuracy {
namespace {

using enum Gap;

constexpr std::array kKnownGaps{
    KnownGap{"zero_copy_strided", false_alarm, 1,
             "recorded when all runs of the clean side read the same words of the host; they have words of "
             "their own now"},
    KnownGap{"pinned_again", unrecorded, 1,
             "found by its rule on an H100, but its calls took 10.7 ms per round while recorded and 6.8 ms "
             "without the recorder; left out until that is explained"},
    KnownGap{"launched_late", unrecorded, 1, "newer than the recordings"},
    KnownGap{"waited_for_each", unrecorded, 1, "newer than the recordings"},
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
