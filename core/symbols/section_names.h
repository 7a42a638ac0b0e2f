#pragma once
// The sections of an ELF file, of whatever machine: the code of GPUs, too.

#include <cstddef>
#include <set>
#include <span>
#include <string>

namespace coalescope::symbols {

// Empty: these bytes are no ELF file, or a damaged one.
[[nodiscard]] std::set<std::string, std::less<>> section_names(std::span<const std::byte> file);

// What a section holds; empty: there is none of this name, or the file is damaged.
[[nodiscard]] std::span<const std::byte> section_bytes(std::span<const std::byte> file,
                                                       const std::string& name);

}  // namespace coalescope::symbols
