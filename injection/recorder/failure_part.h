#pragma once
// The part of a process whose recording could not begin: who it was, and why.

#include <string_view>

#include "core/base/error.h"
#include "core/model/run.h"
#include "injection/recorder/options.h"

namespace coalescope::recorder {

[[nodiscard]] base::Result<void> write_failure_part(const RecorderOptions& options,
                                                    const model::Process& process, std::string_view origin,
                                                    const base::Error& error);

}  // namespace coalescope::recorder
