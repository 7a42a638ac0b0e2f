#pragma once
// What recording cost the run, and what was left unmeasured for it: the reader's first question about a tool
// that slows programs down.

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

// How long measuring may have held up a process that ended `run_ns` after the recording began; nullopt: no
// limit, or one that this version cannot read. `options`: the capture's, a JSON object.
[[nodiscard]] std::optional<std::int64_t> allowed_cost_ns(const std::string& options, std::int64_t run_ns);

[[nodiscard]] std::int64_t all_launches(std::span<const KernelRow> kernels);
// What recording takes of a launch that is not measured, on average: the recorder's own time, and CUPTI's.
[[nodiscard]] std::int64_t recorded_launch_ns(std::span<const model::Process> processes,
                                              std::span<const KernelRow> kernels);

// "Recording took 412 ms of 3.71 s after cuInit (11.1 %): measuring 356 ms (1.19 s allowed), tracing 56.0 ms.
// With more time it would also have measured: source lines of 2 kernels." nullopt: no process ended
// so that it could say.
[[nodiscard]] std::optional<std::string> recording_cost(const Report& report);

}  // namespace coalescope::analysis
