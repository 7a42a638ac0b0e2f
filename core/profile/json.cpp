#include "core/profile/json.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace coalescope::profile {
namespace {

using base::ErrorCode;
using base::failure;
using Json = nlohmann::ordered_json;

template <class T>
void put(Json& object, const char* key, const std::optional<T>& value) {
  if (value) object[key] = *value;
}

template <class T>
std::optional<T> get(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? std::nullopt : std::optional(found->get<T>());
}

Json json_of(const Figure& figure) {
  Json object = {{"value", figure.value}, {"unit", figure.unit}};
  put(object, "spread", figure.spread);
  return object;
}

// A point is [x, y] or [x, y, spread].
Json json_of(const Point& point) {
  Json values = {point.x, point.y};
  if (point.spread) values.push_back(*point.spread);
  return values;
}

Json json_of(const Curve& curve) {
  Json points = Json::array();
  for (const Point& point : curve.points) points.push_back(json_of(point));
  return {{"unit", curve.unit},
          {"abscissa", curve.abscissa},
          {"logarithmic", curve.logarithmic},
          {"points", points}};
}

Point point_of(const Json& values) {
  Point point{values.at(0).get<double>(), values.at(1).get<double>(), {}};
  if (values.size() > 2) point.spread = values.at(2).get<double>();
  return point;
}

Curve curve_of(const Json& object) {
  Curve curve{object.at("unit").get<std::string>(),
              object.at("abscissa").get<std::string>(),
              object.value("logarithmic", false),
              {}};
  for (const Json& values : object.at("points")) curve.points.push_back(point_of(values));
  std::ranges::sort(curve.points, {}, &Point::x);
  return curve;
}

MachineProfile profile_of(const Json& object) {
  MachineProfile profile;
  profile.gpu_uuid = object.value("gpu_uuid", "");
  profile.gpu_name = object.at("gpu_name").get<std::string>();
  profile.driver_version = get<std::int64_t>(object, "driver_version");
  profile.cupti_version = get<std::int64_t>(object, "cupti_version");
  profile.tool_version = object.value("tool_version", "");
  profile.recorded_unix_ns = object.value("recorded_unix_ns", std::int64_t{0});
  profile.provenance = object.value("provenance", "");
  for (const auto& [name, figure] : object.at("figures").items())
    profile.figures[name] = {figure.at("value").get<double>(), figure.at("unit").get<std::string>(),
                             get<double>(figure, "spread")};
  for (const auto& [name, curve] : object.at("curves").items())
    if (Curve read = curve_of(curve); !read.points.empty()) profile.curves[name] = std::move(read);
  return profile;
}

}  // namespace

std::string to_json(const MachineProfile& profile) {
  Json object = {{"coalescope_profile", kProfileVersion},
                 {"gpu_uuid", profile.gpu_uuid},
                 {"gpu_name", profile.gpu_name}};
  put(object, "driver_version", profile.driver_version);
  put(object, "cupti_version", profile.cupti_version);
  object["tool_version"] = profile.tool_version;
  object["recorded_unix_ns"] = profile.recorded_unix_ns;
  object["provenance"] = profile.provenance;
  object["figures"] = Json::object();
  for (const auto& [name, figure] : profile.figures) object["figures"][name] = json_of(figure);
  object["curves"] = Json::object();
  for (const auto& [name, curve] : profile.curves) object["curves"][name] = json_of(curve);
  return object.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

base::Result<MachineProfile> from_json(std::string_view text, std::string_view name) {
  const Json object = Json::parse(text, nullptr, false);
  const auto remedy = "delete it, or run 'coalescope calibrate' again, which replaces it";
  if (object.is_discarded() || !object.is_object() || !object.contains("coalescope_profile"))
    return failure(ErrorCode::damaged, fmt::format("'{}' is not a machine profile", name), remedy);
  try {
    if (const int version = object.at("coalescope_profile").get<int>(); version > kProfileVersion)
      return failure(ErrorCode::newer_schema,
                     fmt::format("the machine profile '{}' is of version {}, newer than this build's {}",
                                 name, version, kProfileVersion),
                     remedy);
    return profile_of(object);
  } catch (const Json::exception& error) {
    return failure(ErrorCode::damaged,
                   fmt::format("the machine profile '{}' is damaged: {}", name, error.what()), remedy);
  }
}

}  // namespace coalescope::profile
