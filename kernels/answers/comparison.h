#pragma once
// The verdicts of `calibrate`: what a capture says of each case against the closed forms, and the bandwidths
// that are points of the machine's curves.

#include <span>
#include <string_view>
#include <vector>

#include "core/model/calibration.h"
#include "kernels/answers/expected.h"
#include "kernels/answers/observation.h"

namespace coalescope::kernels {

inline constexpr std::string_view kBandwidthQuantity = "bandwidth_gb_s";

// For each case one row a count, then one for its bandwidth and one for that one's interquartile range. A
// count passes only if every measured launch had exactly the expected value; one that was not measured fails,
// or is skipped where this GPU cannot measure it, and the note says why.
[[nodiscard]] std::vector<model::Calibration> compare(std::span<const Case* const> cases,
                                                      const CaptureRows& rows);

}  // namespace coalescope::kernels
