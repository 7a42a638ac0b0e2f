#pragma once
// The names of an ELF file's sections, of whatever machine: the code of GPUs, too.

#include <cstddef>
#include <set>
#include <span>
#include <string>

namespace coalescope::symbols {

// Empty: these bytes are no ELF file, or a damaged one.
[[nodiscard]] std::set<std::string, std::less<>> section_names(std::span<const std::byte> file);

}  // namespace coalescope::symbols
