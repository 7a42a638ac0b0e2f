#include "reports/analysis/rows/autocasts.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/whole.h"
#include "reports/analysis/figures/copy_kernels.h"
#include "reports/analysis/figures/owners.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rows/call_stacks.h"

namespace coalescope::analysis {
namespace {

constexpr std::string_view kModuleFile = "torch/nn/modules/module.py";

// Below the author's code comes one of PyTorch's modules, which calls an operation.
bool is_of_module(const CallStacks& stacks, std::int64_t site) {
  for (const CallSiteRow* frame : stacks.stack(site)) {
    if (frame->own) return false;
    if (frame->file) return frame->file->find("/torch/nn/") != std::string::npos;
  }
  return false;
}

// Where the author's code calls the outermost module, which is what the author converts.
std::int64_t call_of_model(const CallStacks& stacks, std::int64_t site) {
  auto stack = stacks.stack(site);
  std::ranges::reverse(stack);
  const CallSiteRow* own = nullptr;
  for (const CallSiteRow* frame : stack) {
    if (frame->own) own = frame;
    const bool is_module = !frame->own && frame->file && frame->file->ends_with(kModuleFile);
    if (is_module && own != nullptr) return own->id;
  }
  return site;
}

std::set<std::int64_t> processes_with_gradients(std::span<const CallSiteRow> call_sites) {
  const CallStacks stacks(call_sites);
  std::set<std::int64_t> processes;
  for (const CallSiteRow& site : call_sites)
    if (stacks.computes_gradients(site.id)) processes.insert(site.process_id);
  return processes;
}

struct Converted {
  AutocastRow row;
  std::map<std::int64_t, std::int64_t> sites;  // their time
};

void add_conversions(Converted& converted, const KernelRow& kernel, const SiteUse& use) {
  AutocastRow& row = converted.row;
  if (row.kernel_ids.empty()) row.bytes = 0;
  if (row.kernel_ids.empty() || row.kernel_ids.back() != kernel.id) row.kernel_ids.push_back(kernel.id);
  base::add_to(row.conversions, use.calls);
  base::add_to(row.gpu_ns, use.estimated_ns);
  base::add_to(converted.sites[use.call_site_id], use.estimated_ns);
  if (row.bytes && kernel.load.data_bytes && kernel.store.data_bytes)
    *row.bytes += (real(kernel.load.data_bytes) + real(kernel.store.data_bytes)) * real(use.calls);
  else
    row.bytes.reset();
}

}  // namespace

std::vector<AutocastRow> autocasts(std::span<const KernelRow> kernels,
                                   std::span<const CallSiteRow> call_sites) {
  const CallStacks stacks(call_sites);
  const auto training = processes_with_gradients(call_sites);
  std::map<std::pair<std::int64_t, std::int64_t>, Converted> places;  // by process and device
  for (const KernelRow& kernel : kernels) {
    if (kernel.owner != kTorch || !converts_type(kernel) || training.contains(kernel.process_id)) continue;
    for (const SiteUse& use : kernel.call_sites)
      if (is_of_module(stacks, use.call_site_id))
        add_conversions(places[{kernel.process_id, kernel.device_id}], kernel, use);
  }
  std::vector<AutocastRow> rows;
  for (auto& [place, converted] : places) {
    converted.row.process_id = place.first;
    converted.row.device_id = place.second;
    const auto site =
        std::ranges::max_element(converted.sites, {}, [](const auto& each) { return each.second; })->first;
    converted.row.call_site_id = call_of_model(stacks, site);
    rows.push_back(std::move(converted.row));
  }
  return rows;
}

}  // namespace coalescope::analysis
