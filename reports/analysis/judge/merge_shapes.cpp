#include "reports/analysis/judge/merge_shapes.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "reports/analysis/judge/merging.h"
#include "reports/analysis/rows/kernel_families.h"
#include "reports/analysis/rows/process_names.h"

namespace coalescope::analysis {
namespace {

bool same_line(const Finding& one, const Finding& other) {
  return !one.file || !other.file || (one.file == other.file && one.line == other.line);
}

// A kernel without a name is like no other one.
FunctionKey merging_key(const KernelRow& row) {
  return row.mangled_name.empty() ? FunctionKey("", row.id) : function_key(row);
}

// Where a finding about a kernel holds.
struct FaultPlaces {
  std::set<ShapeKey> shapes;
  std::set<std::int64_t> processes;
  bool variants = false;  // of one shape
};

// The kernel by itself where all processes that launched it have the fault.
std::string shared_subject(const FaultPlaces& places, const std::string& name,
                           const std::set<std::int64_t>& launched_by, const NamesOfProcesses& names) {
  if (places.processes.size() == launched_by.size()) return name;
  std::string text;
  for (const auto process : places.processes)
    if (const auto known = names.find(process); known != names.end())
      text += (text.empty() ? "" : ", ") + known->second;
  return text + ": " + name;
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
  if (row.parameters && row.variant)
    finding.evidence +=
        fmt::format("; only in variant {}, whose parameters differ from those of variant 1 ({})",
                    *row.variant, *row.parameters);
}

// What one rule says of loads and of stores, or another of two such parts.
struct FaultPart {
  std::string_view name;  // "stores"
  std::string evidence, basis;
  std::vector<Fact> facts;
  std::optional<std::string> file;
  std::optional<std::int64_t> line;
};

// A finding and what it is made of.
struct Whole {
  Finding finding;
  std::size_t places = 1;  // of what is no kernel
  std::vector<FaultPart> parts;
};

FaultPart fault_part(const Finding& finding) {
  return {finding.part, finding.evidence, finding.basis, finding.facts, finding.file, finding.line};
}

// "stores (copy.cu:12): ": where their line is another one.
std::string part_label(const FaultPart& part, const FaultPart& first) {
  if (!part.file || !part.line || (part.file == first.file && part.line == first.line))
    return std::string(part.name) + ": ";
  const std::string name = part.file->substr(part.file->rfind('/') + 1);
  return fmt::format("{} ({}:{}): ", part.name, name, *part.line);
}

// "Uncoalesced stores" and its loads are "Uncoalesced loads and stores", whichever costs more.
void name_parts(Finding& finding, const std::vector<FaultPart>& parts) {
  std::vector<std::string_view> names;
  for (const FaultPart& part : parts) names.push_back(part.name);
  const std::string_view first = names.front();
  if (finding.title.ends_with(first)) finding.title.resize(finding.title.size() - first.size());
  std::ranges::sort(names);
  finding.title += fmt::format("{}", fmt::join(names, " and "));
}

void list_parts(Whole& whole) {
  if (whole.parts.size() < 2) return;
  Finding& finding = whole.finding;
  const FaultPart& first = whole.parts.front();
  std::string evidence, bases;
  bool one_basis = true;
  for (const FaultPart& part : whole.parts) {
    const bool is_first = &part == &first;
    evidence += (is_first ? "" : "; ") + part_label(part, first) + part.evidence;
    bases += fmt::format("{}{}: {}", is_first ? "" : "; ", part.name, part.basis);
    one_basis = one_basis && part.basis == first.basis;
    if (is_first) continue;
    for (const Fact& fact : part.facts)
      finding.facts.push_back({fmt::format("{}_{}", part.name, fact.key), fact.value, fact.unit});
  }
  name_parts(finding, whole.parts);
  finding.evidence = std::move(evidence);
  if (!one_basis) finding.basis = std::move(bases);
}

bool is_same_fault(const Finding& one, const Finding& other) {
  if (one.aside != other.aside) return false;
  if (one.part == other.part) return one.title == other.title && same_line(one, other);
  if (one.part.empty() || other.part.empty()) return false;
  return one.advice_id == other.advice_id || (one.file && one.file == other.file && one.line == other.line);
}

// Findings as they come, with those that are one put together.
class Merged {
 public:
  explicit Merged(bool several_gpus) : several_gpus_(several_gpus) {}

