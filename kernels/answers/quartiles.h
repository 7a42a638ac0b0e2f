#pragma once
// What repeated times are reduced to: the median stands for them, the distance of the quartiles for how far
// they lie apart.

#include <vector>

namespace coalescope::kernels {

struct Quartiles {
  double low = 0, median = 0, high = 0;
};

// Of at least one value; between two neighbours the share of the way.
[[nodiscard]] Quartiles quartiles(std::vector<double> values);

}  // namespace coalescope::kernels
