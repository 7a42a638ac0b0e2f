#include "reports/analysis/rows/copy_surroundings.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/whole.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rows/copy_classes.h"
#include "reports/analysis/rows/spans.h"
#include "reports/analysis/rows/transfer_rows.h"

namespace coalescope::analysis {
namespace {

// What recording takes of a copy, found in two programs (docs/jury.md, T02).
constexpr std::int64_t kRecordedCopyNs = 2'400;

// When a device's kernels ran, when these or copies to the device did, and when any operation did.
struct DeviceTimes {
  std::vector<TimeSpan> kernels, beside_downloads, all;
};

std::map<std::int64_t, DeviceTimes> times_of(std::span<const capture::TransferPlace> copies,
                                             const capture::LaunchPlaces& launches,
                                             std::span<const capture::GroupView> groups) {
  std::map<std::int64_t, DeviceTimes> devices;
  for (const auto& launch : launches.launches) {
    DeviceTimes& times = devices[groups[static_cast<std::size_t>(launch.group)].device_id.value];
    times.kernels.emplace_back(launch.start_ns, launch.start_ns + launch.gpu_ns);
    times.beside_downloads.push_back(times.kernels.back());
    times.all.push_back(times.kernels.back());
  }
  for (const auto& copy : copies) {
    DeviceTimes& times = devices[copy.device];
    times.all.emplace_back(copy.start_ns, copy.start_ns + copy.gpu_ns);
    if (copy.direction == model::Direction::host_to_device)
      times.beside_downloads.push_back(times.all.back());
  }
  for (auto& [device, times] : devices) {
    unite(times.kernels);
    unite(times.beside_downloads);
    unite(times.all);
  }
  return devices;
}

// Of a process, in which kernels are launched.
using Streams = std::set<std::pair<std::int64_t, std::int32_t>>;

Streams streams_of(const capture::LaunchPlaces& launches, std::span<const capture::GroupView> groups) {
  Streams streams;
  for (std::size_t i = 0; i < launches.streams.size(); ++i)
    streams.emplace(groups[static_cast<std::size_t>(launches.launches[i].group)].process_id.value,
                    launches.streams[i]);
  return streams;
}

// Whether some of the spans hold the copy from its beginning to its end.
bool are_all_along(std::span<const TimeSpan> spans, const capture::TransferPlace& copy) {
  const auto next = std::ranges::upper_bound(spans, copy.start_ns, {}, &TimeSpan::first);
  return next != spans.begin() && std::prev(next)->second >= copy.start_ns + copy.gpu_ns;
}

// Since anything ran; nullopt: nothing ran before.
std::optional<std::int64_t> idle_before(std::span<const TimeSpan> spans, const capture::TransferPlace& copy) {
  const auto own = std::ranges::lower_bound(spans, copy.start_ns, {}, &TimeSpan::first);
  if (own == spans.begin()) return std::nullopt;
  return std::max<std::int64_t>(0, copy.start_ns - std::prev(own)->second);
}

bool is_any_within(std::span<const TimeSpan> spans, std::int64_t from, std::int64_t to) {
  const auto first = std::ranges::lower_bound(spans, from, {}, &TimeSpan::first);
  return first != spans.end() && first->first < to;
}

std::int64_t time_within(std::span<const TimeSpan> spans, std::int64_t from, std::int64_t to) {
  std::int64_t sum = 0;
  for (auto next = std::ranges::upper_bound(spans, from, {}, &TimeSpan::second);
       next != spans.end() && next->first < to; ++next)
    sum += std::min(next->second, to) - std::max(next->first, from);
  return sum;
}

struct Surroundings {
  std::int64_t copies = 0, beside_others = 0, in_a_row = 0;
  std::int64_t copy_ns = 0, beside_kernels_ns = 0;
  std::int64_t last_start_ns = std::numeric_limits<std::int64_t>::min();
  std::vector<std::int64_t> idle_before_ns, idle_in_a_row_ns;
};

std::optional<std::int64_t> take_median(std::vector<std::int64_t>& list) {
  if (list.empty()) return std::nullopt;
  const auto middle = list.begin() + std::ssize(list) / 2;
  std::ranges::nth_element(list, middle);
  return *middle;
}

// Without the twentieth that is longest, such as pauses in which the recorder measured.
std::optional<std::int64_t> usual_mean(std::vector<std::int64_t>& list) {
  if (list.empty()) return std::nullopt;
  std::ranges::sort(list);
  const auto usual = std::span(list).first(list.size() - list.size() / 20);
  std::int64_t sum = 0;
  for (const std::int64_t each : usual) base::add_to(sum, each);
  return sum / std::ssize(usual);
}

}  // namespace

void take_surroundings(std::span<TransferRow> rows, std::span<const capture::TransferPlace> copies,
                       const capture::LaunchPlaces& launches, std::span<const capture::GroupView> groups) {
  auto devices = times_of(copies, launches, groups);
  const Streams streams = streams_of(launches, groups);
  const CopyClasses classes(rows);
  std::vector<Surroundings> all(rows.size());
  // By process, stream and direction.
  std::map<std::tuple<std::int64_t, std::int32_t, model::Direction>, std::int64_t> last_ones;
  std::vector<const capture::TransferPlace*> in_order;
  for (const auto& copy : copies) in_order.push_back(&copy);
  std::ranges::stable_sort(in_order, {}, &capture::TransferPlace::start_ns);
  for (const auto* each : in_order) {
    const capture::TransferPlace& copy = *each;
    const auto place = classes.of(copy);
    if (!place) continue;
    Surroundings& of = all[*place];
    const DeviceTimes& times = devices[copy.device];
    // Uploads in a stream of their own are for kernels, which wait for them; results are not.
    const bool down = copy.direction == model::Direction::device_to_host;
    const bool aside = down && !streams.contains({copy.process, copy.stream}) &&
                       is_any_within(times.kernels, of.last_start_ns, copy.start_ns);
    ++of.copies;
    if (aside || are_all_along(down ? times.beside_downloads : times.kernels, copy)) ++of.beside_others;
    of.last_start_ns = copy.start_ns;
    base::add_to(of.copy_ns, copy.gpu_ns);
    base::add_to(of.beside_kernels_ns,
                 time_within(times.kernels, copy.start_ns, copy.start_ns + copy.gpu_ns));
    const auto idle_ns = idle_before(times.all, copy);
    if (idle_ns) of.idle_before_ns.push_back(*idle_ns);
    const auto [last, is_first] =
        last_ones.try_emplace({copy.process, copy.stream, copy.direction}, copy.start_ns);
    if (!is_first && !is_any_within(times.kernels, last->second, copy.start_ns)) {
      ++of.in_a_row;
      of.idle_in_a_row_ns.push_back(std::max<std::int64_t>(0, idle_ns.value_or(0) - kRecordedCopyNs));
    }
    last->second = copy.start_ns;
  }
  for (std::size_t place = 0; place < rows.size(); ++place) {
    Surroundings& of = all[place];
    TransferRow& row = rows[place];
    row.idle_before_ns = usual_mean(of.idle_before_ns);
    row.idle_in_a_row_ns = take_median(of.idle_in_a_row_ns);
    if (of.copies == 0) continue;
    row.in_a_row = real(of.in_a_row) / real(of.copies);
    row.beside_others = real(of.beside_others) / real(of.copies);
    if (of.copy_ns > 0) row.time_beside_kernels = real(of.beside_kernels_ns) / real(of.copy_ns);
  }
}

}  // namespace coalescope::analysis
