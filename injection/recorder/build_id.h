#pragma once
// The build id of a program or library as it was mapped. Its file may be replaced while the program runs, and
// then names other functions at the same offsets.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace coalescope::recorder {

// Of the module that holds this address, in hexadecimal; nullopt: it has none, or it cannot be read.
[[nodiscard]] std::optional<std::string> build_id_at(std::uint64_t address);

// Of the notes of a module, as a PT_NOTE segment holds them.
[[nodiscard]] std::optional<std::string> build_id_in(std::span<const std::byte> notes, std::size_t alignment);

}  // namespace coalescope::recorder
