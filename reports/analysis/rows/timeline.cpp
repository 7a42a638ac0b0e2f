// The order, for each process and device: (1) its launches and copies, sorted by their beginnings; (2) one
// walk over them, in which each operation meets the one before it. Where launches were measured all that is
// under way ends: they have no times of their own.

#include "reports/analysis/rows/timeline.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

#include "core/base/whole.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rows/disturbed_times.h"
#include "reports/analysis/rows/plain_wait_gaps.h"
#include "reports/analysis/rows/recording_cost.h"
#include "reports/analysis/rows/round_trips.h"
#include "reports/analysis/rows/rounds.h"
#include "reports/analysis/rows/spans.h"
#include "reports/analysis/rows/transfer_rows.h"

namespace coalescope::analysis {
namespace {

using model::Direction;
using model::MemoryKind;

// A longer pause is the program's own doing, not the return from a call, whatever the GPU. Where such pauses
// come again and again, before uploads it is what the host does for them, and behind downloads with them.
constexpr std::int64_t kLongestWaitNs = 200'000;
// With more operations between two such moments, these are of different stretches.
constexpr std::int64_t kMostBetweenWaits = 64;
constexpr std::int64_t kLeastDataBytes = std::int64_t{64} * 1024;  // fewer are a few values

struct TimedOperation {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int32_t index = 0;  // of the transfer, or of the launch's group
  std::int32_t stream = 0;
  Step kind = Step::other;
};

Step kind_of(Direction direction) {
  switch (direction) {
    case Direction::host_to_device:
    case Direction::host_to_array:
      return Step::upload;
    case Direction::device_to_host:
    case Direction::array_to_host:
      return Step::download;
    default:
      return Step::other;
  }
}

MemoryKind host_memory(const capture::TransferPlace& transfer, Step kind) {
  return kind == Step::upload ? transfer.source_memory : transfer.destination_memory;
}

// Classes whose copies alone do not tell that the program waited for each.
std::vector<const TransferRow*> followed_by_waits(std::span<const TransferRow> classes) {
  std::vector<const TransferRow*> found;
  for (const TransferRow& row : classes)
    if (const auto memory = host_memory(row);
        memory && row.waited_for && !is_waited_for(row.asynchronous, *memory))
      found.push_back(&row);
  return found;
}

bool is_of(const capture::TransferPlace& copy, const TransferRow& row) {
  return copy.asynchronous == row.asynchronous && copy.direction == row.direction &&
         copy.device == row.device_id && copy.source_memory == row.source_memory &&
         copy.destination_memory == row.destination_memory && copy.bytes >= row.smallest_bytes &&
         copy.bytes <= row.largest_bytes;
}

class Walk {
 public:
  Walk(const TimelineInput& input, std::span<const TimeSpan> disturbed, const CallsOfHost& host_calls,
       std::int64_t launch_extra_ns)
      : input_(input),
        disturbed_(disturbed),
        host_calls_(host_calls),
        plain_waits_(host_calls, launch_extra_ns),
        followed_by_waits_(followed_by_waits(input.classes)) {
    row_.launch_extra_ns = launch_extra_ns;
  }

  void add(const TimedOperation& operation) {
    const bool measured = any_between(disturbed_, last_end_, operation.start_ns) ||
                          any_between(disturbed_, operation.start_ns, operation.end_ns);
    if (measured) forget();
    add_times(operation);
    if (!measured) add_wait(operation);
    if (!measured) add_launch_gap(operation);
    plain_waits_.add({operation.start_ns, last_.end_ns == 0 ? 0 : last_end_, download_end_,
                      operation.kind == Step::kernel},
                     measured);
    add_step(operation);
    add_round_trip(operation, measured);
    if (operation.end_ns >= last_end_) last_ = operation;
    last_end_ = std::max(last_end_, operation.end_ns);
    if (operation.kind == Step::kernel) kernel_end_ = std::max(kernel_end_, operation.end_ns);
    if (is_copy(operation)) copy_end_ = std::max(copy_end_, operation.end_ns);
    if (operation.kind == Step::download) download_end_ = std::max(download_end_, operation.end_ns);
  }

