#include "reports/analysis/view/sums.h"

#include <algorithm>
#include <map>
#include <set>

#include "reports/analysis/figures/names.h"
#include "reports/analysis/rows/call_stacks.h"
#include "reports/analysis/view/savings.h"

namespace coalescope::analysis {
namespace {

using Rows = std::map<std::string, SumRow>;

std::string module_of(const CallSiteRow& frame) {
  return frame.kind == model::FrameKind::python ? file_name(frame.file.value_or(""))
                                                : file_name(frame.module);
}

constexpr const char* kNoModule = "(outside of modules)";

// What the frames of a stack count for.
enum class Frames { all, own, files, torch_modules };

// Empty: nothing.
std::string key_of(const CallSiteRow& frame, Frames frames) {
  if (frames == Frames::torch_modules)
    return frame.kind == model::FrameKind::torch_module ? frame.function : "";
  if (frames == Frames::files) return module_of(frame);
  return frame.own || frames == Frames::all ? frame_text(frame) : "";
}

struct Weights {
  std::int64_t gpu_ns = 0, wait_ns = 0, lost_ns = 0;
};

void add_to(Rows& rows, const std::string& key, bool by_itself, const Weights& weights) {
  SumRow& row = rows[key];
  row.name = key;
  row.exclusive_ns = row.exclusive_ns.value_or(0) + (by_itself ? weights.gpu_ns : 0);
  row.inclusive_ns += weights.gpu_ns;
  row.wait_ns += weights.wait_ns;
  row.lost_ns += weights.lost_ns;
}

// The rows that a stack belongs to, each once: innermost first.
void add_stack(Rows& rows, const std::vector<const CallSiteRow*>& stack, Frames frames,
               const Weights& weights) {
  std::set<std::string> seen;
  for (const CallSiteRow* frame : stack) {
    const std::string key = key_of(*frame, frames);
    if (!key.empty() && seen.insert(key).second) add_to(rows, key, seen.size() == 1, weights);
  }
  if (seen.empty() && frames == Frames::torch_modules) add_to(rows, kNoModule, true, weights);
}

Frames frames_of(const Report& report, SumBy by) {
  if (by == SumBy::module) return has_torch_modules(report) ? Frames::torch_modules : Frames::files;
  return std::ranges::any_of(report.call_sites, &CallSiteRow::own) ? Frames::own : Frames::all;
}

Rows by_stack(const Report& report, SumBy by) {
  Rows rows;
  const CallStacks stacks(report.call_sites);
  const Frames frames = frames_of(report, by);
  for (const CallSiteRow& site : report.call_sites) {
    const SiteTimes& times = site.exclusive;
    if (times.kernel_ns + times.transfer_ns + times.wait_ns > 0)
      add_stack(rows, stacks.stack(site.id), frames, {times.kernel_ns + times.transfer_ns, times.wait_ns, 0});
  }
  // A finding names one of the modules that its line was called by, not all.
  if (frames == Frames::torch_modules) return rows;
  const auto counted = counted_findings(report);
  for (const Finding& finding : report.findings)
    if (finding.call_site_id && counted.contains(&finding))
      add_stack(rows, stacks.stack(*finding.call_site_id), frames, {0, 0, *finding.lost_ns});
  return rows;
}

Rows by_kernel(const Report& report) {
  Rows rows;
  std::map<std::int64_t, std::string> names;
  for (const KernelFamily& family : report.kernel_families) {
    SumRow& row = rows[family.full_name];
    row.name = family.name;
    row.inclusive_ns += family.gpu_ns.value_or(0);
    for (const std::int64_t id : family.kernel_ids) names[id] = family.full_name;
  }
  const auto counted = counted_findings(report);
  for (const Finding& finding : report.findings)
    if (const auto name = names.find(finding.kernel_id.value_or(0));
        name != names.end() && counted.contains(&finding))
      rows[name->second].lost_ns += *finding.lost_ns;
  // A finding may be about several kernels.
  for (auto& [name, row] : rows) row.lost_ns = std::min(row.lost_ns, row.inclusive_ns);
  return rows;
}

Rows by_range(const Report& report) {
  Rows rows;
  for (const NamedRange& range : report.program.ranges) {
    const std::string name = range.domain ? range.name + "@" + *range.domain : range.name;
    rows[name] = {.name = name, .exclusive_ns = {}, .inclusive_ns = range.gpu_ns, .wait_ns = 0, .lost_ns = 0};
  }
  return rows;
}

}  // namespace

const std::vector<std::string>& sum_names() {
  static const std::vector<std::string> kNames{"call-site", "module", "kernel", "range"};
  return kNames;
}

std::optional<SumBy> sum_by(std::string_view name) {
  const auto found = std::ranges::find(sum_names(), name);
  if (found == sum_names().end()) return std::nullopt;
  return static_cast<SumBy>(found - sum_names().begin());
}

bool has_torch_modules(const Report& report) {
  return std::ranges::find(report.call_sites, model::FrameKind::torch_module, &CallSiteRow::kind) !=
         report.call_sites.end();
}

std::vector<SumRow> sums(const Report& report, SumBy by) {
  Rows rows = by == SumBy::kernel  ? by_kernel(report)
              : by == SumBy::range ? by_range(report)
                                   : by_stack(report, by);
  std::vector<SumRow> list;
  for (auto& [key, row] : rows) list.push_back(std::move(row));
  std::ranges::stable_sort(list, std::greater{},
                           [](const SumRow& row) { return std::pair(row.inclusive_ns, row.wait_ns); });
  return list;
}

}  // namespace coalescope::analysis
