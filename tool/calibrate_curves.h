#pragma once
// The part of a calibration that is timed without the recorder, and what the recorder's counters say of the
// same kernels: rows of the calibration table.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/model/calibration.h"
#include "kernels/answers/expected.h"
#include "kernels/answers/observation.h"
#include "kernels/curves/experiment.h"

namespace coalescope::tool {

// What coalescope_kernels --measure wrote: a JSON object a line.
[[nodiscard]] base::Result<std::vector<kernels::Measurement>> read_measurements(std::string_view text);

// Runs the experiments natively, with `arguments` besides: what they measured.
[[nodiscard]] base::Result<std::vector<kernels::Measurement>> measure_curves(
    const std::filesystem::path& program, std::vector<std::string> arguments);

// The measurements, their spreads, and the share that L2 held of what the kernel named in the measurement
// asked for, as far as `rows` have it.
[[nodiscard]] std::vector<model::Calibration> rows_of(std::span<const kernels::Measurement> measurements,
                                                      const kernels::CaptureRows& rows);

// Of the strided copies: which share of the bytes carried at each level of memory was asked for.
[[nodiscard]] std::vector<model::Calibration> levels_of(std::span<const kernels::Case* const> cases,
                                                        const kernels::CaptureRows& rows);

}  // namespace coalescope::tool
