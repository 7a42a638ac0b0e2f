#pragma once
// The recorder's life in the target's process: begun by the driver at cuInit, ended at exit.

#include "injection/cupti/target_use.h"

namespace coalescope::cupti {

void begin_injection() noexcept;
// A fork's child shares nothing with the recording: no CUPTI call, no touch of its file.
void abandon_in_child() noexcept;
// The program uses CUPTI itself: when a use begins, everything of ours there ends first.
void target_called(const TargetCallInfo& info) noexcept;

}  // namespace coalescope::cupti
