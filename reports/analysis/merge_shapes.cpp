#include "reports/analysis/merge_shapes.h"

#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "core/base/whole.h"
#include "reports/analysis/process_names.h"

namespace coalescope::analysis {
namespace {

bool same_line(const Finding& one, const Finding& other) {
  return !one.file || !other.file || (one.file == other.file && one.line == other.line);
}

void add(std::optional<std::int64_t>& sum, std::optional<std::int64_t> part) {
  if (part) sum = base::sum_of(sum.value_or(0), *part);
}

void take(Finding& finding, Finding&& other) {
  finding.kernel_ids.push_back(*other.kernel_id);
  add(finding.lost_ns, other.lost_ns);
  add(finding.subject_ns, other.subject_ns);
  if (other.lost_share) finding.lost_share = finding.lost_share.value_or(0) + *other.lost_share;
  if (finding.file) return;
  finding.file = std::move(other.file);
  finding.line = other.line;
}

// The kernel by itself where all processes that launched it have the fault.
std::string subject_of(const Finding& finding, const KernelFamily& family,
                       const std::unordered_map<std::int64_t, std::int64_t>& process_of,
                       const NamesOfProcesses& names) {
  std::set<std::int64_t> processes;
  for (const auto id : finding.kernel_ids) processes.insert(process_of.at(id));
  if (processes.size() == family.processes.size()) return family.name;
  std::string text;
  for (const auto process : processes)
    if (const auto name = names.find(process); name != names.end())
      text += (text.empty() ? "" : ", ") + name->second;
  return text + ": " + family.name;
}

}  // namespace

void merge_shapes(std::vector<Finding>& findings, const Report& report) {
  std::unordered_map<std::int64_t, const KernelFamily*> families;
  for (const auto& family : report.kernel_families)
    for (const auto id : family.kernel_ids) families.emplace(id, &family);
  std::unordered_map<std::int64_t, std::int64_t> process_of;
  for (const auto& row : report.kernels) process_of.emplace(row.id, row.process_id);

  std::vector<Finding> merged;
  std::map<std::tuple<const KernelFamily*, std::string, std::string>, std::vector<std::size_t>> places;
  for (Finding& finding : findings) {
    const auto family = finding.kernel_id ? families.find(*finding.kernel_id) : families.end();
    if (family == families.end()) {
      merged.push_back(std::move(finding));
      continue;
    }
    auto& candidates = places[{family->second, finding.rule, finding.title}];
    const auto same = std::ranges::find_if(
        candidates, [&](std::size_t place) { return same_line(merged[place], finding); });
    if (same != candidates.end()) {
      take(merged[*same], std::move(finding));
      continue;
    }
    finding.kernel_ids = {*finding.kernel_id};
    candidates.push_back(merged.size());
    merged.push_back(std::move(finding));
  }
  const auto names = names_of_processes(report.processes);
  for (Finding& finding : merged) {
    if (finding.kernel_ids.size() < 2) continue;
    finding.subject = subject_of(finding, *families.at(*finding.kernel_id), process_of, names);
    finding.evidence += fmt::format("; {} more of its shapes alike", finding.kernel_ids.size() - 1);
    if (finding.lost_ns) finding.basis += fmt::format("; the sum over {} shapes", finding.kernel_ids.size());
  }
  findings = std::move(merged);
}

}  // namespace coalescope::analysis
