#pragma once
// The functions around an address, inlined ones included, as the tree of debug information tells.

#include <elfutils/libdw.h>
#include <vector>

#include "core/symbols/look_up.h"

namespace coalescope::symbols {

// One stretch of a function's code.
struct FunctionRange {
  Dwarf_Addr begin = 0;
  Dwarf_Addr end = 0;
  Dwarf_Die function{};
};

// Of all functions of a unit that have code of their own.
[[nodiscard]] std::vector<FunctionRange> functions_in(Dwarf_Die unit);

// The stretch that holds the address, or nullptr. Where several do the shortest: what the linker threw away
// may claim the beginning.
template <class Range>
[[nodiscard]] const Range* range_at(const std::vector<Range>& ranges, Dwarf_Addr address) {
  const Range* best = nullptr;
  for (const Range& each : ranges)
    if (address >= each.begin && address < each.end &&
        (best == nullptr || each.end - each.begin < best->end - best->begin))
      best = &each;
  return best;
}

// Innermost first. `lines` is the unit that has the line table, `scope` the one that has the functions; they
// differ where a .dwo file has these. Without a function only the line is told.
[[nodiscard]] Frames frames_in(Dwarf_Die lines, Dwarf_Die scope, const FunctionRange* function,
                               Dwarf_Addr address);

}  // namespace coalescope::symbols
