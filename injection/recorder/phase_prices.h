#pragma once
// What measuring in a phase is expected to cost before a group has told, on every GPU: seen on an H100 and an
// H200. It decides when a window is opened. No figure of a report rests on it, and what a window took is
// charged as it was measured.

#include <array>
#include <cstdint>

#include "injection/recorder/scheduler.h"

namespace coalescope::recorder {

struct PhaseRow {
  bool range;              // a pass of the range profiler, of which one configuration has all
  bool sweeps;             // a window stays open over many launches
  bool patched;            // counts by patching the kernel: exact, and by far the dearest
  std::int64_t enter_ns;   // to enter a window and to leave it again
  std::int64_t skip_ns;    // to pass it over on the way to the pass of another phase
  std::int64_t launch_ns;  // a launch of a kernel that does next to nothing
  double slowdown;         // of a memory-bound kernel
  double worst;            // that must fit; kernels that do little but access L1 exceed it
  // Of a kernel whose instructions were counted, for each that a warp executes, if all multiprocessors have
  // blocks.
  double instruction_ns = 0, worst_instruction_ns = 0;  // 0: not known
  std::int64_t worst_extra_ns = 0;                      // beside these
};
inline constexpr std::array kPhases{
    PhaseRow{false, false, false, 0, 0, 0, 1, 1},                                           // trace
    PhaseRow{true, true, true, 6'000'000, 0, 40'000, 15, 20, 0.03, 0.17, 5'000'000},        // bytes
    PhaseRow{false, false, true, 3'000'000, 0, 1'500'000, 50, 100, 0.09, 0.3, 15'000'000},  // lines
    PhaseRow{true, true, false, 26'000'000, 20'000'000, 90'000, 1, 1},                      // traffic
    PhaseRow{true, true, false, 20'000'000, 20'000'000, 90'000, 1, 1},                      // hits
    PhaseRow{true, false, true, 1'000'000, 0, 40'000'000, 13, 20},                          // replay
};
static_assert(kPhases.size() == kPhaseCount, "each phase has a row");
constexpr const PhaseRow& row_of(model::Phase phase) {
  return kPhases[index_of(phase)];
}

// Of the GPUs on which these prices were seen. A kernel of fewer blocks pays more for each instruction: an
// update by one block took 1.66 s instead of 0.16: 0.13 ns for each of 132 times its 90 million instructions.
inline constexpr double kPricedMultiprocessors = 132;
// The range profiler's first Start in a process, or after another context.
inline constexpr std::int64_t kConfigureNs = 300'000'000;
// Lines cost this much more than bytes, which patch the same instructions for fewer answers.
inline constexpr std::int64_t kLinesToBytes = 4;

}  // namespace coalescope::recorder