  TimelineRow finish(std::span<const MeasuredLaunch> measured) {
    take_long_pauses();
    plain_waits_.take_into(row_);
    const auto rounds = rounds_.sum(measured);
    row_.rounds = rounds.rounds;
    row_.all_rounds = rounds.all;
    row_.round_upload_ns = rounds.upload_ns;
    row_.round_kernel_ns = rounds.kernel_ns;
    row_.round_download_ns = rounds.download_ns;
    row_.round_busy_ns = rounds.busy_ns;
    row_.round_idle_ns = rounds.idle_ns;
    row_.rounds_queued = rounds.queued;
    row_.round_streams = rounds.several_streams;
    row_.round_kernel_apart = kernel_name(rounds.kernel_apart);
    row_.round_pageable = rounds.pageable;
    row_.rounds_began_ns = rounds.began_ns;
    row_.rounds_ended_ns = rounds.ended_ns;
    const auto trips = trips_.sum();
    if (trips.trips == 0) return row_;
    row_.round_trips = trips.trips;
    row_.round_trip_bytes = trips.bytes;
    row_.round_trip_bytes_back = trips.bytes_back;
    row_.round_trip_ns = trips.ns;
    row_.round_trip_from = kernel_name(trips.from);
    row_.round_trip_to = kernel_name(trips.to);
    // The same copies; that they go there at all is said first.
    if (2 * trips.trips >= row_.rounds)
      row_.rounds = row_.round_upload_ns = row_.round_kernel_ns = row_.round_download_ns =
          row_.round_busy_ns = 0;
    if (2 * trips.trips >= row_.preparations) row_.preparations = row_.preparation_ns = 0;
    return row_;
  }

 private:
  // Each up to twice the median.
  static std::int64_t sum_of_pauses(std::vector<std::int64_t>& pauses_ns) {
    if (pauses_ns.empty()) return 0;
    const auto middle = pauses_ns.begin() + std::ssize(pauses_ns) / 2;
    std::ranges::nth_element(pauses_ns, middle);
    const std::int64_t most_ns = 2 * *middle;
    std::int64_t sum = 0;
    for (const std::int64_t ns : pauses_ns) base::add_to(sum, std::min(ns, most_ns));
    return sum;
  }

  void take_long_pauses() {
    row_.preparations = std::ssize(preparations_ns_);
    row_.preparation_ns = sum_of_pauses(preparations_ns_);
    row_.evaluations = std::ssize(evaluations_ns_);
    row_.evaluation_ns = sum_of_pauses(evaluations_ns_);
  }

  static bool is_copy(const TimedOperation& operation) {
    return operation.kind == Step::upload || operation.kind == Step::download;
  }

  [[nodiscard]] const capture::TransferPlace& transfer(const TimedOperation& operation) const {
    return input_.transfers[static_cast<std::size_t>(operation.index)];
  }

  [[nodiscard]] bool keeps_host(const TimedOperation& operation) const {
    return is_copy(operation) &&
           is_waited_for(transfer(operation).asynchronous, host_memory(transfer(operation), operation.kind));
  }

  [[nodiscard]] bool waited_for(const TimedOperation& operation) const {
    if (!is_copy(operation)) return false;
    const auto& copy = transfer(operation);
    return keeps_host(operation) ||
           std::ranges::any_of(followed_by_waits_, [&](const TransferRow* row) { return is_of(copy, *row); });
  }

  [[nodiscard]] std::string kernel_name(std::int32_t group) const {
    if (group < 0) return {};
    const auto id = input_.groups[static_cast<std::size_t>(group)].group_id.value;
    const auto row = std::ranges::find(input_.kernels, id, &KernelRow::id);
    return row == input_.kernels.end() ? std::string() : row->name;
  }

  void forget() {
    rounds_.forget();
    last_ = {};
    trips_.forget();
  }

  void add_times(const TimedOperation& operation) {
    const auto busy = std::max<std::int64_t>(0, operation.end_ns - std::max(operation.start_ns, last_end_));
    row_.busy_ns += busy;
    busy_since_wait_ += busy;
    ++since_wait_;
    if (waited_for(operation)) ++row_.synchronous_copies;
    const std::int64_t other = operation.kind == Step::kernel ? copy_end_
                               : is_copy(operation)           ? kernel_end_
                                                              : 0;
    row_.overlap_ns += std::max<std::int64_t>(0, std::min(operation.end_ns, other) - operation.start_ns);
  }

  void add_wait(const TimedOperation& operation) {
    const std::int64_t gap = operation.start_ns - last_end_;
    if (last_.end_ns == 0 || gap <= 0) return;
    if (gap > kLongestWaitNs) {
      if (is_preparation(operation)) preparations_ns_.push_back(gap);
      if (is_evaluation(operation)) evaluations_ns_.push_back(gap);
      return;
    }
    if (!waited_for(last_) && !waited_for(operation)) return;
    ++row_.waits;
    row_.wait_ns += gap;
    if (since_wait_ <= kMostBetweenWaits) row_.wait_busy_ns += busy_since_wait_;
    busy_since_wait_ = since_wait_ = 0;
  }

