#pragma once
// The outcome of a calibration for people: a row a case, and below a failed one what differs.

#include <cstdint>
#include <span>
#include <string>

#include "core/model/calibration.h"
#include "kernels/answers/expected.h"
#include "kernels/curves/experiment.h"

namespace coalescope::tool {

struct CountVerdicts {
  std::int64_t passed = 0;
  std::int64_t failed = 0;
};

[[nodiscard]] CountVerdicts verdicts(std::span<const model::Calibration> results);

// One line for the end: "870 of 870 counts are exact in every launch that was measured".
[[nodiscard]] std::string summary(const CountVerdicts& counts);

// `results` are those of `cases`.
[[nodiscard]] std::string to_table(std::span<const kernels::Case* const> cases,
                                   std::span<const model::Calibration> results);

// What was measured natively, a line a case: the figure, its spread, what a closed form expects of it.
[[nodiscard]] std::string to_curve_table(std::span<const model::Calibration> rows);

// What `calibrate` would run.
[[nodiscard]] std::string to_list(std::span<const kernels::Case* const> cases,
                                  std::span<const kernels::Experiment* const> experiments);

}  // namespace coalescope::tool
