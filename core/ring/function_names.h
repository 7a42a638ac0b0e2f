#pragma once
// Looks up functions in the symbol tables of programs and libraries, for processes that must open no file.

#include <cstdint>
#include <optional>
#include <string>

namespace coalescope::ring {

// The file's function that holds an address of the file's image, in its symbol table, which also has those
// that the dynamic linker does not see. The file may be anything, and may change while it is read.
[[nodiscard]] std::optional<std::string> find_function(const std::string& path, std::uint64_t offset);

}  // namespace coalescope::ring