  void add_launch_gap(const TimedOperation& operation) {
    const std::int64_t gap = operation.start_ns - last_end_;
    if (operation.kind != Step::kernel || last_.end_ns == 0 || gap <= 0 || gap > kLongestLaunchNs) return;
    if (waited_for(last_) || any_between(host_calls_.all, last_end_, operation.start_ns)) return;
    ++row_.launch_gaps;
    row_.launch_gap_ns += gap;
  }

  // While a model is set up, one upload follows the other. After a download the host has the result before it
  // goes on, whether or not a wait was recorded; an upload of the same size is a round trip.
  [[nodiscard]] bool is_preparation(const TimedOperation& operation) const {
    if (operation.kind != Step::upload) return false;
    if (last_.kind == Step::download) return transfer(last_).bytes != transfer(operation).bytes;
    return last_.kind == Step::kernel && waited_for(operation);
  }

  // A few values are read to be shown or compared, and the pause is for something else.
  [[nodiscard]] bool is_evaluation(const TimedOperation& operation) const {
    return operation.kind == Step::kernel && last_.kind == Step::download && waited_for(last_) &&
           transfer(last_).bytes >= kLeastDataBytes;
  }

  void add_step(const TimedOperation& operation) {
    RoundStep step{.start_ns = operation.start_ns,
                   .end_ns = operation.end_ns,
                   .stream = operation.stream,
                   .step = operation.kind,
                   .queued = last_.end_ns != 0 && !keeps_host(last_) &&
                             was_queued(host_calls_, last_end_, operation.start_ns)};
    if (operation.kind == Step::kernel) step.kernel = operation.index;
    if (is_copy(operation)) {
      step.bytes = transfer(operation).bytes;
      step.pageable = host_memory(transfer(operation), operation.kind) == MemoryKind::pageable;
    }
    rounds_.add(step);
  }

  void add_round_trip(const TimedOperation& operation, bool measured) {
    const std::int64_t ns = operation.end_ns - operation.start_ns;
    const std::int64_t pause_ns = measured ? 0 : std::max<std::int64_t>(0, operation.start_ns - last_end_);
    if (operation.kind == Step::kernel) return trips_.add_kernel(operation.index, pause_ns);
    if (!is_copy(operation)) return trips_.add_other();
    const std::int64_t bytes = transfer(operation).bytes;
    if (operation.kind == Step::upload) return trips_.add_upload(bytes, ns, pause_ns, measured);
    if (bytes < kLeastDataBytes) return trips_.add_other();
    trips_.add_download(bytes, ns, pause_ns);
  }

