#include "kernels/answers/quartiles.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace coalescope::kernels {
namespace {

double at(const std::vector<double>& sorted, double share) {
  const double position = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - std::floor(position));
}

}  // namespace

Quartiles quartiles(std::vector<double> values) {
  std::ranges::sort(values);
  return {at(values, 0.25), at(values, 0.5), at(values, 0.75)};
}

}  // namespace coalescope::kernels
