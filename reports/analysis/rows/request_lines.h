#pragma once
// How many lines of 128 bytes a request touches. L1 and L2 look up lines, whatever part of them is wanted;
// counters tell sectors only.

#include <array>
#include <cstdint>

#include "reports/analysis/figures/access_shape.h"

namespace coalescope::analysis {

// The threads of a block by dimension.
using BlockShape = std::array<std::int64_t, 3>;

// Of the mean request of one instruction. `indexed`: data give its addresses. Lanes a constant distance apart
// have neighbouring sectors until each has a line of its own; the rows of a block that is narrower than a
// warp lie apart.
[[nodiscard]] double lines_of(const Request& request, bool indexed, const BlockShape& block);

// Requests of a block narrower than a warp, each row of which touches sectors of its own, in part.
[[nodiscard]] bool follows_rows_of(const Request& request, const BlockShape& block);

}  // namespace coalescope::analysis
