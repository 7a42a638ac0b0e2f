#pragma once
// A program for the tests of timelines: what it does one after the other, and what was recorded of it.

#include <cstdint>
#include <optional>
#include <vector>

#include "reports/analysis/rows/timeline.h"

namespace coalescope::analysis::test {

inline constexpr std::int64_t kMiB = 1 << 20;

// Operations one after the other, each 100 us long, `gap` after the one before.
class Program {
 public:
  Program() {
    for (const std::int64_t id : {1, 2}) {
      capture::GroupView group;
      group.group_id = {id};
      group.process_id = {1};
      group.device_id = {1};
      groups_.push_back(group);
      KernelRow row;
      row.id = id;
      row.name = id == 1 ? "first" : "second";
      row.median_gpu_ns = kLength;
      kernels_.push_back(row);
    }
  }

  Program& kernel(std::int32_t group, std::int64_t gap = kPause) {
    launches_.push_back({now_ += gap, kLength, group - 1});
    streams_.push_back(stream_);
    now_ += kLength;
    return *this;
  }
  Program& copy(model::Direction direction, bool asynchronous, std::int64_t bytes = 4 * kMiB,
                std::int64_t gap = kPause) {
    capture::TransferPlace transfer;
    transfer.process = 1;
    transfer.device = 1;
    transfer.direction = direction;
    transfer.source_memory =
        direction == model::Direction::host_to_device ? model::MemoryKind::pinned : model::MemoryKind::device;
    transfer.destination_memory =
        direction == model::Direction::host_to_device ? model::MemoryKind::device : model::MemoryKind::pinned;
    transfer.bytes = bytes;
    transfer.asynchronous = asynchronous;
    transfer.stream = stream_;
    transfer.start_ns = now_ += gap;
    transfer.gpu_ns = kLength;
    transfers_.push_back(transfer);
    now_ += kLength;
    return *this;
  }
  Program& up(bool asynchronous = true) { return copy(model::Direction::host_to_device, asynchronous); }
  Program& down(bool asynchronous = true) { return copy(model::Direction::device_to_host, asynchronous); }
  Program& pass(std::int64_t ns) {
    now_ += ns;
    return *this;
  }
  Program& beside() {  // the next begins in the middle of this one
    now_ -= kLength / 2;
    return *this;
  }
  Program& in_stream(std::int32_t stream) {
    stream_ = stream;
    return *this;
  }
  // Upload, kernel and download, each in two halves of which one runs beside the next step of the other.
  Program& staged_round() {
    in_stream(1).up().beside().in_stream(2).up().beside().in_stream(1).kernel(1).beside();
    return in_stream(2)
        .kernel(1)
        .beside()
        .in_stream(1)
        .down()
        .beside()
        .in_stream(2)
        .down()
        .beside()
        .in_stream(0);
  }
  // The launch is measured: it has no time, and takes as long as others.
  Program& measured_kernel() {
    measured(now_, now_ + 10 * kLength);
    measured_at(now_ + kLength);
    now_ += 11 * kLength;
    return *this;
  }
  Program& measured(std::int64_t from, std::int64_t to) {
    model::PhaseWindow window;
    window.process_id = {1};
    window.phase = model::Phase::bytes;
    window.began_ns = from;
    window.ended_ns = to;
    windows_.push_back(window);
    return *this;
  }

  // A launch in the window at that time; it needs a kernel before.
  Program& measured_at(std::int64_t time) {
    measured_.push_back({time, 0, 0});
    return *this;
  }

  Program& not_listed(std::int64_t from, std::optional<std::int64_t> to) {
    gaps_.push_back({1, {1}, from, to});
    return *this;
  }

  // What the report says of such copies: the program waits for each.
  Program& waits_for(model::Direction direction, std::int64_t transfers, std::int64_t bytes = 4 * kMiB) {
    TransferRow row;
    row.device_id = 1;
    row.direction = direction;
    row.source_memory = model::MemoryKind::device;
    row.destination_memory = model::MemoryKind::pinned;
    row.asynchronous = row.waited_for = true;
    row.smallest_bytes = row.largest_bytes = bytes;
    row.transfers = transfers;
    classes_.push_back(row);
    return *this;
  }

  // A call of the host's.
  Program& waited(std::int64_t from, std::int64_t to) {
    model::Synchronization wait;
    wait.process_id = {1};
    wait.kind = model::SynchronizationKind::stream;
    wait.start_ns = from;
    wait.wait_ns = to - from;
    wait.call_site_id = model::CallSiteId{5};
    waits_.push_back(wait);
    return *this;
  }

  // All calls that waited for a stream together.
  Program& waited_in_all(std::int64_t ns) {
    wait_totals_.push_back({.process_id = {1}, .kind = model::SynchronizationKind::stream, .wait_ns = ns});
    return *this;
  }

  // The second kernel stores to memory of the host.
  Program& uses_host_memory() {
    model::GroupPointer& pointer = pointers_.emplace_back();
    pointer.group_id = {2};
    pointer.memory = model::MemoryKind::pinned;
    return *this;
  }
  // One rank of several.
  Program& has_rank() {
    model::Process process;
    process.id = {1};
    process.rank = 3;
    processes_.push_back(process);
    return *this;
  }

  // In all launches of a kernel, and what recording them took.
  Program& launched(std::int64_t times, std::int64_t recorder_ns, std::int64_t measuring_ns) {
    kernels_.front().launches = times;
    model::Process process;
    process.recorder_cost_ns = recorder_ns;
    process.measuring_cost_ns = measuring_ns;
    processes_.push_back(process);
    return *this;
  }

  // The streams of the launches so far, in turn.
  Program& in_streams(std::int32_t streams) {
    streams_.clear();
    for (std::size_t at = 0; at < launches_.size(); ++at)
      streams_.push_back(static_cast<std::int32_t>(at) % streams);
    return *this;
  }

  [[nodiscard]] TimelineRow row() const {
    const auto rows = timelines_of({groups_, launches_, measured_, transfers_, windows_, gaps_, kernels_,
                                    classes_, processes_, host_calls(waits_, wait_totals_, {}),
                                    read_by_others(processes_, groups_, pointers_), streams_});
    return rows.empty() ? TimelineRow{} : rows.front();
  }
  [[nodiscard]] std::int64_t now() const { return now_; }

  static constexpr std::int64_t kLength = 100'000, kPause = 2'000;

 private:
  std::int64_t now_ = 1'000'000;
  std::int32_t stream_ = 0;
  std::vector<std::int32_t> streams_;
  std::vector<capture::GroupView> groups_;
  std::vector<KernelRow> kernels_;
  std::vector<capture::LaunchPlace> launches_, measured_;
  std::vector<capture::TransferPlace> transfers_;
  std::vector<model::PhaseWindow> windows_;
  std::vector<model::TraceGap> gaps_;
  std::vector<TransferRow> classes_;
  std::vector<model::Process> processes_;
  std::vector<model::Synchronization> waits_;
  std::vector<model::SynchronizationTotal> wait_totals_;
  std::vector<model::GroupPointer> pointers_;
};

}  // namespace coalescope::analysis::test
