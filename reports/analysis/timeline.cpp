// The order, for each process and device: (1) its launches and copies, sorted by their beginnings; (2) one
// walk over them, in which each operation meets the one before it. What overlaps a window of measuring ends
// all that is under way: launches in it have no times of their own.

#include "reports/analysis/timeline.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

namespace coalescope::analysis {
namespace {

using model::Direction;
using model::MemoryKind;

// A longer pause is the program's own doing, not the return from a call.
constexpr std::int64_t kLongestWaitNs = 200'000;
// Copies below this are parameters and results, not the data of a stage.
constexpr std::int64_t kLeastStageBytes = std::int64_t{256} * 1024;
// With more kernels between the copies than these, most of them do not touch what was copied last.
constexpr std::int64_t kMostKernels = 4;
constexpr std::int64_t kLeastRoundTripBytes = std::int64_t{64} * 1024;

enum class Kind : std::uint8_t { kernel, upload, download, other };

struct TimedOperation {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int32_t index = 0;  // of the transfer, or of the launch's group
  Kind kind = Kind::other;
};

Kind kind_of(Direction direction) {
  switch (direction) {
    case Direction::host_to_device:
    case Direction::host_to_array:
      return Kind::upload;
    case Direction::device_to_host:
    case Direction::array_to_host:
      return Kind::download;
    default:
      return Kind::other;
  }
}

MemoryKind host_memory(const capture::TransferPlace& transfer, Kind kind) {
  return kind == Kind::upload ? transfer.source_memory : transfer.destination_memory;
}

// Windows of measuring by their beginnings; they do not overlap within a process.
struct Windows {
  std::vector<std::pair<std::int64_t, std::int64_t>> spans;

  [[nodiscard]] bool overlap(std::int64_t from, std::int64_t to) const {
    auto after = std::ranges::upper_bound(spans, to, {}, &std::pair<std::int64_t, std::int64_t>::first);
    return after != spans.begin() && std::prev(after)->second >= from;
  }
};

// A copy in each direction and the kernels between, so far.
struct Round {
  std::int64_t upload_ns = 0, kernel_ns = 0, download_ns = 0;
  std::int64_t kernels = 0;
  bool pageable = false;
};

// Uploads of one size for one kernel: a round trip only where each followed a download of that size at once.
struct Uploads {
  std::int64_t count = 0, followed = 0;
  std::int64_t bytes = 0, ns = 0;
  std::int32_t from = -1;  // group of the kernel before the first
};

class Walk {
 public:
  Walk(const TimelineInput& input, const Windows& windows) : input_(input), windows_(windows) {}

  void add(const TimedOperation& operation) {
    const bool measured = windows_.overlap(last_end_, operation.start_ns) ||
                          windows_.overlap(operation.start_ns, operation.end_ns);
    if (measured) forget();
    const bool overlaps = operation.start_ns < last_end_;
    add_times(operation);
    if (!measured) add_wait(operation);
    add_round(operation, overlaps);
    add_round_trip(operation);
    if (operation.end_ns >= last_end_) last_ = operation;
    last_end_ = std::max(last_end_, operation.end_ns);
    if (operation.kind == Kind::kernel) kernel_end_ = std::max(kernel_end_, operation.end_ns);
    if (is_copy(operation)) copy_end_ = std::max(copy_end_, operation.end_ns);
  }

  TimelineRow finish() {
    end_round();
    for (const auto& [key, uploads] : uploads_) {
      if (uploads.followed == 0 || uploads.followed < uploads.count) continue;
      if (row_.round_trips == 0) {
        row_.round_trip_from = kernel_name(uploads.from);
        row_.round_trip_to = kernel_name(key.second);
      }
      row_.round_trips += uploads.count;
      row_.round_trip_bytes += uploads.bytes;
      row_.round_trip_ns += uploads.ns;
    }
    return row_;
  }

 private:
  static bool is_copy(const TimedOperation& operation) {
    return operation.kind == Kind::upload || operation.kind == Kind::download;
  }

  [[nodiscard]] const capture::TransferPlace& transfer(const TimedOperation& operation) const {
    return input_.transfers[static_cast<std::size_t>(operation.index)];
  }

  // Its caller went on only when it had ended: a plain call, or any of pageable memory.
  [[nodiscard]] bool waited_for(const TimedOperation& operation) const {
    if (!is_copy(operation)) return false;
    const auto& copy = transfer(operation);
    return !copy.asynchronous || host_memory(copy, operation.kind) == MemoryKind::pageable;
  }

  [[nodiscard]] std::string kernel_name(std::int32_t group) const {
    if (group < 0) return {};
    const auto id = input_.groups[static_cast<std::size_t>(group)].group_id.value;
    const auto row = std::ranges::find(input_.kernels, id, &KernelRow::id);
    return row == input_.kernels.end() ? std::string() : row->name;
  }

  void forget() {
    round_ = {};
    last_ = {};
    waiting_.clear();
    last_kernel_ = -1;
  }

  void add_times(const TimedOperation& operation) {
    row_.busy_ns += std::max<std::int64_t>(0, operation.end_ns - std::max(operation.start_ns, last_end_));
    if (waited_for(operation)) ++row_.synchronous_copies;
    const std::int64_t other = operation.kind == Kind::kernel ? copy_end_
                               : is_copy(operation)           ? kernel_end_
                                                              : 0;
    row_.overlap_ns += std::max<std::int64_t>(0, std::min(operation.end_ns, other) - operation.start_ns);
  }

  void add_wait(const TimedOperation& operation) {
    const std::int64_t gap = operation.start_ns - last_end_;
    if (last_.end_ns == 0 || gap <= 0 || gap > kLongestWaitNs) return;
    if (!waited_for(last_) && !waited_for(operation)) return;
    ++row_.waits;
    row_.wait_ns += gap;
  }

