// When kernels, copies and waits ran. The chart needs script; the sums beside it do not.
#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/view/device_names.h"
#include "reports/analysis/view/shown.h"
#include "reports/html/sections.h"
#include "reports/html/time_data.h"
#include "reports/html/values.h"

namespace coalescope::html {
namespace {

using analysis::BusyStretch;
using analysis::Report;

std::int64_t busy_ns(const std::vector<BusyStretch>& stretches) {
  std::int64_t sum = 0;
  for (const BusyStretch& stretch : stretches) sum += stretch.busy_ns;
  return sum;
}

std::string device_sums(const Report& report, const analysis::DeviceStretches& device,
                        const analysis::DeviceNames& names) {
  const std::int64_t at_once_ns = busy_ns(device.at_once);
  std::string text =
      fmt::format("{}: kernels ran for {}, copies for {}{}",
                  analysis::upper_first(analysis::device_name(names, device.device_id)),
                  base::format_ns(busy_ns(device.kernels)), base::format_ns(busy_ns(device.copies)),
                  at_once_ns > 0 ? ", both at once for " + base::format_ns(at_once_ns) : "");
  const auto process = std::ranges::find(report.time_line.processes, device.process_id,
                                         &analysis::ProcessStretches::process_id);
  if (process == report.time_line.processes.end()) return text + ".";
  text += fmt::format("; the host waited for {}", base::format_ns(busy_ns(process->waits)));
  if (!process->unlisted.empty())
    text += fmt::format("; for {} launches and copies were not listed, and are missing in these sums",
                        base::format_ns(busy_ns(process->unlisted)));
  if (!process->measuring.empty())
    text += fmt::format("; for {} launches were being measured and were not timed",
                        base::format_ns(busy_ns(process->measuring)));
  return text + ".";
}

// What the sums leave out, where that is much: launches that were counted and not listed.
constexpr double kNearlyAll = 0.9;

std::string listed_text(const Report& report) {
  std::int64_t listed_ns = 0;
  for (const auto& device : report.time_line.devices) listed_ns += busy_ns(device.kernels);
  const std::int64_t all_ns = report.totals.kernel_ns;  // with those of tools, which are drawn
  if (static_cast<double>(listed_ns) >= kNearlyAll * static_cast<double>(all_ns)) return {};
  return fmt::format("Only launches that were listed are drawn: {} of the {} of GPU time in all kernels.",
                     base::format_ns(listed_ns), base::format_ns(all_ns));
}

}  // namespace

Html time_line_section(const Report& report) {
  const auto& line = report.time_line;
  if (line.devices.empty() || !report.calibration.empty()) return {};
  Html content = chart(
      "timeline", "Kernels, copies and waits over time",
      "The height of a bar is the busy share of the time that it covers. Hatched: more may have run than is "
      "drawn. "
      "Drag, or press the arrow keys, to pan; to zoom, press + or -, pinch, or click and turn the wheel.");
  Html sums;
  const auto names = analysis::device_names(report);
  const std::size_t shown = std::min(kDevicesDrawn, line.devices.size());
  for (std::size_t at = 0; at < shown; ++at)
    sums << element("li", unbroken(device_sums(report, line.devices[at], names)));
  if (const std::string listed = listed_text(report); !listed.empty())
    sums << element("li", unbroken(listed));
  content << element("ul", {{"class", "sums"}}, sums);
  if (line.devices.size() > shown)
    content << element(
        "p", {{"class", "more"}},
        fmt::format("{} more devices are not drawn; coalescope report FILE --json lists all of them.",
                    line.devices.size() - shown));
  return section("time-line", "Time line", content);
}

}  // namespace coalescope::html
