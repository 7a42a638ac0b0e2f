// The order: (1) spans of all that ran, by process and device; (2) the time that they cover together, and the
// width of a bin; (3) the stretches.

#include "reports/analysis/rows/time_line.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <unordered_map>

#include "reports/analysis/rows/spans.h"

namespace coalescope::analysis {
namespace {

using TimeSpans = std::vector<TimeSpan>;

struct DeviceSpans {
  TimeSpans kernels, copies;
};
struct ProcessSpans {
  TimeSpans waits, unlisted, measuring;
};

struct SpansOfAll {
  std::map<std::pair<std::int64_t, std::int64_t>, DeviceSpans> devices;  // by process and device
  std::map<std::int64_t, ProcessSpans> processes;
};

// What began before the recording, or ends before it begins, is damage.
void add_span(TimeSpans& spans, std::int64_t from, std::int64_t to) {
  if (from >= 0 && to > from) spans.emplace_back(from, to);
}

void add_operations(SpansOfAll& all, const TimeLineInput& input) {
  std::vector<DeviceSpans*> of_group;
  for (const auto& group : input.groups)
    of_group.push_back(all.processes.contains(group.process_id.value)
                           ? &all.devices[{group.process_id.value, group.device_id.value}]
                           : nullptr);
  for (const auto& launch : input.launches)
    if (DeviceSpans* device = of_group[static_cast<std::size_t>(launch.group)])
      add_span(device->kernels, launch.start_ns, launch.start_ns + launch.gpu_ns);
  for (const auto& copy : input.transfers)
    if (all.processes.contains(copy.process))
      add_span(all.devices[{copy.process, copy.device}].copies, copy.start_ns, copy.start_ns + copy.gpu_ns);
}

void add_host_spans(SpansOfAll& all, const TimeLineInput& input,
                    const std::unordered_map<std::int64_t, std::int64_t>& ends) {
  const auto spans_of = [&](model::ProcessId id) -> ProcessSpans* {
    const auto found = all.processes.find(id.value);
    return found == all.processes.end() ? nullptr : &found->second;
  };
  for (const auto& wait : input.waits)
    if (auto* spans = spans_of(wait.process_id))
      add_span(spans->waits, wait.start_ns, wait.start_ns + wait.wait_ns);
  for (const auto& gap : input.gaps)
    if (auto* spans = spans_of(gap.process_id))
      add_span(spans->unlisted, gap.began_ns, gap.ended_ns.value_or(ends.at(gap.process_id.value)));
}

using BeginningTimes = std::map<std::int64_t, std::vector<std::int64_t>>;  // by process, in order

BeginningTimes beginning_times(const TimeLineInput& input,
                               std::span<const std::span<const capture::LaunchPlace>> lists) {
  BeginningTimes times;
  for (const auto& launches : lists)
    for (const auto& launch : launches)
      times[input.groups[static_cast<std::size_t>(launch.group)].process_id.value].push_back(launch.start_ns);
  return times;
}

// The host waits for a launch that is measured: it is over when the process's next one, or its next copy,
// begins. Of the last one only the beginning is known. Captures of earlier versions do not tell when such
// launches began: there all of a window was measured.
void add_measuring(SpansOfAll& all, const TimeLineInput& input) {
  BeginningTimes begun = beginning_times(input, std::array{input.launches, input.measured});
  for (const auto& copy : input.transfers) begun[copy.process].push_back(copy.start_ns);
  for (auto& [process, times] : begun) std::ranges::sort(times);
  const BeginningTimes measured = beginning_times(input, std::array{input.measured});
  for (const auto& [process, starts] : measured) {
    const auto spans = all.processes.find(process);
    for (const std::int64_t start_ns : starts) {
      const auto next = std::ranges::upper_bound(begun[process], start_ns);
      if (spans != all.processes.end() && next != begun[process].end())
        add_span(spans->second.measuring, start_ns, *next);
    }
  }
  for (const auto& window : input.windows)
    if (const auto spans = all.processes.find(window.process_id.value);
        spans != all.processes.end() && !measured.contains(window.process_id.value) &&
        window.phase != model::Phase::trace)
      add_span(spans->second.measuring, window.began_ns, window.ended_ns);
}

void unite_all(SpansOfAll& all) {
  for (auto& [key, device] : all.devices) {
    unite(device.kernels);
    unite(device.copies);
  }
  for (auto& [key, process] : all.processes) {
    unite(process.waits);
    unite(process.unlisted);
    unite(process.measuring);
  }
}

TimeSpan extent(const SpansOfAll& all) {
  TimeSpan whole{std::numeric_limits<std::int64_t>::max(), 0};
  const auto include = [&](const TimeSpans& spans) {
    if (spans.empty()) return;
    whole.first = std::min(whole.first, spans.front().first);
    whole.second = std::max(whole.second, spans.back().second);
  };
  for (const auto& [key, device] : all.devices) {
    include(device.kernels);
    include(device.copies);
  }
  for (const auto& [key, process] : all.processes) {
    include(process.waits);
    include(process.unlisted);
    include(process.measuring);
  }
  return whole;
}

// A gap that lasted to the end ends where the process did, or where the last that is known of it did.
std::unordered_map<std::int64_t, std::int64_t> ends_of(const TimeLineInput& input) {
  std::unordered_map<std::int64_t, std::int64_t> ends;
  for (const auto& process : input.processes) ends[process.id.value] = process.ended_ns.value_or(0);
  const auto at_least = [&](std::int64_t process, std::int64_t ns) {
    ends[process] = std::max(ends[process], ns);
  };
  for (const auto& wait : input.waits) at_least(wait.process_id.value, wait.start_ns + wait.wait_ns);
  for (const auto& window : input.windows) at_least(window.process_id.value, window.ended_ns);
  for (const auto& gap : input.gaps) at_least(gap.process_id.value, gap.ended_ns.value_or(gap.began_ns));
  return ends;
}

SpansOfAll spans_of(const TimeLineInput& input) {
  SpansOfAll all;
  for (const auto& process : input.processes)
    if (process.run == 0) all.processes[process.id.value];
  add_operations(all, input);
  add_host_spans(all, input, ends_of(input));
  add_measuring(all, input);
  unite_all(all);
  return all;
}

void take_ranges(TimeLine& line, const TimeLineInput& input) {
  std::unordered_map<std::int64_t, const model::RangeName*> names;
  for (const auto& name : input.range_names) names.emplace(name.id.value, &name);
  std::vector<const model::Range*> ranges;
  for (const auto& range : input.ranges)
    if (names.contains(range.name_id.value) && range.start_ns < line.ended_ns &&
        range.end_ns.value_or(line.ended_ns) > line.began_ns)
      ranges.push_back(&range);
  const auto length = [&](const model::Range* range) {
    return range->end_ns.value_or(line.ended_ns) - range->start_ns;
  };
  std::ranges::stable_sort(ranges, std::greater{}, length);
  if (ranges.size() > kRangesListed) {
    line.ranges_left_out = static_cast<std::int64_t>(ranges.size() - kRangesListed);
    TimeSpans others;
    for (const auto* range : std::span(ranges).subspan(kRangesListed))
      add_span(others, std::max(range->start_ns, line.began_ns), range->start_ns + length(range));
    unite(others);
    line.short_ranges = stretches_of(others, line.began_ns, line.bin_ns);
    ranges.resize(kRangesListed);
  }
  std::ranges::stable_sort(ranges, {}, [](const model::Range* range) { return range->start_ns; });
  for (const auto* range : ranges) {
    const model::RangeName& name = *names.at(range->name_id.value);
    line.ranges.push_back({range->process_id.value, range->thread, range->depth, name.domain, name.name,
                           range->start_ns, range->end_ns});
  }
}

}  // namespace

TimeLine time_line_of(const TimeLineInput& input) {
  const SpansOfAll all = spans_of(input);
  TimeLine line;
  const TimeSpan whole = extent(all);
  if (whole.first >= whole.second) return line;
  line.began_ns = whole.first;
  line.ended_ns = whole.second;
  line.bin_ns = (whole.second - whole.first + kTimeBins - 1) / kTimeBins;
  const auto binned = [&](const TimeSpans& spans) { return stretches_of(spans, line.began_ns, line.bin_ns); };
  for (const auto& [key, device] : all.devices) {
    if (device.kernels.empty() && device.copies.empty()) continue;
    line.devices.push_back({key.first, key.second, binned(device.kernels), binned(device.copies),
                            binned(common(device.kernels, device.copies))});
  }
  for (const auto& [id, process] : all.processes)
    line.processes.push_back(
        {id, binned(process.waits), binned(process.unlisted), binned(process.measuring)});
  take_ranges(line, input);
  return line;
}

OccupiedByProcess occupied_times(const TimeLineInput& input) {
  const SpansOfAll all = spans_of(input);
  OccupiedByProcess times;
  const auto add = [](TimeSpans& to, const TimeSpans& spans) {
    to.insert(to.end(), spans.begin(), spans.end());
  };
  for (const auto& [key, device] : all.devices)
    for (const TimeSpans* spans : {&device.kernels, &device.copies}) add(times[key.first].all, *spans);
  for (const auto& [id, process] : all.processes)
    for (const TimeSpans* spans : {&process.unlisted, &process.measuring}) {
      add(times[id].all, *spans);
      add(times[id].unknown, *spans);
    }
  for (auto& [id, occupied] : times) {
    unite(occupied.all);
    unite(occupied.unknown);
  }
  return times;
}

}  // namespace coalescope::analysis
