#include "reports/html/kernel_details.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <span>

#include "core/base/units.h"
#include "reports/analysis/view/columns.h"
#include "reports/analysis/view/measure_more.h"
#include "reports/analysis/view/verdict.h"
#include "reports/html/byte_rows.h"
#include "reports/html/values.h"

namespace coalescope::html {
namespace {

using analysis::KernelRow;
using analysis::LineRow;
using analysis::Show;

// More than these say nothing new, and each has dozens of figures.
constexpr std::size_t kShapesListed = 20, kShapesInFull = 12, kLinesListed = 12, kCallsListed = 8,
                      kPointersListed = 24, kReasonsListed = 4;

template <class Row>
std::vector<std::string> cells_of(const Row& row, const std::vector<analysis::Column<Row>>& columns) {
  std::vector<std::string> cells;
  for (const auto& column : columns) cells.push_back(data_cell(column.shown(row)).text);
  return cells;
}

template <class Row>
std::vector<std::string> headings_of(const std::vector<analysis::Column<Row>>& columns) {
  std::vector<std::string> headings;
  for (const auto& column : columns) headings.push_back(column.title);
  return headings;
}

// "4,096 blocks, variant 2 of 3".
std::string grid_name(const KernelEntry& entry, const KernelRow& row) {
  const bool one = row.grid == std::array<std::int64_t, 3>{1, 1, 1};
  std::string name = analysis::shown(row.grid, "").text + (one ? " block" : " blocks");
  if (!row.variant) return name;
  const auto variants = std::ranges::count_if(entry.shapes, [&](const KernelRow* other) {
    return other->grid == row.grid && other->dynamic_shared_bytes == row.dynamic_shared_bytes &&
           other->process_id == row.process_id && other->device_id == row.device_id;
  });
  return name + fmt::format(", variant {} of {}", *row.variant, std::max(*row.variant, variants));
}

std::string place_in(const LineRow& line) {
  return line.file ? place_text(line.file, line.line)
                   : fmt::format("offset {:#x}", line.pc_offset.value_or(0));
}

DataPart findings_part(const KernelEntry& entry) {
  DataPart part{.heading = "Findings", .headings = {"What", "Where", "Would save", "Change"}};
  for (const auto* finding : entry.findings)
    part.rows.push_back({finding->rule + " " + finding->title, analysis::place_to_change(*finding),
                         text_of(Show::ns, finding->lost_ns, "not known"), unbroken(finding->advice)});
  return part;
}

}  // namespace

KernelDetails::KernelDetails(const analysis::Report& report)
    : report_(report),
      stacks_(report.call_sites),
      processes_(analysis::names_of_processes(report.processes)) {
  for (const auto& row : report.lines) lines_[row.kernel_id].push_back(&row);
  for (const auto& row : report.program.pointers) pointers_[row.kernel_id].push_back(&row);
}

// "rank 1", where several processes launched the kernel; else empty.
std::string KernelDetails::process_name(const KernelEntry& entry, const KernelRow& row) const {
  const auto process = processes_.find(row.process_id);
  return entry.family->processes.size() > 1 && process != processes_.end() ? process->second : "";
}

// "4,096 blocks"; where several processes launched the kernel, "rank 1: 4,096 blocks".
std::string KernelDetails::shape_name(const KernelEntry& entry, const KernelRow& row) const {
  const std::string process = process_name(entry, row);
  return process.empty() ? grid_name(entry, row) : process + ": " + grid_name(entry, row);
}

DataPart KernelDetails::shapes(const KernelEntry& entry) const {
  static const auto kColumns = analysis::columns_of<KernelRow>(
      "launches median_gpu_ns gpu_ns load.degree store.degree load.sectors_per_request "
      "store.sectors_per_request sector_efficiency l2_hit_ratio dram_read_bytes dram_write_bytes "
      "dram_bandwidth");
  static const auto kAccesses = analysis::columns_of<KernelRow>("traits").front();
  const auto accesses = [](const KernelRow* row) {
    const auto value = kAccesses.shown(*row);
    return value.state == analysis::Shown::State::there ? value.text : std::string();
  };
  DataPart part{.heading = "Shapes, counts per launch", .headings = headings_of(kColumns)};
  part.headings.insert(part.headings.begin(), "Grid");
  const std::size_t shown = std::min(entry.shapes.size(), kShapesListed);
  const std::string common = accesses(entry.shapes.front());
  const bool alike =
      std::ranges::all_of(entry.shapes, [&](const KernelRow* row) { return accesses(row) == common; });
  if (alike && !common.empty()) part.words.push_back(fmt::format("{}: {}.", kAccesses.title, common));
  if (std::ranges::any_of(entry.shapes, [](const KernelRow* row) { return row->variant.has_value(); }))
    part.words.emplace_back("Variants of a grid are launches that do different things.");
  for (const KernelRow* row : std::span(entry.shapes).first(shown)) {
    part.rows.push_back(cells_of(*row, kColumns));
    const std::string below = alike || accesses(row).empty() ? "" : "\n" + accesses(row);
    part.rows.back().insert(part.rows.back().begin(), shape_name(entry, *row) + below);
  }
  if (const auto left = entry.shapes.size() - shown; left > 0)
    part.words.push_back(fmt::format(
        "The {} shapes with the most GPU time; coalescope report FILE --csv kernels lists {} more.", shown,
        left));
  return part;
}

// What is known of a shape, and of flags those that are set.
DataPart KernelDetails::figures(const KernelEntry& entry, const KernelRow& row) const {
  DataPart part{.heading = "All figures for a grid of " + grid_name(entry, row)};
  if (const std::string process = process_name(entry, row); !process.empty()) part.heading += ", " + process;
  part.pairs = {"Name", row.full_name, "Mangled name", row.mangled_name};
  for (const auto& column : analysis::all_columns<KernelRow>()) {
    if (column.show == Show::hidden || column.key == "name") continue;
    const auto value = column.shown(row);
    if (value.state != analysis::Shown::State::there || value.text.empty()) continue;
    part.pairs.push_back(column.title);
    part.pairs.push_back(value.text);
  }
  return part;
}

DataPart KernelDetails::lines(const KernelEntry& entry) const {
  static const auto kColumns = analysis::columns_of<LineRow>(
      "sectors ideal_sectors surplus_sectors sectors_per_request least_degree..greatest_degree traits");
  DataPart part{.heading = "Memory instructions with surplus sectors, per launch",
                .headings = headings_of(kColumns)};
  part.headings.insert(part.headings.begin(), "Place");
  part.headings.emplace_back("Source");
  // Shapes share their code: a place is listed once, for the shape with the most GPU time.
  std::set<std::string> places;
  for (const KernelRow* row : entry.shapes) {
    const auto found = lines_.find(row->id);
    if (found == lines_.end()) continue;
    for (const LineRow* line : found->second) {
      const bool lost = line->surplus_sectors.value_or(0) > 0;
      if (part.rows.size() == kLinesListed || !lost || !places.insert(place_in(*line)).second) continue;
      part.rows.push_back(cells_of(*line, kColumns));
      part.rows.back().insert(part.rows.back().begin(), place_in(*line));
      part.rows.back().push_back(line->text.value_or(line->file ? "not shown" : "no line information"));
    }
  }
  return part;
}

DataPart KernelDetails::calls(const KernelEntry& entry) const {
  DataPart part{.heading = "Call sites", .headings = {"GPU time", "Launched by"}};
  std::map<std::string, std::int64_t> by_stack;
  for (const KernelRow* row : entry.shapes)
    for (const auto& site : row->call_sites) {
      const std::string stack = stacks_.text(site.call_site_id, 5);
      if (!stack.empty()) by_stack[stack] += site.estimated_ns;
    }
  std::vector<std::pair<std::int64_t, std::string>> order;
  for (const auto& [stack, gpu_ns] : by_stack) order.emplace_back(gpu_ns, stack);
  std::ranges::stable_sort(order, std::greater{}, [](const auto& each) { return each.first; });
  for (const auto& [gpu_ns, stack] : order)
    if (part.rows.size() < kCallsListed) part.rows.push_back({base::format_ns(gpu_ns), stack});
  return part;
}

DataPart KernelDetails::memory(const KernelEntry& entry) const {
  DataPart part{.heading = "Allocations behind its pointers",
                .headings = {"Grid", "Parameter", "Memory", "Allocation", "Offset in it", "Requested by"}};
  for (const KernelRow* row : entry.shapes) {
    const auto found = pointers_.find(row->id);
    if (found == pointers_.end()) continue;
    for (const auto* pointer : found->second) {
      if (part.rows.size() == kPointersListed) break;
      part.rows.push_back({shape_name(entry, *row), fmt::format("{}", pointer->parameter),
                           analysis::spoken(name_of(pointer->memory)),
                           text_of(Show::bytes, pointer->allocation_bytes, "not known"),
                           text_of(Show::bytes, pointer->offset_bytes, "not known"),
                           pointer->place.value_or("not known")});
    }
  }
  return part;
}

DataPart KernelDetails::missing(const KernelEntry& entry) const {
  std::map<std::string, std::set<const KernelRow*>> reasons;
  for (const KernelRow* row : entry.shapes)
    for (const auto& missing : row->unmeasured) reasons[missing.text].insert(row);
  DataPart part{.heading = "Not measured"};
  for (const auto& [text, shapes] : reasons) {
    if (part.words.size() == kReasonsListed) break;
    part.words.push_back(shapes.size() == 1 ? text : fmt::format("{} ({} shapes)", text, shapes.size()));
  }
  if (const auto left = reasons.size() - part.words.size(); left > 0)
    part.words.push_back(fmt::format("And {} more reasons.", left));
  if (const auto command = analysis::measure_more(report_, entry.shapes, true)) part.command = *command;
  return part;
}

std::vector<DataPart> KernelDetails::parts(const KernelEntry& entry) const {
  std::vector<DataPart> all{findings_part(entry), byte_levels_part(entry.shapes, report_),
                            shapes(entry),        lines(entry),
                            calls(entry),         memory(entry),
                            missing(entry)};
  std::erase_if(all, [](const DataPart& part) { return part.rows.empty() && part.words.empty(); });
  for (std::size_t at = 0; at < std::min(entry.shapes.size(), kShapesInFull); ++at)
    all.push_back(figures(entry, *entry.shapes[at]));
  return all;
}

}  // namespace coalescope::html
