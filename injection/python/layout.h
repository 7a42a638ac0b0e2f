#pragma once
// Where an interpreter keeps what a stack consists of: byte offsets in CPython's own structures, by version.
// From 3.13 on the interpreter carries them with it (_Py_DebugOffsets); those of the versions before were
// printed with offsetof() from the headers of 3.9.18, 3.10.13, 3.11.7 and 3.12.1. Versions keep their layout
// from their first release on. Anything else is refused.

#include <cstddef>
#include <cstdint>
#include <optional>

namespace coalescope::python {

// How a code object's line table is encoded.
enum class LineFormat { deltas, ranges, locations };  // 3.9, 3.10, 3.11 and later

struct Layout {
  std::size_t thread_frame = 0;          // of the thread state: its innermost frame,
  std::optional<std::size_t> in_holder;  // or a structure with that frame, which lies there
  std::size_t frame_previous = 0;        // the frame of the caller
  std::size_t frame_code = 0;
  std::size_t frame_instruction = 0;       // a pointer into the code, or its index
  std::optional<std::size_t> index_bytes;  // bytes per index; nullopt: a pointer
  std::optional<std::size_t> frame_owner;  // where the interpreter's own frames have code, too
  std::size_t code_size = 0;               // what the type says: without the instructions
  std::size_t code_first_line = 0;
  std::size_t code_file = 0;
  std::size_t code_name = 0;  // qualified, where the version has that
  std::size_t code_lines = 0;
  std::size_t code_instructions = 0;  // where a pointer's distance counts from
  LineFormat lines = LineFormat::locations;
  std::size_t text_header = 0;       // bytes of a string's header: ASCII,
  std::size_t wide_text_header = 0;  // and other
};

// The minor versions between which layouts are known, as in PY_VERSION_HEX.
inline constexpr std::uint32_t kOldest = 0x03090000;
inline constexpr std::uint32_t kNewest = 0x030e0000;

// `version` as in PY_VERSION_HEX. `offsets`: the beginning of _PyRuntime; only read from 3.13 on.
[[nodiscard]] std::optional<Layout> layout_of(std::uint32_t version, const void* offsets);

}  // namespace coalescope::python
