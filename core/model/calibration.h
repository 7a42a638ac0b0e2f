#pragma once
// What `calibrate` compared and measured.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/model/enums.h"
#include "core/model/ids.h"

namespace coalescope::model {

// The interquartile range of a figure is a row of its own, named like the figure's quantity with this behind
// it.
inline constexpr std::string_view kSpreadSuffix = "_spread";

// One quantity of one case. A count has an expected value and a verdict; a point of a curve has an abscissa
// and the verdict `measured`.
struct Calibration {
  std::int64_t id = 0;
  std::string family;    // "A3"
  std::string case_id;   // "offset_copy/3"
  std::string quantity;  // a metric's key, or "bandwidth_gb_s"
  std::string unit;
  std::optional<double> abscissa;  // offset in words, stride in words, transfer size in bytes
  std::optional<double> expected;  // the closed form
  std::optional<double> measured;  // NULL: not measured, and `note` says why
  Verdict verdict = Verdict::measured;
  std::optional<std::string> note;
};

}  // namespace coalescope::model
