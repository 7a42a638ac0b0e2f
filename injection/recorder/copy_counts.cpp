#include "injection/recorder/copy_counts.h"

#include <algorithm>

namespace coalescope::recorder {
namespace {

using model::Direction;
using model::MemoryKind;

// Of the host's end; of a copy within the device: device.
MemoryKind host_end(const model::Transfer& copy) {
  if (copy.direction == Direction::host_to_device) return copy.source_memory;
  return copy.direction == Direction::device_to_host ? copy.destination_memory : MemoryKind::device;
}

bool is_told_by_calls(const model::Transfer& copy) {
  return copy.direction == Direction::host_to_device || copy.direction == Direction::device_to_host ||
         copy.direction == Direction::device_to_device;
}

}  // namespace

CopyCounts::Counts& CopyCounts::counts_of(const Class& key) {
  const auto [found, is_new] = classes_.try_emplace(key);
  if (!is_new) return found->second;
  const auto& [device, direction, memory, asynchronous, size] = key;
  model::TransferTotal& total = found->second.called;
  total.process_id = model::ProcessId{1};
  total.device_id = device;
  total.direction = direction;
  total.source_memory = direction == Direction::host_to_device ? memory : MemoryKind::device;
  total.destination_memory = direction == Direction::device_to_host ? memory : MemoryKind::device;
  total.asynchronous = asynchronous;
  total.size_class = size;
  total.timed = false;
  return found->second;
}

void CopyCounts::called(const CopyCall& copy, std::uint32_t correlation) {
  if (copy.bytes == 0) return;  // nothing is moved
  MemoryKind memory = MemoryKind::device;
  if (copy.host) memory = host_memory_.holds(*copy.host) ? MemoryKind::pinned : MemoryKind::pageable;
  const auto bytes = static_cast<std::int64_t>(copy.bytes);
  const std::lock_guard lock(mutex_);
  if (ended_) return;
  last_call_ = std::max(last_call_, correlation);
  model::TransferTotal& total =
      counts_of({copy.device, copy.direction, memory, copy.asynchronous, model::size_class(bytes)}).called;
  total.smallest_bytes = total.transfers == 0 ? bytes : std::min(total.smallest_bytes, bytes);
  total.largest_bytes = std::max(total.largest_bytes, bytes);
  total.bytes += bytes;
  ++total.transfers;
}

void CopyCounts::give_up() {
  const std::lock_guard lock(mutex_);
  gave_up_ = true;
  ended_ = records_come_;
}

void CopyCounts::records_stop() {
  const std::lock_guard lock(mutex_);
  records_stopped_ = true;
  records_come_ = false;
}

void CopyCounts::records_come() {
  const std::lock_guard lock(mutex_);
  records_come_ = true;
  ended_ = gave_up_;
}

void CopyCounts::recorded(const model::Transfer& copy, std::uint32_t correlation) {
  if (copy.graph_id || !is_told_by_calls(copy)) return;
  const std::lock_guard lock(mutex_);
  if (ended_ && correlation > last_call_) return;  // its call was not counted
  Counts& counts = counts_of(
      {copy.device_id, copy.direction, host_end(copy), copy.asynchronous, model::size_class(copy.bytes)});
  ++counts.recorded;
  counts.recorded_bytes += copy.bytes;
}

bool CopyCounts::can_count() const {
  const std::lock_guard lock(mutex_);
  return !gave_up_ && std::ranges::all_of(classes_, [](const auto& each) {
    const Counts& counts = each.second;
    return counts.recorded > 0 && counts.recorded <= counts.called.transfers;
  });
}

std::vector<model::TransferTotal> CopyCounts::without_record() const {
  std::vector<model::TransferTotal> totals;
  const std::lock_guard lock(mutex_);
  if (!records_stopped_) return totals;
  for (const auto& [key, counts] : classes_) {
    model::TransferTotal total = counts.called;
    total.transfers = std::max<std::int64_t>(0, total.transfers - counts.recorded);
    total.bytes = total.transfers == 0 ? 0 : std::max<std::int64_t>(0, total.bytes - counts.recorded_bytes);
    totals.push_back(total);
  }
  return totals;
}

}  // namespace coalescope::recorder
