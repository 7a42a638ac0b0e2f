#pragma once
// Work of ours that may cost much is done in a process of its own: what ends that one (a limit, want of
// memory, a crash) costs the work, and never how the target ended.

#include <functional>
#include <string>

#include "core/base/error.h"

namespace coalescope::tool {

// What `work` returns (a text of at most 4096 bytes), or how its process ended without an answer. Where there
// is no room for a process, the work is done in this one. Processor time is counted anew in it.
[[nodiscard]] base::Result<std::string> run_apart(const std::function<std::string()>& work);

}  // namespace coalescope::tool