  const TimelineInput& input_;
  std::span<const TimeSpan> disturbed_;
  const CallsOfHost& host_calls_;
  PlainWaitGaps plain_waits_;
  std::vector<const TransferRow*> followed_by_waits_;
  TimelineRow row_;
  TimedOperation last_;  // the one that ended last
  std::int64_t last_end_ = 0, kernel_end_ = 0, copy_end_ = 0, download_end_ = 0;
  std::int64_t busy_since_wait_ = 0, since_wait_ = 0;  // time and number of operations
  std::vector<std::int64_t> preparations_ns_, evaluations_ns_;
  Rounds rounds_;
  RoundTrips trips_;
};

using ProcessDevice = std::pair<std::int64_t, std::int64_t>;

// Where the launches and transfers of a process on a device stand in the input. Numbers, not copies: there
// may be a million.
struct Places {
  std::vector<std::uint32_t> launches, transfers;
};

std::map<ProcessDevice, Places> places_of(const TimelineInput& input) {
  std::map<ProcessDevice, Places> places;
  for (std::size_t i = 0; i < input.transfers.size(); ++i)
    places[{input.transfers[i].process, input.transfers[i].device}].transfers.push_back(
        static_cast<std::uint32_t>(i));
  std::vector<Places*> of_group;
  for (const auto& group : input.groups)
    of_group.push_back(&places[{group.process_id.value, group.device_id.value}]);
  for (std::size_t i = 0; i < input.launches.size(); ++i)
    of_group[static_cast<std::size_t>(input.launches[i].group)]->launches.push_back(
        static_cast<std::uint32_t>(i));
  std::erase_if(
      places, [](const auto& each) { return each.second.launches.empty() && each.second.transfers.empty(); });
  return places;
}

template <class Row>
void sort_by_start(std::vector<std::uint32_t>& places, std::span<const Row> rows) {
  const auto earlier = [&](std::uint32_t a, std::uint32_t b) { return rows[a].start_ns < rows[b].start_ns; };
  if (!std::ranges::is_sorted(places, earlier)) std::ranges::sort(places, earlier);
}

TimedOperation operation_of(const TimelineInput& input, std::uint32_t at) {
  const auto& launch = input.launches[at];
  const std::int32_t stream = at < input.streams.size() ? input.streams[at] : 0;
  return {launch.start_ns, launch.start_ns + launch.gpu_ns, launch.group, stream, Step::kernel};
}

// Both sorted by their beginnings, the earlier one first.
void walk_over(Walk& walk, const TimelineInput& input, const Places& places) {
  auto launch = places.launches.begin();
  const auto add_launches_before = [&](std::int64_t start_ns) {
    for (; launch != places.launches.end() && input.launches[*launch].start_ns < start_ns; ++launch)
      walk.add(operation_of(input, *launch));
  };
  for (const std::uint32_t at : places.transfers) {
    const auto& transfer = input.transfers[at];
    add_launches_before(transfer.start_ns);
    walk.add({transfer.start_ns, transfer.start_ns + transfer.gpu_ns, static_cast<std::int32_t>(at),
              transfer.stream, kind_of(transfer.direction)});
  }
  add_launches_before(std::numeric_limits<std::int64_t>::max());
}

using ProcessLaunches = std::map<ProcessDevice, std::vector<MeasuredLaunch>>;

// Launches that were measured, in the order of time, with what their kernels take otherwise.
ProcessLaunches usual_times(const TimelineInput& input) {
  std::unordered_map<std::int64_t, std::int64_t> usual;
  for (const auto& row : input.kernels) usual.emplace(row.id, row.median_gpu_ns.value_or(0));
  ProcessLaunches launches;
  for (const auto& launch : input.measured) {
    const auto& group = input.groups[static_cast<std::size_t>(launch.group)];
    const auto ns = usual.find(group.group_id.value);
    launches[{group.process_id.value, group.device_id.value}].push_back(
        {launch.start_ns, ns == usual.end() ? 0 : ns->second});
  }
  for (auto& [key, list] : launches) std::ranges::sort(list, {}, &MeasuredLaunch::at_ns);
  return launches;
}

// Several threads launch in streams of their own. What one of them waits for before a launch is not what the
// GPU waits for, and recording keeps them from each other in ways that no figure tells.
constexpr double kNearlyAllLaunches = 0.9;

bool is_of_one_stream(const Places& places, std::span<const std::int32_t> streams) {
  if (streams.empty()) return true;
  std::map<std::int32_t, std::int64_t> launches;
  for (const std::uint32_t at : places.launches) ++launches[streams[at]];
  const auto most = std::ranges::max_element(launches, {}, [](const auto& each) { return each.second; });
  return most == launches.end() ||
         real(most->second) >= kNearlyAllLaunches * real(std::ssize(places.launches));
}

}  // namespace

std::vector<TimelineRow> timelines_of(const TimelineInput& input) {
  auto disturbed = disturbed_times(input.groups, input.measured, input.windows, input.gaps);
  auto measured = usual_times(input);
  const auto launches = std::max<std::int64_t>(1, all_launches(input.kernels));
  const auto extra_ns = recorded_launch_ns(input.processes, input.kernels);
  const auto listed = std::ssize(input.launches) + std::ssize(input.measured);
  const double for_each_listed =
      std::max(1.0, static_cast<double>(launches) / static_cast<double>(std::max<std::int64_t>(1, listed)));
  std::vector<TimelineRow> rows;
  for (auto& [key, places] : places_of(input)) {
    sort_by_start(places.launches, input.launches);
    sort_by_start(places.transfers, input.transfers);
    static const CallsOfHost kNone;
    const auto calls = input.host_calls.find(key.first);
    Walk walk(input, disturbed[key.first], calls == input.host_calls.end() ? kNone : calls->second, extra_ns);
    walk_over(walk, input, places);
    TimelineRow row = walk.finish(measured[key]);
    row.process_id = key.first;
    row.device_id = key.second;
    row.copies = std::ssize(places.transfers);
    if (input.read_by_others.contains(key.first))
      row.plain_waits = row.plain_wait_idle_ns = row.plain_wait_gap_ns = 0;
    if (!is_of_one_stream(places, input.streams)) row.launch_gaps = row.launch_gap_ns = 0;
    row.launches_for_each_listed = for_each_listed;
    std::int64_t transfers = 0;
    for (const TransferRow& of : input.classes) {
      if (of.device_id != row.device_id) continue;
      base::add_to(transfers, of.transfers);
      if (of.waited_for) row.all_synchronous_copies += of.transfers;
    }
    row.copies_for_each_listed = std::max(1.0, real(transfers) / std::max(1.0, real(row.copies)));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace coalescope::analysis
