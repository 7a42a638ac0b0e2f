#pragma once
// The recorder's life in the target's process: begun by the driver at cuInit, ended at exit.

#include <cstdint>

#include "injection/cupti/target_use.h"

namespace coalescope::cupti {

void begin_injection() noexcept;
// A fork's child shares nothing with the recording: no CUPTI call, no touch of its file.
// False: there was none, so the child may have its own.
[[nodiscard]] bool abandon_in_child() noexcept;
// The program uses CUPTI itself: when a use begins, everything of ours there ends first.
void target_called(const TargetCallInfo& info) noexcept;
// PyTorch's caching allocator gives a block to a tensor, or takes it back.
void torch_block(std::uint64_t address, bool taken) noexcept;

}  // namespace coalescope::cupti
