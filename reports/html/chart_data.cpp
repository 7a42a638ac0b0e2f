#include "reports/html/chart_data.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

#include "reports/html/curves.h"
#include "reports/html/escape.h"
#include "reports/html/time_data.h"
#include "reports/html/values.h"
#include "reports/html/words.h"

namespace coalescope::html {
namespace {

using analysis::Report;
using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json kernels(const Report& report) {
  Json rows = Json::array();
  for (const auto& kernel : report.kernels) {
    if (rows.size() == kKernelsCharted) break;
    if (!kernel.gpu_ns || (!kernel.load.degree && !kernel.store.degree)) continue;
    rows.push_back({{"name", kernel.name},
                    {"anchor", kernel_anchor(kernel.id)},
                    {"gpu_ns", *kernel.gpu_ns},
                    {"launches", kernel.launches},
                    {"load", or_null(kernel.load.degree)},
                    {"store", or_null(kernel.store.degree)}});
  }
  return {{"in_all", report.kernels.size()}, {"rows", rows}};
}

std::string series_to_device(model::MemoryKind memory) {
  return fmt::format("{} to device", words(memory));
}
std::string series_to_host(model::MemoryKind memory) {
  return fmt::format("device to {}", words(memory));
}

// Between host and device alone: the memory at the host's end decides the speed and names the series.
std::optional<std::string> series(const analysis::TransferRow& row) {
  if (row.direction == model::Direction::host_to_device) return series_to_device(row.source_memory);
  if (row.direction == model::Direction::device_to_host) return series_to_host(row.destination_memory);
  return std::nullopt;
}

// Of the first device that has any: those of a machine are mostly alike.
Json copy_curves(const Report& report) {
  Json curves = Json::array();
  const auto device =
      std::ranges::find_if(report.devices, [](const auto& each) { return !each.copy_curves.empty(); });
  if (device == report.devices.end()) return curves;
  for (const auto& curve : device->copy_curves) {
    Json points = Json::array();
    for (const auto& point : curve.points)
      points.push_back({{"bytes", point.bytes}, {"bandwidth", point.bandwidth}});
    const bool up = curve.direction == model::Direction::host_to_device;
    curves.push_back(
        {{"series", up ? series_to_device(curve.host_memory) : series_to_host(curve.host_memory)},
         {"points", points}});
  }
  return curves;
}

Json transfers(const Report& report) {
  Json rows = Json::array();
  std::size_t in_all = 0;
  for (const auto& row : report.transfers) {
    const auto name = series(row);
    if (!name || !row.bandwidth || row.bytes <= 0 || row.transfers <= 0) continue;
    if (++in_all > kTransfersCharted) continue;
    rows.push_back({{"series", *name},
                    {"asynchronous", row.asynchronous},
                    {"bytes", row.bytes / row.transfers},
                    {"transfers", row.transfers},
                    {"bandwidth", *row.bandwidth},
                    {"reference", or_null(row.reference_bandwidth)}});
  }
  return {{"in_all", in_all}, {"rows", rows}, {"curves", copy_curves(report)}};
}

Json curves(const Report& report) {
  std::map<std::string, std::vector<model::Calibration>> families;
  for (const auto& row : report.calibration) families[row.family].push_back(row);
  Json all = Json::object();
  for (const auto& [family, rows] : families)
    for (const Picture& picture : pictures_of(family, rows)) {
      Json points = Json::array();
      for (const PicturePoint& point : picture.points) {
        Json values = {{"series", point.series}, {"x", point.x}, {"y", point.y}};
        if (point.spread) values["spread"] = *point.spread;
        if (point.expected) values["expected"] = *point.expected;
        points.push_back(std::move(values));
      }
      all[picture.id] = {{"x", picture.x}, {"y", picture.title}, {"unit", picture.unit}, {"rows", points}};
    }
  return all;
}

}  // namespace

std::string chart_data(const Report& report) {
  Json data = {{"kernels", kernels(report)},
               {"transfers", transfers(report)},
               {"timeline", Json::parse(time_line_data(report))},
               {"memory", Json::parse(memory_data(report))},
               {"curves", curves(report)}};
  return escape_json(data.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace coalescope::html
