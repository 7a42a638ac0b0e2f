#pragma once
// Which calls cause which findings, and what their author can do: the table of call_advice.h.

#include <cstdint>
#include <span>
#include <string_view>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

// What a kernel of a library does for its caller, as far as its name tells. What depends on the operands of
// a call is apart from what depends on the library alone.
enum class CalledFor : std::uint8_t {
  any,
  elementwise,  // one element after the other, of operands in any layout
  vectorised,   // the same, of operands that are contiguous
  copy,         // from one layout to another
  concatenation,
  index,  // gathers, scatters, embeddings: the caller's data say where
  reduction,
  layout,   // a conversion that the library does before its real work
  functor,  // the author's own functor, applied to each element
};

struct CallRow {
  std::string_view owner;  // as KernelRow::owner; empty: any library
  CalledFor called_for = CalledFor::any;
  std::string_view cause;     // Finding::advice_id begins with it
  bool needs_offset = false;  // only where a pointer was passed that is off a sector's boundary
  std::string_view id;        // of the advice, behind the rule's: "call_contiguous"; empty: the rule's advice
  std::string_view text;
};

// The first row that fits decides.
[[nodiscard]] std::span<const CallRow> call_rows();

[[nodiscard]] CalledFor called_for(const KernelRow& row);

}  // namespace coalescope::analysis
