#include "reports/analysis/merge_shapes.h"

#include <algorithm>
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

void add_known(std::optional<std::int64_t>& sum, std::optional<std::int64_t> part) {
  if (part) sum = base::sum_of(sum.value_or(0), *part);
}

void take_shape(Finding& finding, Finding&& other) {
  if (other.kernel_id) finding.kernel_ids.push_back(*other.kernel_id);
  add_known(finding.lost_ns, other.lost_ns);
  add_known(finding.subject_ns, other.subject_ns);
  if (other.lost_share) finding.lost_share = finding.lost_share.value_or(0) + *other.lost_share;
  if (finding.file) return;
  finding.file = std::move(other.file);
  finding.line = other.line;
}

// The kernel by itself where all processes that launched it have the fault.
std::string shared_subject(const Finding& finding, const KernelFamily& family,
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

std::string_view plural_end(std::string_view noun) {
  return noun.ends_with('s') ? "es" : "s";
}

void say_sum(Finding& finding, std::size_t parts, std::string_view part) {
  finding.evidence +=
      fmt::format("; the same in {} more {}{}", parts - 1, part, parts == 2 ? "" : plural_end(part));
  if (finding.lost_ns) finding.basis += fmt::format("; summed over {} {}{}", parts, part, plural_end(part));
}

// Findings as they come, with those that are one put together.
class Merged {
 public:
  // `family`: of the finding's kernel; nullptr: it is about none.
  void add(Finding&& finding, const KernelFamily* family) {
    // What is no kernel, such as a class of copies, shares its name with others on other GPUs only.
    const std::string name =
        family ? "" : fmt::format("{} {} {}", finding.kernel_id.value_or(0), finding.subject, finding.advice);
    auto& candidates = places_[{family, finding.rule, finding.title, name}];
    const auto same = std::ranges::find_if(
        candidates, [&](std::size_t place) { return same_line(findings[place], finding); });
    if (same != candidates.end()) {
      take_shape(findings[*same], std::move(finding));
      ++parts[*same];
      return;
    }
    if (finding.kernel_id) finding.kernel_ids = {*finding.kernel_id};
    candidates.push_back(findings.size());
    parts.push_back(1);
    findings.push_back(std::move(finding));
  }

  std::vector<Finding> findings;
  std::vector<std::size_t> parts;  // that each is made of

 private:
  std::map<std::tuple<const KernelFamily*, std::string, std::string, std::string>, std::vector<std::size_t>>
      places_;
};

}  // namespace

void merge_shapes(std::vector<Finding>& findings, const Report& report) {
  std::unordered_map<std::int64_t, const KernelFamily*> families;
  for (const auto& family : report.kernel_families)
    for (const auto id : family.kernel_ids) families.emplace(id, &family);
  std::unordered_map<std::int64_t, std::int64_t> process_of;
  for (const auto& row : report.kernels) process_of.emplace(row.id, row.process_id);

  Merged merged;
  for (Finding& finding : findings) {
    const auto family = finding.kernel_id ? families.find(*finding.kernel_id) : families.end();
    merged.add(std::move(finding), family == families.end() ? nullptr : family->second);
  }
  const auto names = names_of_processes(report.processes);
  for (std::size_t i = 0; i < merged.findings.size(); ++i) {
    Finding& finding = merged.findings[i];
    const std::size_t parts = merged.parts[i];
    if (parts > 1 && finding.kernel_id) {
      finding.subject = shared_subject(finding, *families.at(*finding.kernel_id), process_of, names);
      say_sum(finding, parts, families.at(*finding.kernel_id)->shapes > 1 ? "shape" : "process");
    } else if (parts > 1) {
      say_sum(finding, parts, report.processes.size() > 1 ? "process" : "GPU");
    }
  }
  findings = std::move(merged.findings);
}

}  // namespace coalescope::analysis
