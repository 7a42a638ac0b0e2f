#pragma once
// What a module's code (an ELF file) tells without CUPTI: which functions it holds, and whether lines.

#include <cstddef>
#include <span>
#include <string>

namespace coalescope::cupti {

using Cubin = std::span<const std::byte>;

// Whether the code holds the function, by its mangled name.
[[nodiscard]] bool holds_function(Cubin cubin, const std::string& name);

// Whether any of its instructions may have a source line.
[[nodiscard]] bool holds_lines(Cubin cubin);

}  // namespace coalescope::cupti
