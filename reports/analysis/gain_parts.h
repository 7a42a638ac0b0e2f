#pragma once
// What all predictions of costs are written with.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/ratios.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

inline constexpr std::string_view kNotCalibrated = "not calibrated: run 'coalescope calibrate' on this GPU";

inline std::int64_t rounded(double ns) {
  return base::whole(ns);
}

// Over all launches of a kernel; a repair that would lose time saves none.
inline std::int64_t total(double ns_a_launch, const KernelRow& kernel) {
  return rounded(std::max(0.0, ns_a_launch) * static_cast<double>(kernel.launches));
}

inline std::string bytes_text(double bytes) {
  return base::format_bytes(std::round(bytes));
}

}  // namespace coalescope::analysis
