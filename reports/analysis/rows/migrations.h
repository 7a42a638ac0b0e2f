#pragma once
// What unified memory moved, and in which order: pages that come for the first time are told from those that
// come again, and the time in which they came is spread over them.

#include <vector>

#include "core/model/activity.h"
#include "reports/analysis/program.h"

namespace coalescope::analysis {

void add(Migration& sum, const model::UnifiedMemory& record);

// A record of moved bytes or of faults of the GPU that were served, and the sum of the allocation that it
// belongs to.
struct MovedPiece {
  const model::UnifiedMemory* record = nullptr;
  Migration* sum = nullptr;
};
// Whether a record is such a piece.
[[nodiscard]] bool tells_of_moves(const model::UnifiedMemory& record);
void take_order(std::vector<MovedPiece> pieces);

}  // namespace coalescope::analysis
