#pragma once
// What is known of each way of measuring, once: settings, the recorder's probes, repeated runs and reports go
// through these rows instead of naming phases.

#include <array>
#include <string_view>

#include "core/model/enums.h"

namespace coalescope::model {

struct WayOfMeasuring {
  Phase phase;
  std::string_view tells;  // what is missing where it did not measure: "L2 and DRAM traffic"
  std::string_view about;  // what it counts, and how it does so
  bool in_turn = false;    // a launch that it measures is measured by no other
  bool replayed = false;   // counted by the range profiler: replay reads all of these of one launch
};

// In the order of Phase.
inline constexpr std::array kWaysOfMeasuring{
    WayOfMeasuring{Phase::trace, "GPU time",
                   "times of launches, copies and memory sets, through CUPTI's activity records"},
    WayOfMeasuring{
        Phase::bytes, "degree and sectors",
        "distinct bytes, sectors and requests of loads and stores: the kernel runs once, patched to count",
        true, true},
    WayOfMeasuring{
        Phase::lines, "source lines",
        "sectors and ideal sectors of each memory instruction: the kernel runs once, patched to count", true},
    WayOfMeasuring{Phase::traffic, "L2 and DRAM traffic",
                   "L2 and DRAM traffic, from hardware counters, while the kernel runs as it is", true, true},
    WayOfMeasuring{Phase::hits, "L2 hits",
                   "sectors that L2 held, from hardware counters, while the kernel runs as it is", true,
                   true},
    WayOfMeasuring{
        Phase::replay, "replayed counters",
        "bytes, traffic and hits of one launch: CUPTI repeats the kernel, and restores what it wrote"},
};
static_assert(kWaysOfMeasuring.size() == kPhaseNames.size());

}  // namespace coalescope::model
