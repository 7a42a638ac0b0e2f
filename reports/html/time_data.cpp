// Stretches travel as three numbers each: the pause before it and its length, in units of a millionth of the
// time line, and its busy nanoseconds, or 0 where it is busy throughout.
#include "reports/html/time_data.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

#include "reports/analysis/view/device_names.h"
#include "reports/analysis/view/shown.h"
#include "reports/html/escape.h"

namespace coalescope::html {
namespace {

using analysis::BusyStretch;
using analysis::Report;
using analysis::TimeLine;
using TimeJson = nlohmann::ordered_json;

constexpr std::int64_t kUnitsOfALine = 1'000'000;

std::int64_t unit_ns(const TimeLine& line) {
  return std::max<std::int64_t>(1, (line.ended_ns - line.began_ns) / kUnitsOfALine);
}

TimeJson packed(const std::vector<BusyStretch>& stretches, const TimeLine& line) {
  const std::int64_t unit = unit_ns(line);
  TimeJson numbers = TimeJson::array();
  std::int64_t at = 0;
  for (const BusyStretch& stretch : stretches) {
    const std::int64_t began = std::max(at, (stretch.began_ns - line.began_ns) / unit);
    const std::int64_t ended = std::max(began + 1, (stretch.ended_ns - line.began_ns) / unit);
    const bool full = stretch.busy_ns == stretch.ended_ns - stretch.began_ns && stretch.busy_ns >= unit;
    numbers.push_back(began - at);
    numbers.push_back(ended - began);
    numbers.push_back(full ? 0 : stretch.busy_ns);
    at = ended;
  }
  return numbers;
}

TimeJson bands(const TimeLine& line) {
  const std::int64_t unit = unit_ns(line);
  std::map<std::string, std::size_t> places;
  TimeJson names = TimeJson::array(), rows = TimeJson::array();
  for (const auto& band : line.ranges) {
    const std::string name = (band.domain ? *band.domain + ": " : std::string()) + band.name;
    const auto [place, is_new] = places.try_emplace(name, places.size());
    if (is_new) names.push_back(visible(name));
    const std::int64_t began = std::max(band.began_ns, line.began_ns);
    const std::int64_t ended = std::min(band.ended_ns.value_or(line.ended_ns), line.ended_ns);
    rows.push_back({place->second, (began - line.began_ns) / unit, (ended - began) / unit});
  }
  return {{"names", names},
          {"short", packed(line.short_ranges, line)},
          {"rows", rows},
          {"in_all", static_cast<std::int64_t>(line.ranges.size()) + line.ranges_left_out}};
}

std::string text_of_json(const TimeJson& data) {
  return data.dump(-1, ' ', false, TimeJson::error_handler_t::replace);
}

// "device memory of GPU 0", "pinned memory of the host".
std::string memory_name(const analysis::MemoryCourse& course, const analysis::DeviceNames& devices) {
  return analysis::spoken(name_of(course.kind)) + " memory of " +
         (course.device_id ? analysis::device_name(devices, *course.device_id) : "the host");
}

}  // namespace

std::string time_line_data(const Report& report) {
  const TimeLine& line = report.time_line;
  const auto names = analysis::device_names(report);
  TimeJson rows = TimeJson::array();
  for (const auto& device : line.devices) {
    if (rows.size() == kDevicesDrawn) break;
    rows.push_back({{"name", visible(analysis::device_name(names, device.device_id))},
                    {"process", device.process_id},
                    {"kernels", packed(device.kernels, line)},
                    {"copies", packed(device.copies, line)},
                    {"both", packed(device.at_once, line)}});
  }
  TimeJson processes = TimeJson::object();
  for (const auto& process : line.processes) {
    if (processes.size() == kDevicesDrawn) break;
    processes[std::to_string(process.process_id)] = {{"waits", packed(process.waits, line)},
                                                     {"unlisted", packed(process.unlisted, line)},
                                                     {"measuring", packed(process.measuring, line)}};
  }
  const TimeJson data = {{"began_ns", line.began_ns}, {"ended_ns", line.ended_ns},
                         {"unit_ns", unit_ns(line)},  {"in_all", line.devices.size()},
                         {"rows", std::move(rows)},   {"processes", std::move(processes)},
                         {"ranges", bands(line)}};
  return text_of_json(data);
}

std::string memory_data(const Report& report) {
  std::vector<std::pair<std::int64_t, const analysis::MemoryCourse*>> most;
  for (const auto& course : report.program.memory) {
    const auto highest = std::ranges::max_element(course.steps, {}, &analysis::LiveBytes::bytes);
    if (highest != course.steps.end()) most.emplace_back(highest->bytes, &course);
  }
  std::ranges::stable_sort(most, std::greater{}, [](const auto& each) { return each.first; });
  if (most.size() > kMemoriesDrawn) most.resize(kMemoriesDrawn);
  const auto devices = analysis::device_names(report);
  TimeJson rows = TimeJson::array();
  for (const auto& [bytes, course] : most) {
    TimeJson steps = TimeJson::array();
    for (const auto& step : course->steps) {
      steps.push_back(step.at_ns);
      steps.push_back(step.bytes);
    }
    rows.push_back({{"name", memory_name(*course, devices)}, {"steps", std::move(steps)}});
  }
  const TimeJson data = {{"in_all", report.program.memory.size()},
                         {"ended_ns", report.totals.wall_ns.value_or(0)},
                         {"rows", rows}};
  return text_of_json(data);
}

}  // namespace coalescope::html
