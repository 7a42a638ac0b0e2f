#pragma once
// What pattern makes loads or stores touch too many sectors, as far as the counters of a kernel and its lines
// tell: what the advice of G01 goes by.

#include <optional>

#include "reports/analysis/machine/kernel_bounds.h"
#include "reports/analysis/rules/subjects.h"

namespace coalescope::analysis {

enum class Pattern {
  offset,      // each request begins off a sector's boundary
  rows,        // rows do
  structures,  // a structure a thread, field by field
  chunks,      // a run of elements a thread, one after the other
  halves,      // an element of more than 16 bytes a thread, in pieces
  stride,
  narrow_block,  // rows of a block that is narrower than a sector, or a line of them
  transpose,     // one side walks down columns
  far_index,     // both do
  far,
  scatter,  // of stores: data say where each lane stores
  unclear,
};
[[nodiscard]] Pattern pattern_of(const KernelSubject& kernel, Operation operation);

// What a line has of the surplus sectors of an operation; of a line with both, each has its part.
// std::nullopt: it has no such accesses.
[[nodiscard]] std::optional<double> surplus_of(const LineRow& line, Operation operation);

// L1 keeps what the operation touches until the rest of it is asked for.
[[nodiscard]] bool kept_by_l1(const Access& access);

}  // namespace coalescope::analysis
