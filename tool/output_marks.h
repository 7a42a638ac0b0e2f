#pragma once
// Tells what coalescope itself has written from the files of others, by how each format begins.

#include <cstddef>
#include <optional>
#include <string_view>

#include "tool/output_file.h"

namespace coalescope::tool {

// So much of a file's beginning shows what it is.
inline constexpr std::size_t kMarkBytes = 4096;

// nullopt: neither a report nor a capture.
[[nodiscard]] std::optional<OutputKind> kind_of(std::string_view beginning);

}  // namespace coalescope::tool
