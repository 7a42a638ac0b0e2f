#include "reports/analysis/judge/merge_shapes.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "core/base/whole.h"
#include "reports/analysis/rows/kernel_families.h"
#include "reports/analysis/rows/process_names.h"

namespace coalescope::analysis {
namespace {

bool same_line(const Finding& one, const Finding& other) {
  return !one.file || !other.file || (one.file == other.file && one.line == other.line);
}

void add_known(std::optional<std::int64_t>& sum, std::optional<std::int64_t> part) {
  if (part) sum = base::sum_of(sum.value_or(0), *part);
}

void add_shape(Finding& finding, Finding&& other) {
  if (other.kernel_id) finding.kernel_ids.push_back(*other.kernel_id);
  finding.subjects.insert(finding.subjects.end(), other.subjects.begin(), other.subjects.end());
  add_known(finding.lost_ns, other.lost_ns);
  add_known(finding.subject_ns, other.subject_ns);
  if (other.lost_share) finding.lost_share = finding.lost_share.value_or(0) + *other.lost_share;
  if (finding.file) return;
  finding.file = std::move(other.file);
  finding.line = other.line;
}

// Where a finding about a kernel holds.
struct FaultPlaces {
  std::set<ShapeKey> shapes;
  std::set<std::int64_t> processes;
  bool variants = false;  // of one shape
};

// The kernel by itself where all processes that launched it have the fault.
std::string shared_subject(const FaultPlaces& places, const KernelFamily& family,
                           const NamesOfProcesses& names) {
  if (places.processes.size() == family.processes.size()) return family.name;
  std::string text;
  for (const auto process : places.processes)
    if (const auto name = names.find(process); name != names.end())
      text += (text.empty() ? "" : ", ") + name->second;
  return text + ": " + family.name;
}

// "8 shapes", "8 shapes in 2 processes"; of one shape in one process, "2 GPUs" or "2 variants".
std::string words_of(const FaultPlaces& places, std::size_t kernels) {
  if (places.shapes.size() < 2 && places.processes.size() < 2)
    return fmt::format("{} {}", kernels, places.variants ? "variants" : "GPUs");
  std::string shapes = places.shapes.size() > 1 ? fmt::format("{} shapes", places.shapes.size()) : "";
  if (places.processes.size() < 2) return shapes;
  return fmt::format("{}{}{} processes", shapes, shapes.empty() ? "" : " in ", places.processes.size());
}

void append_places(Finding& finding, const std::string& places) {
  finding.evidence += "; the same in " + places;
  if (finding.lost_ns) finding.basis += "; summed over " + places;
}

void append_completed(Finding& finding, std::int64_t completed) {
  if (completed == 0 || !finding.lost_ns) return;
  finding.basis += fmt::format(
      "; for {} the counts of the nearest measured size are used, in proportion to the "
      "blocks",
      completed == 1 ? "one shape" : fmt::format("{} shapes", completed));
}

// Which of the kernel's launches are at fault, where not all are.
void append_variant(Finding& finding, const KernelRow& row) {
  if (row.parameters)
    finding.evidence += "; only in launches that differ in their parameters (" + *row.parameters + ")";
}

// Findings as they come, with those that are one put together.
class Merged {
 public:
  explicit Merged(bool several_gpus) : several_gpus_(several_gpus) {}

  // `family`: of the finding's kernel; nullptr: it is about none, such as a class of copies. Each GPU has its
  // own.
  void add(Finding&& finding, const KernelFamily* family) {
    if (!family && (!several_gpus_ || finding.kernel_id)) return keep(std::move(finding));
    const std::string name = family ? "" : finding.subject + finding.advice;
    auto& candidates = places_[{family, finding.rule, finding.title, name}];
    const auto same = std::ranges::find_if(
        candidates, [&](std::size_t place) { return same_line(findings[place], finding); });
    if (same != candidates.end()) {
      add_shape(findings[*same], std::move(finding));
      ++parts[*same];
      return;
    }
    candidates.push_back(findings.size());
    keep(std::move(finding));
  }

  std::vector<Finding> findings;
  std::vector<std::size_t> parts;  // that each is made of

 private:
  void keep(Finding&& finding) {
    if (finding.kernel_id) finding.kernel_ids = {*finding.kernel_id};
    parts.push_back(1);
    findings.push_back(std::move(finding));
  }

  const bool several_gpus_;
  std::map<std::tuple<const KernelFamily*, std::string, std::string, std::string>, std::vector<std::size_t>>
      places_;
};

}  // namespace

void merge_shapes(std::vector<Finding>& findings, const Report& report) {
  std::unordered_map<std::int64_t, const KernelFamily*> families;
  for (const auto& family : report.kernel_families)
    for (const auto id : family.kernel_ids) families.emplace(id, &family);
  std::unordered_map<std::int64_t, const KernelRow*> rows;
  for (const auto& row : report.kernels) rows.emplace(row.id, &row);

  Merged merged(report.devices.size() > 1);
  for (Finding& finding : findings) {
    const auto family = finding.kernel_id ? families.find(*finding.kernel_id) : families.end();
    merged.add(std::move(finding), family == families.end() ? nullptr : family->second);
  }
  const auto names = names_of_processes(report.processes);
  for (std::size_t i = 0; i < merged.findings.size(); ++i) {
    Finding& finding = merged.findings[i];
    const auto completed =
        std::ranges::count_if(finding.kernel_ids, [&](std::int64_t id) { return rows.at(id)->completed; });
    if (merged.parts[i] < 2) {
      if (finding.kernel_id) append_variant(finding, *rows.at(*finding.kernel_id));
      append_completed(finding, completed);
      continue;
    }
    if (!finding.kernel_id) {
      append_places(finding, fmt::format("{} places", merged.parts[i]));
      continue;
    }
    FaultPlaces places;
    for (const auto id : finding.kernel_ids) {
      places.shapes.insert(shape_key(*rows.at(id)));
      places.processes.insert(rows.at(id)->process_id);
      places.variants = places.variants || rows.at(id)->variant.has_value();
    }
    finding.subject = shared_subject(places, *families.at(*finding.kernel_id), names);
    append_places(finding, words_of(places, finding.kernel_ids.size()));
    append_completed(finding, completed);
  }
  findings = std::move(merged.findings);
}

}  // namespace coalescope::analysis
