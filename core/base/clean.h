#pragma once
// Text from outside, made harmless for whoever looks at it: a terminal, a table, a spreadsheet.

#include <string>
#include <string_view>

namespace coalescope::base {

// Names come from the recorded program. Control characters (they could drive the terminal), marks that turn
// the direction of writing, and bytes that are not UTF-8 become "?", a tab becomes a space.
[[nodiscard]] std::string clean(std::string_view text);

}  // namespace coalescope::base
