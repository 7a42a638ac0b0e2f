#pragma once
// How to measure what a capture lacks.

#include <optional>
#include <span>
#include <string>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

// "coalescope record --rerun -k transpose -- ./app": the command that measures what these kernels lack;
// nullopt: they lack nothing, or no option of the recorder helps. `only_them` leaves other kernels alone.
[[nodiscard]] std::optional<std::string> measure_more(const Report& report,
                                                      std::span<const KernelRow* const> kernels,
                                                      bool only_them);

}  // namespace coalescope::analysis
