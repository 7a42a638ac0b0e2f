#pragma once
// What launches lose whose blocks leave half of the multiprocessors or more without work; and what rules
// about the number of blocks ask of a launch.

#include <string>

#include "reports/analysis/rules/assessment.h"
#include "reports/analysis/rules/subjects.h"

namespace coalescope::analysis {

inline constexpr double kIdleMultiprocessors = 0.5;

// The share of the multiprocessors that get no block of a launch; 0 where too few are idle, other kernels run
// beside it, or its work cannot be divided among more blocks.
[[nodiscard]] Measure idle_multiprocessors(const KernelSubject& kernel);

// Against as many blocks as its loops can be divided among.
[[nodiscard]] Cost few_blocks_cost(const KernelSubject& kernel);

inline constexpr double kBeside = 0.25;   // of its time: then the blocks of other kernels fill the GPU, too
inline constexpr double kAtOnce = 4;      // compilers unroll a loop four times: as many rounds are under way
inline constexpr double kLeastTimes = 2;  // as many blocks

// By the author, by the shape that he reduces with CuPy, or by the function that he calls; not by a library
// otherwise, or a compiler of operations on arrays.
[[nodiscard]] bool has_a_chosen_grid(const KernelRow& row);

// How often a warp comes by the line that it comes by most, the mean of the line's instructions: the rounds
// of its longest loop, of which compilers make one out of several.
[[nodiscard]] double rounds_of(const KernelSubject& kernel);

[[nodiscard]] std::string blocks_text(double blocks);  // "1 block"

}  // namespace coalescope::analysis
