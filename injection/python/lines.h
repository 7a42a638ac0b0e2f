#pragma once
// The line of an instruction, from the line table of its code object. The formats are described in CPython's
// Objects/lnotab_notes.txt (3.9) and Objects/locations.md or lnotab_notes.txt (3.10 and later).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "injection/python/layout.h"

namespace coalescope::python {

// `offset`: of the instruction, in bytes. nullopt: it belongs to no line, or the table is not as it should
// be.
[[nodiscard]] std::optional<std::int64_t> line_of(LineFormat format, std::span<const std::uint8_t> table,
                                                  std::int64_t first_line, std::int64_t offset);

}  // namespace coalescope::python
