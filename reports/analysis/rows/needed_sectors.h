#pragma once
// How many of an instruction's sectors its lanes need.

#include <cstdint>

#include "core/capture/views.h"

namespace coalescope::analysis {

// The ideal sectors of a request are those of its active lanes packed together. Where lanes are idle (a
// condition, a halo, a tail) the others stay where they are, so that up to as many sectors as the whole warp
// touches when it is contiguous are no fault of the layout. At most the sectors that were touched. The
// instruction has counts of sectors and of ideal sectors.
[[nodiscard]] std::int64_t needed_sectors(const capture::InstructionCounts& instruction);

}  // namespace coalescope::analysis