  // `kernel`: that of the finding; nullptr: it is about none, such as a class of copies, of which each GPU
  // has its own.
  void add(Finding&& finding, const KernelRow* kernel) {
    if (!kernel && !several_gpus_) return keep(std::move(finding));
    const FunctionKey function = kernel ? merging_key(*kernel) : FunctionKey();
    auto& candidates = places_[{function, finding.rule, kernel ? "" : finding.subject + finding.advice}];
    const auto same = std::ranges::find_if(
        candidates, [&](std::size_t place) { return is_same_fault(wholes[place].finding, finding); });
    if (same == candidates.end()) {
      candidates.push_back(wholes.size());
      return keep(std::move(finding));
    }
    Whole& whole = wholes[*same];
    if (std::ranges::find(whole.parts, finding.part, &FaultPart::name) == whole.parts.end())
      whole.parts.push_back(fault_part(finding));
    merge_into(whole.finding, std::move(finding));
    ++whole.places;
  }

  std::vector<Whole> wholes;

 private:
  void keep(Finding&& finding) {
    FaultPart part = fault_part(finding);
    wholes.push_back({std::move(finding), 1, {std::move(part)}});
  }

  const bool several_gpus_;
  std::map<std::tuple<FunctionKey, std::string, std::string>, std::vector<std::size_t>> places_;
};

struct FaultContext {
  std::unordered_map<std::int64_t, const KernelFamily*> families;
  std::unordered_map<std::int64_t, const KernelRow*> rows;
  std::map<FunctionKey, std::set<std::int64_t>> launched_by;  // processes
  NamesOfProcesses names;
};

void say_places(Whole& whole, const FaultContext& context) {
  Finding& finding = whole.finding;
  if (!finding.kernel_id) {
    if (whole.places > 1) append_places(finding, fmt::format("{} places", whole.places));
    return;
  }
  const auto completed = std::ranges::count_if(
      finding.kernel_ids, [&](std::int64_t id) { return context.rows.at(id)->completed; });
  if (finding.kernel_ids.size() < 2) {
    append_variant(finding, *context.rows.at(*finding.kernel_id));
    append_completed(finding, completed);
    return;
  }
  FaultPlaces places;
  for (const auto id : finding.kernel_ids) {
    const KernelRow& row = *context.rows.at(id);
    places.shapes.insert(shape_key(row));
    places.processes.insert(row.process_id);
    places.variants = places.variants || row.variant.has_value();
  }
  const auto& launched_by = context.launched_by.at(function_key(*context.rows.at(*finding.kernel_id)));
  finding.subject =
      shared_subject(places, context.families.at(*finding.kernel_id)->name, launched_by, context.names);
  append_places(finding, words_of(places, finding.kernel_ids.size()));
  append_completed(finding, completed);
}

}  // namespace

void merge_shapes(std::vector<Finding>& findings, const Report& report) {
  FaultContext context{{}, {}, {}, names_of_processes(report.processes)};
  for (const auto& family : report.kernel_families)
    for (const auto id : family.kernel_ids) context.families.emplace(id, &family);
  for (const auto& row : report.kernels) {
    context.rows.emplace(row.id, &row);
    context.launched_by[function_key(row)].insert(row.process_id);
  }

  Merged merged(report.devices.size() > 1);
  for (Finding& finding : findings) {
    const KernelRow* kernel = finding.kernel_id ? context.rows.at(*finding.kernel_id) : nullptr;
    merged.add(std::move(finding), kernel);
  }
  findings.clear();
  for (Whole& whole : merged.wholes) {
    list_parts(whole);
    say_places(whole, context);
    findings.push_back(std::move(whole.finding));
  }
}

}  // namespace coalescope::analysis
