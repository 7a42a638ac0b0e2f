#include "reports/analysis/rows/host_calls.h"

#include <algorithm>

#include "core/base/whole.h"

namespace coalescope::analysis {
namespace {

// Operations of one stream follow each other within this, also where one is a copy.
constexpr std::int64_t kLongestQueueGapNs = 20'000;
// From the end of a wait until the GPU begins what the host queues then. Rounds that had been queued
// before began up to 6 us after the end of another wait (the jury's `sawmill`, H200).
constexpr std::int64_t kSoonestNs = 6'000;
// Where more than a tenth of the waits is not listed, any of them may lie between.
constexpr std::int64_t kFewUnlisted = 10;

using model::SynchronizationKind;

// Events are also waited for to read times.
bool is_plain(SynchronizationKind kind) {
  return kind == SynchronizationKind::stream || kind == SynchronizationKind::context;
}

void add_wait(const model::Synchronization& wait, CallsOfHost& calls) {
  const TimeSpan span{wait.start_ns, wait.start_ns + wait.wait_ns};
  if (is_plain(wait.kind))
    calls.plain_waits.push_back({span.first, span.second,
                                 wait.call_site_id ? std::optional(wait.call_site_id->value) : std::nullopt});
  else
    calls.others.push_back(span);
}

void add_allocation(const model::Allocation& allocation, CallsOfHost& calls) {
  if (allocation.call_ns)
    calls.others.emplace_back(allocation.allocated_ns - *allocation.call_ns, allocation.allocated_ns);
  if (allocation.freed_ns && allocation.free_call_ns)
    calls.others.emplace_back(*allocation.freed_ns, *allocation.freed_ns + *allocation.free_call_ns);
}

}  // namespace

HostCalls host_calls(std::span<const model::Synchronization> waits,
                     std::span<const model::SynchronizationTotal> totals,
                     std::span<const model::Allocation> allocations) {
  HostCalls of_processes;
  for (const auto& wait : waits) add_wait(wait, of_processes[wait.process_id.value]);
  for (const auto& total : totals) {
    CallsOfHost& calls = of_processes[total.process_id.value];
    base::add_to(calls.unlisted, std::max<std::int64_t>(0, total.calls - total.listed));
    if (is_plain(total.kind)) base::add_to(calls.plain_unlisted_ns, total.wait_ns);
  }
  for (const auto& each : allocations) add_allocation(each, of_processes[each.process_id.value]);
  for (auto& [process, calls] : of_processes) {
    std::ranges::sort(calls.plain_waits, {}, &PlainWait::ended_ns);
    calls.all = calls.others;
    for (const PlainWait& wait : calls.plain_waits) {
      calls.all.emplace_back(wait.began_ns, wait.ended_ns);
      calls.plain_unlisted_ns =
          std::max<std::int64_t>(0, calls.plain_unlisted_ns - wait.ended_ns + wait.began_ns);
    }
    unite(calls.all);
    unite(calls.others);
  }
  return of_processes;
}

bool was_queued(const CallsOfHost& calls, std::int64_t ended_ns, std::int64_t start_ns) {
  if (calls.unlisted * kFewUnlisted > std::ssize(calls.all) || start_ns - ended_ns > kLongestQueueGapNs)
    return false;
  const auto ended = std::ranges::lower_bound(calls.all, ended_ns, {}, &TimeSpan::second);
  return ended == calls.all.end() || ended->second + kSoonestNs > start_ns;
}

std::set<std::int64_t> read_by_others(std::span<const model::Process> processes,
                                      std::span<const capture::GroupView> groups,
                                      std::span<const model::GroupPointer> pointers) {
  using model::MemoryKind;
  std::set<std::int64_t> of_host, read;
  for (const auto& pointer : pointers)
    if (is_host_memory(pointer.memory) || pointer.memory == MemoryKind::managed)
      of_host.insert(pointer.group_id.value);
  for (const auto& group : groups)
    if (of_host.contains(group.group_id.value)) read.insert(group.process_id.value);
  for (const auto& process : processes)
    if (process.rank) read.insert(process.id.value);
  return read;
}

}  // namespace coalescope::analysis
