#pragma once
// What is left of a process whose recording could not begin: who it was, and why.

#include <string_view>

#include "core/base/error.h"
#include "core/model/run.h"
#include "core/ring/ring.h"
#include "injection/recorder/options.h"

namespace coalescope::recorder {

// As its part of the capture.
[[nodiscard]] base::Result<void> write_failure_part(ring::RingWriter& ring, const RecorderOptions& options,
                                                    const model::Process& process, std::string_view origin,
                                                    const base::Error& error);

// Without a way to whoever writes parts: beside them.
void leave_unrecorded(const RecorderOptions& options, const model::Process& process,
                      const base::Error& error) noexcept;

}  // namespace coalescope::recorder
