#pragma once
// Which word was meant: a mistyped subcommand is taken for a program, and that program is not there.

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace coalescope::tool {

// The word that is fewest typing errors away (a letter missing, added, wrong, or two swapped), if that is at
// most two and fewer than half of its letters.
std::optional<std::string> nearest(std::string_view typed, std::span<const std::string> words);

}  // namespace coalescope::tool
