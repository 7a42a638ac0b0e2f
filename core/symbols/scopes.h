#pragma once
// The functions around an address, inlined ones included, as the tree of debug information tells.

#include <elfutils/libdw.h>

#include "core/symbols/look_up.h"

namespace coalescope::symbols {

// `lines` is the unit that has the line table, `scope` the one that has the functions; they differ where a
// .dwo file has these. Innermost first.
[[nodiscard]] Frames frames_in(Dwarf_Die lines, Dwarf_Die scope, Dwarf_Addr address);

}  // namespace coalescope::symbols
