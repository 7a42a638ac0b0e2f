#pragma once
// How many of an instruction's sectors and wavefronts its lanes need.

#include <cstdint>
#include <optional>

#include "core/capture/views.h"

namespace coalescope::analysis {

// The ideal sectors of a request are those of its active lanes packed together. Where lanes are idle (a
// condition, a halo, a tail) the others stay where they are, so that up to as many sectors as the whole warp
// touches when it is contiguous are no fault of the layout. At most the sectors that were touched. The
// instruction has counts of sectors and of ideal sectors.
[[nodiscard]] std::int64_t needed_sectors(const capture::InstructionCounts& instruction);

// Atomics on shared memory wait for each other where lanes meet at an address, which no layout changes: what
// they take they need. Asynchronous copies store to shared memory as the pieces of global memory arrive, so
// that up to as many wavefronts as sectors are no bank conflicts: 15 per request instead of 3.8 where 32
// lanes copy 16 bytes each from 30 sectors to rows that follow each other (`ice_rink`, docs/jury.md). Of
// others the ideal. std::nullopt: not measured.
[[nodiscard]] std::optional<std::int64_t> needed_wavefronts(const capture::InstructionView& instruction);

}  // namespace coalescope::analysis
