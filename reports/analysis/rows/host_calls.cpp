#include "reports/analysis/rows/host_calls.h"

namespace coalescope::analysis {

HostCalls host_calls(std::span<const model::Synchronization> waits,
                     std::span<const model::Allocation> allocations) {
  HostCalls calls;
  for (const auto& wait : waits)
    calls[wait.process_id.value].emplace_back(wait.start_ns, wait.start_ns + wait.wait_ns);
  for (const auto& each : allocations) {
    auto& of_process = calls[each.process_id.value];
    if (each.call_ns) of_process.emplace_back(each.allocated_ns - *each.call_ns, each.allocated_ns);
    if (each.freed_ns && each.free_call_ns)
      of_process.emplace_back(*each.freed_ns, *each.freed_ns + *each.free_call_ns);
  }
  for (auto& [process, spans] : calls) unite(spans);
  return calls;
}

}  // namespace coalescope::analysis
