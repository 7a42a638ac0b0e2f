#pragma once
// Where the analyser is not right about a twin, and why: the list that the test holds it to. What is not
// listed must be right; what is listed must not get worse, and leaves the list when it gets right.

#include <set>
#include <span>
#include <string_view>

#include "tests/accuracy/accuracy.h"

namespace coalescope::accuracy {

enum class Gap {
  unrecorded,   // no capture yet
  missed,       // nothing was said of the fault
  wrong_line,   // but said at a line that is not at fault
  false_alarm,  // something was said where nothing is wrong
  unpriced,     // no gain was predicted
  far_off       // the predicted gain is off by more than kMostError
};
std::string_view name_of(Gap gap);

// Of the faulty side's time.
inline constexpr double kMostError = 0.25;

struct KnownGap {
  std::string_view id;
  Gap gap = Gap::unrecorded;
  double most = 0;  // of a gain that is far off: the error at most; of false alarms: how many
  std::string_view reason;
};
std::span<const KnownGap> known_gaps();

std::set<Gap> gaps_of(const Outcome& outcome);
std::set<Gap> known_gaps_of(const kernels::Twin& twin);

}  // namespace coalescope::accuracy
