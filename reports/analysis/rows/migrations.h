#pragma once
// What unified memory moved, and in which order: pages that come for the first time are told from those that
// come again, and the time in which they came is spread over them.

#include <cstdint>
#include <map>
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

// Of kernels with pointers to managed memory: their GPU time until recording stopped at its limit, and in the
// whole run. Where launches were counted only, the mean of the timed ones stands for them.
struct RecordedPart {
  std::int64_t recorded_ns = 0;
  std::int64_t whole_ns = 0;
};
struct ProgramTables;
// By process; without those of which everything was recorded.
[[nodiscard]] std::map<std::int64_t, RecordedPart> recorded_parts(const ProgramTables& tables);

}  // namespace coalescope::analysis
