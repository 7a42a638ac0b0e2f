#include "reports/analysis/rows/site_uses.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "core/model/transfer.h"
#include "reports/analysis/rows/call_stacks.h"

namespace coalescope::analysis {
namespace {

using Times = std::map<std::int64_t, SiteTimes>;  // by the site
using TransferClass =
    std::tuple<std::int64_t, model::Direction, model::MemoryKind, model::MemoryKind, bool, std::int64_t>;

TransferClass class_of(const TransferRow& row) {
  return {row.device_id,          row.direction,    row.source_memory,
          row.destination_memory, row.asynchronous, model::size_class(row.largest_bytes)};
}
TransferClass class_of(const model::TransferSite& row) {
  return {row.device_id.value,    row.direction,    row.source_memory,
          row.destination_memory, row.asynchronous, row.size_class};
}

// One entry a site and role, most GPU time first, with shares of the role's sum.
void arrange(std::vector<SiteUse>& uses) {
  std::map<model::SiteRole, std::int64_t> sums;
  for (const SiteUse& use : uses) sums[use.role] += use.gpu_ns;
  for (SiteUse& use : uses)
    if (const auto sum = sums[use.role]; sum > 0)
      use.share = static_cast<double>(use.gpu_ns) / static_cast<double>(sum);
  std::ranges::stable_sort(uses, std::greater{}, &SiteUse::gpu_ns);
}

// The site that a row is shown with. Who put a kernel into a graph says more than who launched the graph.
const SiteUse* foremost(const std::vector<SiteUse>& uses) {
  const auto made = std::ranges::find(uses, model::SiteRole::graph_node, &SiteUse::role);
  if (made != uses.end()) return &*made;
  return uses.empty() ? nullptr : &uses.front();
}

template <class Row>
void finish(Row& row, const CallStacks& stacks) {
  arrange(row.call_sites);
  const SiteUse* const use = foremost(row.call_sites);
  if (use != nullptr && !stacks.stack(use->call_site_id).empty())
    row.call_site = stacks.text(use->call_site_id);
}

void take_kernels(Report& report, const SiteTables& tables, Times& times) {
  std::unordered_map<std::int64_t, KernelRow*> kernels;
  for (KernelRow& row : report.kernels) kernels.emplace(row.id, &row);
  for (const auto& site : tables.launches) {
    const auto row = kernels.find(site.group_id.value);
    if (row == kernels.end()) continue;  // of a later run
    row->second->call_sites.push_back(
        {site.call_site_id.value, site.role, site.launches, site.gpu_ns, std::nullopt});
    // A kernel of a graph has two sites; its time counts for who launched the graph, as that call ran it.
    if (site.role != model::SiteRole::graph_node) times[site.call_site_id.value].kernel_ns += site.gpu_ns;
  }
}

void take_transfers(Report& report, const SiteTables& tables, Times& times) {
  std::map<TransferClass, std::map<std::int64_t, SiteUse>> by_class;
  for (const auto& site : tables.transfers) {
    SiteUse& use = by_class[class_of(site)][site.call_site_id.value];
    use.call_site_id = site.call_site_id.value;
    use.calls += site.transfers;
    use.gpu_ns += site.gpu_ns;
    times[site.call_site_id.value].transfer_ns += site.gpu_ns;
  }
  for (TransferRow& row : report.transfers)
    for (const auto& [id, use] : by_class[class_of(row)]) row.call_sites.push_back(use);
}

void take_waits(Report& report, const SiteTables& tables, Times& times) {
  for (WaitRow& row : report.program.waits)
    for (const auto& site : tables.waits) {
      if (site.kind != row.kind) continue;
      row.call_sites.push_back(
          {site.call_site_id.value, model::SiteRole::launch, site.calls, site.wait_ns, {}});
      times[site.call_site_id.value].wait_ns += site.wait_ns;
    }
}

}  // namespace

void take_call_sites(Report& report, const SiteTables& tables) {
  Times times;
  take_kernels(report, tables, times);
  take_transfers(report, tables, times);
  take_waits(report, tables, times);
  add_times(report.call_sites, times);
  const CallStacks stacks(report.call_sites);
  for (KernelRow& row : report.kernels) finish(row, stacks);
  for (TransferRow& row : report.transfers) finish(row, stacks);
  for (WaitRow& row : report.program.waits) finish(row, stacks);
}

}  // namespace coalescope::analysis
