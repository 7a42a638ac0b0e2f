#include "injection/recorder/wait_log.h"

#include <utility>

#include "injection/recorder/part_file.h"

namespace coalescope::recorder {
namespace {

// A call that returns sooner costs the host no more than two launches, and hides no work that could overlap.
constexpr std::int64_t kLeastWaitNs = 10'000;

}  // namespace

bool WaitLog::is_listed(std::int64_t wait_ns) {
  return wait_ns >= kLeastWaitNs;
}

void WaitLog::add(const model::Synchronization& wait) {
  const std::lock_guard lock(mutex_);
  model::SynchronizationTotal& total = totals_[wait.kind];
  total.process_id = model::ProcessId{1};
  total.kind = wait.kind;
  ++total.calls;
  total.wait_ns += wait.wait_ns;
  changed_ = true;
  if (!is_listed(wait.wait_ns)) return;
  if (listed_ >= most_listed_) {
    ++dropped_;
    return;
  }
  ++total.listed;
  model::Synchronization& row = rows_.emplace_back(wait);
  row.id = ++listed_;
  row.process_id = model::ProcessId{1};
}

void WaitLog::write(PartFile& file, Diagnostics& diagnostics) {
  std::unique_lock lock(mutex_);
  if (!std::exchange(changed_, false)) return;
  const auto totals = totals_;
  const auto rows = std::exchange(rows_, {});
  const auto dropped = std::exchange(dropped_, 0);
  lock.unlock();
  for (const auto& row : rows) file.add(row);
  for (const auto& [kind, total] : totals) file.put(total);
  if (dropped > 0) diagnostics.add(model::diagnostic_kind("synchronization", "waits_dropped"), dropped);
}

}  // namespace coalescope::recorder
