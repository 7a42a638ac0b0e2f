#include "reports/analysis/judge/call_blame.h"

#include <algorithm>
#include <map>

#include "reports/analysis/judge/report_index.h"
#include "reports/analysis/rows/call_lines.h"
#include "reports/analysis/rows/call_stacks.h"
#include "reports/analysis/rows/transfer_rows.h"

namespace coalescope::analysis {
namespace {

using Costs = std::map<std::int64_t, std::int64_t>;  // of each line, by its first site: GPU time, or calls

// Where a kernel runs in graphs, who put it there; else who launched it.
void add_costs(const std::vector<SiteUse>& uses, const CallLines& lines, Costs& costs) {
  const bool in_graph = std::ranges::find(uses, model::SiteRole::graph_node, &SiteUse::role) != uses.end();
  for (const SiteUse& use : uses)
    if (!in_graph || use.role == model::SiteRole::graph_node) costs[lines.of(use.call_site_id)] += use.gpu_ns;
}

// Idle moments and turns are those of copies that their callers wait for: their calls, of each device.
std::map<std::int64_t, Costs> calls_waited_for(const Report& report, const CallLines& lines) {
  std::map<std::int64_t, Costs> of_device;
  for (const TransferRow& row : report.transfers)
    if (row.waited_for)
      for (const SiteUse& use : row.call_sites)
        of_device[row.device_id][lines.of(use.call_site_id)] += use.calls;
  return of_device;
}

}  // namespace

void name_calls(std::vector<Finding>& findings, const Report& report) {
  if (report.call_sites.empty()) return;
  std::map<std::int64_t, const KernelRow*> kernels;
  for (const auto& row : report.kernels) kernels.emplace(row.id, &row);
  std::map<std::int64_t, const TransferRow*> transfers;
  for (const auto& row : report.transfers) transfers.emplace(row.id, &row);
  const CallStacks stacks(report.call_sites);
  const CallLines lines(report.call_sites);
  auto waited_for = calls_waited_for(report, lines);
  for (Finding& finding : findings) {
    Costs costs;
    if (finding.call_site_id) costs[lines.of(*finding.call_site_id)] = 1;
    for (const SubjectRef& subject : finding.subjects) {
      if (finding.call_site_id) break;
      const auto kernel = kernels.find(subject.row);
      const auto transfer = transfers.find(subject.row);
      if (subject.kind == SubjectKind::kernel && kernel != kernels.end())
        add_costs(kernel->second->call_sites, lines, costs);
      if (subject.kind == SubjectKind::transfers && transfer != transfers.end())
        add_costs(transfer->second->call_sites, lines, costs);
      if (subject.kind == SubjectKind::timeline)
        costs = waited_for[report.program.timelines[static_cast<std::size_t>(subject.row)].device_id];
    }
    if (costs.empty()) continue;
    const auto site = std::ranges::max_element(costs, {}, &Costs::value_type::second)->first;
    const CallSiteRow* const frame = stacks.own_frame(site);
    if (frame == nullptr) continue;
    finding.call_site_id = site;
    finding.call_site = stacks.text(site);
    finding.call_file = frame->file;
    finding.call_line = frame->line;
  }
}

}  // namespace coalescope::analysis
