#include "reports/analysis/view/missing_lines.h"

#include <algorithm>
#include <map>

#include "reports/analysis/figures/names.h"
#include "reports/analysis/rows/call_stacks.h"
#include "reports/analysis/view/shown.h"
#include "reports/analysis/view/view.h"

namespace coalescope::analysis {
namespace {

// The module of the call's own frame, if that frame has no line; empty otherwise.
std::string module_without_lines(const CallStacks& stacks, std::int64_t site) {
  const auto* frame = stacks.own_frame(site);
  return frame == nullptr || !frame->own || frame->file ? std::string() : file_name(frame->module);
}

}  // namespace

std::vector<std::string> owners_without_lines(const Report& report) {
  const auto kernels = kernels_by_id(report);
  std::map<std::string, std::set<std::string>> names;
  for (const LineRow& line : report.lines) {
    if (line.file) continue;
    const auto found = kernels.find(line.kernel_id);
    const bool named = found != kernels.end() && !found->second->owner.empty();
    names[named ? found->second->owner : "your own code"].insert(line.kernel_name);
  }
  std::vector<std::string> owners;
  for (const auto& [owner, kernel_names] : names)
    owners.push_back(owner + " (" + counted(std::ssize(kernel_names), "kernel", "kernels") + ")");
  return owners;
}

std::vector<std::string> own_modules_without_lines(const Report& report) {
  std::set<std::string> names;
  const CallStacks stacks(report.call_sites);
  for (const auto& site : report.call_sites) {
    if (site.exclusive.kernel_ns + site.exclusive.transfer_ns == 0) continue;
    if (auto module = module_without_lines(stacks, site.id); !module.empty()) names.insert(std::move(module));
  }
  return {names.begin(), names.end()};
}

FindingsWithoutLines findings_without_lines(const Report& report) {
  std::set<std::int64_t> with_lines, without_lines;  // kernels
  for (const LineRow& line : report.lines) (line.file ? with_lines : without_lines).insert(line.kernel_id);
  const auto kernels = kernels_by_id(report);
  const CallStacks stacks(report.call_sites);
  FindingsWithoutLines found;
  for (const Finding& finding : report.findings) {
    if (finding.aside) continue;
    for (const std::int64_t id : finding.kernel_ids) {
      const auto kernel = kernels.find(id);
      if (kernel != kernels.end() && kernel->second->origin == Origin::user && without_lines.contains(id) &&
          !with_lines.contains(id))
        found.kernels.insert(short_kernel_name(kernel->second->full_name));
    }
    if (!finding.call_site_id) continue;
    if (auto module = module_without_lines(stacks, *finding.call_site_id); !module.empty())
      found.modules.insert(std::move(module));
  }
  return found;
}

}  // namespace coalescope::analysis
