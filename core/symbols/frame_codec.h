#pragma once
// Frames as bytes, for the way from the process that looks them up.

#include <optional>
#include <string>
#include <string_view>

#include "core/symbols/look_up.h"

namespace coalescope::symbols {

[[nodiscard]] std::string encode_frames(const Frames& frames);

// Takes one answer from the beginning of `bytes`; nullopt: it was cut off, or is none.
[[nodiscard]] std::optional<Frames> decode_frames(std::string_view& bytes);

}  // namespace coalescope::symbols
