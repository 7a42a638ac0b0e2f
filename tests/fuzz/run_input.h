#pragma once
// What is fuzzed: a changed capture is read, analysed, and shown in one of the formats. Nothing may crash,
// overflow or take long; that the capture is refused is an answer, too.

#include <cstdint>
#include <span>

namespace coalescope::fuzz {

void run_input(std::span<const std::uint8_t> bytes);

}  // namespace coalescope::fuzz
