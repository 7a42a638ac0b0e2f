#pragma once
// Instructions whose lanes each access several places a few bytes apart: fields of a structure, or the
// unrolled steps along a run of elements. The machine code shows them as one base register with offsets.

#include <span>
#include <vector>

#include "core/capture/views.h"

namespace coalescope::analysis {

// By instruction: whether another one of its kernel group and operation has its base register and lies within
// a line of 128 bytes of it. Without machine code none has.
[[nodiscard]] std::vector<bool> have_siblings(std::span<const capture::InstructionView> instructions);

}  // namespace coalescope::analysis
