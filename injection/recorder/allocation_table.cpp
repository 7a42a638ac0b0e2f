#include "injection/recorder/allocation_table.h"

#include <utility>

namespace coalescope::recorder {
namespace {

constexpr std::int64_t kMostRows = 250'000;

}  // namespace

void AllocationTable::allocated(const model::Allocation& row) {
  if (const auto found = live_.find(row.address); found != live_.end()) {
    if (!found->second.written) ended_.push_back(found->second.row);
    live_.erase(found);
  }
  if (last_id_ >= kMostRows) {
    ++dropped_;
    return;
  }
  Live& live = live_[row.address];
  live.row = row;
  live.row.id = ++last_id_;
  live.row.process_id = model::ProcessId{1};
  unwritten_.push_back(row.address);
}

void AllocationTable::freed(std::int64_t address, std::int64_t time_ns) {
  const auto found = live_.find(address);
  if (found == live_.end()) return;
  found->second.row.freed_ns = time_ns;
  being_freed_[{address, time_ns}] = {found->second.row, false};
  live_.erase(found);
}

void AllocationTable::free_returned(std::int64_t address, std::int64_t freed_ns, const FreeCall& call) {
  const auto found = being_freed_.find({address, freed_ns});
  if (found == being_freed_.end()) return;
  found->second.row.free_call_ns = call.ns;
  found->second.row.free_call_site_id = call.site;
  ended_.push_back(found->second.row);
  being_freed_.erase(found);
}

std::optional<model::AllocationId> AllocationTable::at(std::int64_t address) const {
  const auto found = live_.find(address);
  return found == live_.end() ? std::nullopt : std::optional(model::AllocationId{found->second.row.id});
}

AllocationTable::Changed AllocationTable::take_changed() {
  Changed changed{std::exchange(ended_, {}), std::exchange(dropped_, 0)};
  for (const std::int64_t address : std::exchange(unwritten_, {})) {
    const auto found = live_.find(address);
    if (found == live_.end() || found->second.written) continue;
    found->second.written = true;
    changed.rows.push_back(found->second.row);
  }
  // Seldom more than one a thread.
  for (auto& [place, row] : being_freed_)
    if (!std::exchange(row.written, true)) changed.rows.push_back(row.row);
  return changed;
}

}  // namespace coalescope::recorder
