// What a recording knows of graphs that the program launches: which groups their kernels belong to, and how
// often these ran.

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "injection/recorder/recording.h"

namespace coalescope::recorder {

namespace {

using model::Phase;

}  // namespace

Ticket Recording::before_graph_launch(std::uint32_t correlation, const GraphCounts* counts) {
  const auto site = work_called(correlation);
  copies_need_records();  // it may contain some
  if (counts != nullptr && !counts->list) {
    count_graph(correlation, *counts, site);
  } else {
    if (counts != nullptr) groups_.graph_launched(correlation, *counts->list);
    uncounted_graph_ns_ = backend_.now_ns();
    if (!records_come_) (void)trace({});
  }
  return before_other_work();
}

void Recording::count_graph(std::uint32_t correlation, const GraphCounts& counts,
                            std::optional<model::CallSiteId> site) {
  if (!launches_counted_.load(std::memory_order_relaxed)) launches_counted_ = true;
  groups_.graph_counted(correlation);
  for (const auto& [group, made, kernels] : counts.kernels) {
    if (group->launches_seen.load(std::memory_order_relaxed) == 0) group_begins();
    group->launches_seen.fetch_add(kernels, std::memory_order_relaxed);
    group->launches_in_graph.fetch_add(kernels, std::memory_order_relaxed);
    if (trace_paused_) group->launches_untraced.fetch_add(kernels, std::memory_order_relaxed);
    if (site) launch_sites_.launched(group->row.id, *site, model::SiteRole::graph_launch, kernels);
    if (made) launch_sites_.launched(group->row.id, *made, model::SiteRole::graph_node, kernels);
  }
}

// Its launches can be counted if the record of each kernel will find the same group: by the node's id, or
// else by the kernel's name and shape. If not, records are all that counts them, and find it by the launch.
void Recording::find_groups(GraphNeeds& graph, const std::vector<LaunchInfo>& kernels,
                            const GraphNodes& nodes) {
  const auto site = site_of_each_launch();
  const bool have_ids = nodes.ids.size() == kernels.size();
  bool all_found = true;
  std::map<std::pair<Group*, std::optional<model::CallSiteId>>, std::int64_t> counts;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const LaunchInfo& kernel = kernels[i];
    Group& group = groups_of(kernel, site).group;
    graph.groups.push_back(&group);
    const std::uint64_t node = have_ids ? nodes.ids[i] : 0;
    const bool named = groups_.name_node(node, group) && nodes.sure;
    all_found &=
        named || &group == &groups_.find_or_add(kernel.kernel_name, kernel.context.device, kernel.shape);
    ++counts[{&group, launch_sites_.maker_of(node)}];
  }
  auto known = std::make_shared<GraphCounts>();
  for (const auto& [kernel, number] : counts) known->kernels.push_back({kernel.first, kernel.second, number});
  if (!all_found) {
    known->list = groups_.list_groups(graph.groups);
    if (!known->list) return;
  }
  graph.counts = std::move(known);
}

bool Recording::takes_graphs_apart() const {
  const auto& enabled = options_.scheduling.enabled;
  return options_.graph_nodes && std::any_of(kMeasuredPhases.begin(), kMeasuredPhases.end(),
                                             [&](Phase phase) { return enabled[index_of(phase)]; });
}

}  // namespace coalescope::recorder
