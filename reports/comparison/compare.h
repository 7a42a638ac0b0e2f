#pragma once
// From two Reports to a Comparison: the one way in, for every format and for the gate.

#include "reports/analysis/report.h"
#include "reports/comparison/comparison.h"

namespace coalescope::comparison {

// Below this share of the kernels' GPU time, what was compared says nothing of the rest.
inline constexpr double kLeastCoverage = 0.5;

// As analyse() made them, before any view was chosen.
[[nodiscard]] Comparison compare(const analysis::Report& before, const analysis::Report& after);

// Of the GPU time of the program's kernels, the share of those whose bytes were measured; nullopt: no kernel
// has a time.
[[nodiscard]] std::optional<double> measured_share(const analysis::Report& report);

}  // namespace coalescope::comparison