  void end_round() {
    const bool moves = round_.upload_ns + round_.download_ns > 0;
    if (moves && round_.kernels > 0 && round_.kernels <= kMostKernels) {
      ++row_.rounds;
      row_.round_upload_ns += round_.upload_ns;
      row_.round_kernel_ns += round_.kernel_ns;
      row_.round_download_ns += round_.download_ns;
      row_.round_pageable = row_.round_pageable || round_.pageable;
    }
    round_ = {};
  }

  // Upload, kernels, download: an upload after anything else begins the next round. What runs beside another
  // operation is staged already.
  void add_round(const TimedOperation& operation, bool overlaps) {
    const std::int64_t ns = operation.end_ns - operation.start_ns;
    if (overlaps) {
      round_ = {};
      return;
    }
    if (operation.kind == Kind::kernel) {
      if (round_.download_ns > 0) end_round();
      round_.kernel_ns += ns;
      ++round_.kernels;
      return;
    }
    if (!is_copy(operation) || transfer(operation).bytes < kLeastStageBytes) return;
    if (operation.kind == Kind::upload && round_.kernel_ns + round_.download_ns > 0) end_round();
    (operation.kind == Kind::upload ? round_.upload_ns : round_.download_ns) += ns;
    if (host_memory(transfer(operation), operation.kind) == MemoryKind::pageable) round_.pageable = true;
  }

  void add_round_trip(const TimedOperation& operation) {
    if (operation.kind == Kind::kernel) {
      for (const auto& [upload, before] : waiting_) {
        auto& sum = uploads_[{transfer(upload).bytes, operation.index}];
        ++sum.count;
        if (!before || operation.index == last_kernel_) continue;
        if (sum.followed == 0) sum.from = last_kernel_;
        ++sum.followed;
        sum.bytes += transfer(upload).bytes;
        sum.ns += upload.end_ns - upload.start_ns + before->end_ns - before->start_ns;
      }
      waiting_.clear();
      last_kernel_ = operation.index;
      return;
    }
    if (operation.kind != Kind::upload || transfer(operation).bytes < kLeastRoundTripBytes) return;
    const bool same = last_.kind == Kind::download && last_.end_ns > 0 &&
                      transfer(last_).bytes == transfer(operation).bytes;
    waiting_.emplace_back(operation, same ? std::optional(last_) : std::nullopt);
  }

  const TimelineInput& input_;
  const Windows& windows_;
  TimelineRow row_;
  TimedOperation last_;  // the one that ended last
  std::int64_t last_end_ = 0, kernel_end_ = 0, copy_end_ = 0;
  Round round_;
  std::vector<std::pair<TimedOperation, std::optional<TimedOperation>>>
      waiting_;  // uploads before the next kernel
  std::int32_t last_kernel_ = -1;
  std::map<std::pair<std::int64_t, std::int32_t>, Uploads> uploads_;  // by bytes and the next kernel
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
  // A device without copies has nothing to tell here.
  std::vector<Places*> of_group;
  for (const auto& group : input.groups) {
    const auto found = places.find({group.process_id.value, group.device_id.value});
    of_group.push_back(found == places.end() ? nullptr : &found->second);
  }
  for (std::size_t i = 0; i < input.launches.size(); ++i)
    if (auto* list = of_group[static_cast<std::size_t>(input.launches[i].group)])
      list->launches.push_back(static_cast<std::uint32_t>(i));
  return places;
}

template <class Row>
void sort_by_start(std::vector<std::uint32_t>& places, std::span<const Row> rows) {
  const auto earlier = [&](std::uint32_t a, std::uint32_t b) { return rows[a].start_ns < rows[b].start_ns; };
  if (!std::ranges::is_sorted(places, earlier)) std::ranges::sort(places, earlier);
}

TimedOperation operation_of(const capture::LaunchPlace& launch) {
  return {launch.start_ns, launch.start_ns + launch.gpu_ns, launch.group, Kind::kernel};
}

// Both sorted by their beginnings, the earlier one first.
void walk_over(Walk& walk, const TimelineInput& input, const Places& places) {
  auto launch = places.launches.begin();
  const auto add_launches_before = [&](std::int64_t start_ns) {
    for (; launch != places.launches.end() && input.launches[*launch].start_ns < start_ns; ++launch)
      walk.add(operation_of(input.launches[*launch]));
  };
  for (const std::uint32_t at : places.transfers) {
    const auto& transfer = input.transfers[at];
    add_launches_before(transfer.start_ns);
    walk.add({transfer.start_ns, transfer.start_ns + transfer.gpu_ns, static_cast<std::int32_t>(at),
              kind_of(transfer.direction)});
  }
  add_launches_before(std::numeric_limits<std::int64_t>::max());
}

std::unordered_map<std::int64_t, Windows> windows_of(std::span<const model::PhaseWindow> rows) {
  std::unordered_map<std::int64_t, Windows> windows;
  for (const auto& row : rows)
    if (row.phase != model::Phase::trace)
      windows[row.process_id.value].spans.emplace_back(row.began_ns, row.ended_ns);
  for (auto& [process, list] : windows) std::ranges::sort(list.spans);
  return windows;
}

}  // namespace

std::vector<TimelineRow> timelines_of(const TimelineInput& input) {
  auto windows = windows_of(input.windows);
  std::vector<TimelineRow> rows;
  for (auto& [key, places] : places_of(input)) {
    sort_by_start(places.launches, input.launches);
    sort_by_start(places.transfers, input.transfers);
    Walk walk(input, windows[key.first]);
    walk_over(walk, input, places);
    TimelineRow row = walk.finish();
    row.process_id = key.first;
    row.device_id = key.second;
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace coalescope::analysis
