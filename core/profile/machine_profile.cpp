#include "core/profile/machine_profile.h"

#include <algorithm>
#include <cmath>

namespace coalescope::profile {
namespace {

// Where x lies between two points, as seen on the curve's axis: 0 at the left one, 1 at the right one.
double part_way(const Curve& curve, double left, double right, double x) {
  if (!curve.logarithmic || left <= 0) return (x - left) / (right - left);
  return std::log(x / left) / std::log(right / left);
}

}  // namespace

std::optional<FoundFigure> find_figure(std::span<const MachineProfile> profiles, std::string_view name) {
  for (const MachineProfile& profile : profiles)
    if (const auto found = profile.figures.find(name); found != profile.figures.end())
      return FoundFigure{found->second.value, found->second.unit, &profile};
  return std::nullopt;
}

std::optional<FoundCurve> find_curve(std::span<const MachineProfile> profiles, std::string_view name) {
  for (const MachineProfile& profile : profiles)
    if (const auto found = profile.curves.find(name); found != profile.curves.end())
      return FoundCurve{&found->second, &profile};
  return std::nullopt;
}

std::optional<double> value_at(const Curve& curve, double x) {
  const auto right = std::ranges::lower_bound(curve.points, x, {}, &Point::x);
  if (right == curve.points.end()) return std::nullopt;
  if (right->x == x) return right->y;
  if (right == curve.points.begin()) return std::nullopt;
  const Point& left = *(right - 1);
  return std::lerp(left.y, right->y, part_way(curve, left.x, right->x, x));
}

std::optional<double> value_near(const Curve& curve, double x) {
  if (curve.points.empty()) return std::nullopt;
  return value_at(curve, std::clamp(x, curve.points.front().x, curve.points.back().x));
}

std::string origin_words(const MachineProfile& profile) {
  if (profile.origin == Origin::shipped) return "measured on another " + profile.gpu_name;
  return "calibrated on this machine";
}

}  // namespace coalescope::profile
