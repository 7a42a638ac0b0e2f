#include "reports/analysis/rows/host_waits.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/whole.h"
#include "reports/analysis/figures/owners.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rows/recording_cost.h"

namespace coalescope::analysis {

void take_waits(std::span<KernelRow> kernels, std::span<const model::SynchronizationTotal> waits,
                std::span<const capture::TransferView> transfers) {
  std::int64_t copies = 0;
  for (const auto& each : transfers)
    if (!each.asynchronous) base::add_to(copies, each.transfers);
  std::unordered_map<std::int64_t, std::int64_t> calls;
  for (const auto& each : waits)
    if (each.kind != model::SynchronizationKind::copy)  // these are counted above
      base::add_to(calls[each.process_id.value], each.calls);
  for (KernelRow& kernel : kernels) {
    const auto own = calls.find(kernel.process_id);
    if (own == calls.end()) continue;  // an old recording has none
    const std::int64_t changes = base::sum_of(base::sum_of(own->second, copies), 1);
    kernel.launches_per_wait = static_cast<double>(kernel.launches) / static_cast<double>(changes);
  }
}

namespace {

// Share of the kernels' time that graphs may launch. How long launches of graphs wait for room is not
// recorded.
constexpr double kFewInGraphs = 0.1;

double share_in_graphs(std::span<const KernelRow> kernels) {
  double all = 0, in_graphs = 0;
  for (const KernelRow& kernel : kernels) {
    all += real(kernel.gpu_ns);
    for (const SiteUse& use : kernel.call_sites)
      if (use.role == model::SiteRole::graph_launch) in_graphs += real(use.estimated_ns);
  }
  return all > 0 ? in_graphs / all : 0;
}

}  // namespace

std::optional<std::int64_t> host_wait_ns(const Report& report,
                                         std::span<const model::SynchronizationTotal> waits) {
  const auto by_xla = [](const KernelRow& row) { return row.owner == kXla; };
  if (report.processes.size() != 1 || !report.processes.front().launch_wait_ns ||
      std::ranges::any_of(report.kernels, by_xla) || share_in_graphs(report.kernels) > kFewInGraphs)
    return std::nullopt;
  std::int64_t sum = *report.processes.front().launch_wait_ns;
  for (const model::SynchronizationTotal& wait : waits) base::add_to(sum, wait.wait_ns);
  base::add_to(sum, all_launches(report.kernels) * recorded_launch_ns(report.processes, report.kernels));
  return sum;
}

}  // namespace coalescope::analysis
