#include "injection/recorder/program_log.h"

#include <utility>

#include "injection/recorder/part_file.h"

namespace coalescope::recorder {
namespace {

// Allocations, pointers and settings between two visits of the writer thread. What is said of an allocation
// when it ends is not among them: of each that is listed there are two such events at most.
constexpr std::size_t kMostEvents = 131'072;
constexpr std::int64_t kMostSettings =
    250'000;  // of each kind; some programs set an L2 window before each launch
constexpr std::size_t kMostLaunchL2Windows = 4096;
// A loop that allocates 100,000 times must neither fill the disk nor wait for us: after so many, those below
// 1 MiB are counted only.
constexpr std::int64_t kMostSmallListed = 50'000;
constexpr std::int64_t kLargeBytes = 1 << 20;

bool is_shared_with_host(model::AllocationKind kind) {
  using Kind = model::AllocationKind;
  return kind == Kind::pinned || kind == Kind::registered || kind == Kind::managed;
}

}  // namespace

bool ProgramLog::has_room() {
  if (limited_events_ < kMostEvents) {
    ++limited_events_;
    return true;
  }
  ++dropped_;
  return false;
}

void ProgramLog::push(const Event& event) {
  const std::lock_guard lock(mutex_);
  if (has_room()) events_.push_back(event);
}

void ProgramLog::allocated(const model::Allocation& allocation) {
  if (is_shared_with_host(allocation.kind))
    host_memory_.add(static_cast<std::uint64_t>(allocation.address),
                     static_cast<std::uint64_t>(allocation.bytes));
  const bool small = allocation.bytes < kLargeBytes;
  const std::lock_guard lock(mutex_);
  if (small && small_listed_ >= kMostSmallListed) {
    ++small_dropped_;
    return;
  }
  if (!has_room()) return;
  if (small) ++small_listed_;
  listed_.insert(allocation.address);
  events_.emplace_back(allocation);
}

bool ProgramLog::freed(std::uint64_t address, std::int64_t time_ns) {
  const Freed event{static_cast<std::int64_t>(address), time_ns};
  host_memory_.remove(address);
  const std::lock_guard lock(mutex_);
  if (listed_.erase(event.address) == 0) return false;
  // Never dropped: each belongs to an allocation that was listed, and those are bounded.
  events_.emplace_back(event);
  return true;
}

void ProgramLog::free_returned(std::uint64_t address, std::int64_t freed_ns, const FreeCall& call) {
  const std::lock_guard lock(mutex_);
  events_.emplace_back(FreeReturned{{static_cast<std::int64_t>(address), freed_ns}, call});
}

void ProgramLog::add(const model::L2Window& l2_window) {
  if (l2_window.target == model::L2WindowTarget::launch && l2_window.group_id) {
    const std::lock_guard lock(mutex_);
    const bool is_new = launch_l2_windows_.size() < kMostLaunchL2Windows &&
                        launch_l2_windows_
                            .emplace(l2_window.group_id->value, l2_window.address, l2_window.bytes,
                                     l2_window.hit_ratio, static_cast<std::int64_t>(l2_window.hit_property),
                                     static_cast<std::int64_t>(l2_window.miss_property))
                            .second;
    if (!is_new) return;
  }
  push(l2_window);
}

void ProgramLog::write_ranges(PartFile& file, Diagnostics& diagnostics, std::int64_t started_unix_ns,
                              bool last) {
  auto taken = NvtxRanges::instance().take(started_unix_ns, last);
  for (const model::RangeName& name : taken.names) file.add(name);
  for (model::Range& range : taken.ranges) {
    range.id = ++last_range_;
    file.add(range);
  }
  if (taken.dropped > 0) diagnostics.add(model::diagnostic_kind("nvtx", "ranges_dropped"), taken.dropped);
}

template <class Row>
void ProgramLog::write_setting(PartFile& file, Row& row, std::int64_t& last) {
  if (last >= kMostSettings) {
    ++settings_dropped_;
    return;
  }
  row.id = ++last;
  row.process_id = model::ProcessId{1};
  file.add(row);
}

void ProgramLog::write(PartFile& file, Diagnostics& diagnostics, std::int64_t started_unix_ns, bool last) {
  std::vector<Event> events;
  std::int64_t dropped = 0;
  std::int64_t small_dropped = 0;
  {
    const std::lock_guard lock(mutex_);
    events.swap(events_);
    limited_events_ = 0;
    dropped = std::exchange(dropped_, 0);
    small_dropped = std::exchange(small_dropped_, 0);
  }
  struct Write {
    ProgramLog& log;
    PartFile& file;
    void operator()(const model::Allocation& row) const { log.allocations_.allocated(row); }
    void operator()(const Freed& event) const { log.allocations_.freed(event.address, event.time_ns); }
    void operator()(const FreeReturned& event) const {
      log.allocations_.free_returned(event.freed.address, event.freed.time_ns, event.call);
    }
    void operator()(model::GroupPointer& row) const {
      if (row.range_address) row.allocation_id = log.allocations_.at(*row.range_address);
      file.put(row);
    }
    void operator()(model::L2Window& row) const { log.write_setting(file, row, log.last_l2_window_); }
    void operator()(model::L2Setting& row) const { log.write_setting(file, row, log.last_setting_); }
  };
  for (Event& event : events) std::visit(Write{*this, file}, event);
  const auto changed = allocations_.take_changed();
  for (const model::Allocation& row : changed.rows) file.put(row);
  if (changed.dropped + small_dropped > 0)
    diagnostics.add(model::diagnostic_kind("memory", "allocations_dropped"), changed.dropped + small_dropped);
  if (const std::int64_t settings_dropped = std::exchange(settings_dropped_, 0); settings_dropped > 0)
    diagnostics.add(model::diagnostic_kind("l2", "settings_dropped"), settings_dropped);
  if (dropped > 0) diagnostics.add(model::diagnostic_kind("memory", "events_dropped"), dropped);
  write_ranges(file, diagnostics, started_unix_ns, last);
}

}  // namespace coalescope::recorder
