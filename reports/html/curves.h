#pragma once
// The pictures of a calibration: which rows belong into one chart, and what its axes say.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/calibration.h"

namespace coalescope::html {

struct PicturePoint {
  std::string series;  // of a bar: its name
  double x = 0;        // of a bar: 0
  double y = 0;
  std::optional<double> spread;    // interquartile range of y
  std::optional<double> expected;  // by the closed form
};

// Points over a parameter, or bars beside each other.
struct Picture {
  std::string id;  // "curve-A3", then "curve-A3-2"
  std::string family;
  std::string title;
  std::string x;  // what the abscissa counts; of bars: empty
  std::string unit;
  std::vector<PicturePoint> points;  // two at least
};

// The rows of one family; in the order in which its quantities come.
[[nodiscard]] std::vector<Picture> pictures_of(std::string_view family,
                                               std::span<const model::Calibration> rows);

}  // namespace coalescope::html
