#pragma once
// What a kernel of a library does for its caller, as far as its name tells. What depends on the operands of a
// call is apart from what depends on the library alone.

#include <cstdint>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

enum class CalledFor : std::uint8_t {
  any,
  elementwise,  // one element after the other, of operands in any layout
  vectorised,   // the same, of operands that are contiguous
  copy,         // from one layout to another
  concatenation,
  index,  // gathers, scatters, embeddings: the caller's data say where
  reduction,
  layout,          // a conversion that the library does before its real work
  by_row,          // a block or a warp for each row, or each pair of rows, of the operands
  norm,            // of rows, and its gradient: a block for each
  channel_norm,    // of channels in the layout NCHW, and its gradient: a block for each
  selection,       // of a value by its rank: one block for each row
  scan,            // cumulative operations over several rows or columns: a few threads for each
  softmax,         // of rows, and its gradient: a block for each
  log_softmax,     // the same for its logarithm
  narrow_product,  // a matrix product of operands that are not aligned to 16 bytes
  rearranging,     // moves elements, beside what it computes
  functor,         // the author's own functor, applied to each element
};

[[nodiscard]] CalledFor called_for(const KernelRow& row);

// Whether the number of blocks follows from the caller's operands.
[[nodiscard]] bool divides_by_rows(CalledFor use);

// Each element of the result comes from the same element of the operands.
[[nodiscard]] bool is_elementwise(CalledFor use);

}  // namespace coalescope::analysis
