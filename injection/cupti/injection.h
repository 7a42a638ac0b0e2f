#pragma once
// The recorder's life in the target's process: begun by the driver at cuInit, ended at exit.

namespace coalescope::cupti {

void begin_injection() noexcept;
// A fork's child shares nothing with the recording: no CUPTI call, no touch of its file.
void abandon_in_child() noexcept;
// The program is about to use CUPTI itself, by this call: everything of ours there ends first.
void step_aside_for(const char* call) noexcept;

}  // namespace coalescope::cupti
