#include "reports/html/kernel_columns.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/rows/kernel_families.h"
#include "reports/analysis/view/columns.h"
#include "reports/analysis/view/view.h"

namespace coalescope::html {
namespace {

using analysis::counted;
using analysis::FamilyPhase;
using analysis::KernelFamily;
using analysis::Show;

// "PyTorch ATen; blocks of 128, 2 shapes".
std::string under_name(const KernelEntry& entry) {
  const KernelFamily& family = *entry.family;
  const auto& first = *entry.shapes.front();
  std::string text = first.owner.empty() ? "" : first.owner + "; ";
  text += "blocks of " + analysis::shown(family.block, "").text;
  if (family.shapes > 1) text += ", " + counted(family.shapes, "shape", "shapes");
  if (family.variants > 0) text += ", " + counted(family.variants, "variant", "variants");
  if (family.mixed) text += ", mixed: its launches differ";
  if (family.imbalance)
    text += fmt::format(", {} processes, imbalance {}", family.processes.size(),
                        base::format_share(*family.imbalance));
  return text;
}

DataCell kernel_name(const KernelEntry& entry) {
  const std::string& name = entry.family->name;
  return {name.empty() ? "(no name)" : shortened(name), under_name(entry), "", std::nullopt};
}

// Why its costliest shape has none; empty: the capture does not say.
std::string reason_of(const KernelEntry& entry, model::Phase phase) {
  const auto& unmeasured = entry.shapes.front()->unmeasured;
  const auto gap = std::ranges::find(unmeasured, phase, &analysis::Unmeasured::phase);
  return gap == unmeasured.end() ? std::string() : gap->text;
}

// Declared fields of the family: the first, and a second one under it.
std::function<DataCell(const KernelEntry&)> family_field(analysis::Keys<KernelFamily> keys,
                                                         const std::string& unit = "",
                                                         std::optional<model::Phase> phase = {}) {
  return [columns = analysis::columns_of(keys), unit, phase](const KernelEntry& entry) {
    DataCell cell = data_cell(columns.front().shown(*entry.family));
    if (const auto reason = phase && !cell.order ? reason_of(entry, *phase) : std::string(); !reason.empty())
      cell.exact = reason;
    if (columns.size() > 1 && cell.order) cell.note = columns[1].shown(*entry.family).text + unit;
    return cell;
  };
}

DataCell saving_of(const KernelEntry& entry) {
  if (entry.findings.empty()) return {};
  const std::string note = counted(std::ssize(entry.findings), "finding", "findings");
  if (!entry.lost_ns) return {"not known", note, "the saving could not be predicted", std::nullopt};
  DataCell cell = data_cell(analysis::shown(Show::ns, "ns", *entry.lost_ns));
  cell.note = note;
  cell.exact += ": the largest of its findings";
  return cell;
}

DataCell dram_bytes(const KernelEntry& entry) {
  const auto* total = analysis::find_total(*entry.family, "dram_bytes");
  const std::string sampled = analysis::sampled(*entry.family, model::Phase::traffic);
  if (!total || !total->measured) return {"—", "", sampled, std::nullopt};
  DataCell cell = data_cell(analysis::shown(Show::bytes, "bytes", *total->measured));
  cell.exact += "; " + sampled;
  if (!total->estimated) return cell;
  cell.note = "all: about " + text_of(Show::bytes, total->estimated);
  cell.order = static_cast<double>(*total->estimated);
  if (total->error) cell.exact += ", each shape " + base::format_share(*total->error) + " off";
  return cell;
}

DataCell measured_share(const KernelEntry& entry) {
  std::vector<std::string> all;
  double least = entry.family->phases.empty() ? 0 : 1;
  for (const FamilyPhase& phase : entry.family->phases) {
    least = std::min(least, phase.share.value_or(0));
    all.push_back(
        fmt::format("{}: {} of its time", name_of(phase.phase), base::format_share(phase.share.value_or(0))));
  }
  return {base::format_share(least), "", analysis::joined(all), least};
}

}  // namespace

const std::vector<KernelColumn>& kernel_columns() {
  static const std::vector<KernelColumn> kColumns{
      {{"", "Kernel", "One function with one block size, in all its grids and processes.", Look::code},
       kernel_name},
      {{"", "Launches", "How often it was launched."}, family_field("launches")},
      {{"", "GPU time", "Of all launches; below, its share of the GPU time of the run."},
       family_field("gpu_ns share")},
      {{"", "Would save", "GPU time that its largest finding would save."}, saving_of},
      {{"Degree of coalescing", "Loads",
        "Bytes requested / bytes moved, least and greatest of its shapes; below, sectors per request: 4 is "
        "perfect for 4-byte words."},
       family_field("load_degree load_sectors_per_request", " sectors", model::Phase::bytes)},
      {{"Degree of coalescing", "Stores", "The same of its stores."},
       family_field("store_degree store_sectors_per_request", " sectors", model::Phase::bytes)},
      {{"", "L2 hits", "Sectors that L2 already held / sectors requested from it."},
       family_field("l2_hit_ratio", "", model::Phase::hits)},
      {{"", "DRAM bytes", "Read and written by all launches of the shapes that were measured."},
       dram_bytes,
       " Below, an estimate for all shapes."},
      {{"", "Measured", "Share of its GPU time in shapes that were measured in every way."}, measured_share}};
  return kColumns;
}

std::vector<KernelEntry> kernel_entries(const analysis::Report& report) {
  const auto rows = analysis::kernels_by_id(report);
  std::vector<KernelEntry> entries;
  std::unordered_map<std::int64_t, std::size_t> place;
  for (const KernelFamily& family : report.kernel_families) {
    KernelEntry entry{&family, {}, {}, {}};
    for (const auto id : family.kernel_ids)
      if (const auto row = rows.find(id); row != rows.end()) entry.shapes.push_back(row->second);
    if (entry.shapes.empty()) continue;
    for (const auto id : family.kernel_ids) place.emplace(id, entries.size());
    entries.push_back(std::move(entry));
  }
  for (const auto& finding : report.findings) {
    const auto found = finding.kernel_id ? place.find(*finding.kernel_id) : place.end();
    if (found == place.end()) continue;
    KernelEntry& entry = entries[found->second];
    entry.findings.push_back(&finding);
    if (finding.lost_ns) entry.lost_ns = std::max(entry.lost_ns.value_or(0), *finding.lost_ns);
  }
  return entries;
}

}  // namespace coalescope::html
