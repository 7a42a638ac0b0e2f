#include "reports/analysis/rows/host_calls.h"

#include <algorithm>

#include "core/base/whole.h"

namespace coalescope::analysis {
namespace {

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
  for (const auto& total : totals)
    if (is_plain(total.kind))
      base::add_to(of_processes[total.process_id.value].plain_unlisted_ns, total.wait_ns);
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
