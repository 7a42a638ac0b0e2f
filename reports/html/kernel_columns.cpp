#include "reports/html/kernel_columns.h"

#include <array>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/rows/kernel_families.h"
#include "reports/html/field_columns.h"

namespace coalescope::html {
namespace {

using analysis::FamilyPhase;
using analysis::KernelFamily;
using analysis::KernelRow;
using analysis::Show;

Cell name(const KernelRow& row) {
  Html shown = element("code", {{"class", "name"}}, row.name);
  shown << element("small", fmt::format("{} blocks of {} threads", analysis::shown(row.grid, "").text,
                                        analysis::shown(row.block, "").text));
  if (!row.traits.empty()) shown << element("small", {{"class", "traits"}}, analysis::joined(row.traits));
  return {shown, row.full_name, std::nullopt};
}

Cell samples(const KernelRow& row) {
  const std::array phases{std::pair("bytes", row.bytes), std::pair("lines", row.lines),
                          std::pair("traffic", row.traffic), std::pair("hits", row.hits)};
  std::int64_t most = 0;
  std::vector<std::string> all;
  for (const auto& [phase, samples] : phases) {
    most = std::max(most, samples.measured);
    all.push_back(fmt::format("{}: {}", phase, samples_text(samples)));
  }
  return {samples_text({most, row.launches}), analysis::joined(all), static_cast<double>(most)};
}

Cell family_name(const KernelFamily& family) {
  Html shown = element("a", {{"href", "#" + kernel_anchor(family.kernel_ids.front())}},
                       element("code", {{"class", "name"}}, family.name));
  std::string text = fmt::format("blocks of {} threads", analysis::shown(family.block, "").text);
  if (family.variants > 0) text += fmt::format("; {} variants, which do different things", family.variants);
  if (family.mixed) text += "; mixed: its launches differ";
  if (family.imbalance)
    text += fmt::format("; {} processes, imbalance {}", family.processes.size(),
                        base::format_share(*family.imbalance));
  shown << element("small", text);
  return {shown, family.full_name, std::nullopt};
}

Cell dram_total(const KernelFamily& family) {
  const auto* total = analysis::find_total(family, "dram_bytes");
  const std::string sampled = analysis::sampled(family, model::Phase::traffic);
  if (!total || !total->measured) return missing("not measured", "", sampled);
  Cell cell = cell_of(analysis::shown(Show::bytes, "", *total->measured), Show::bytes);
  cell.title += "; " + sampled;
  if (!total->estimated) return cell;
  std::string text = "all: about " + text_of(Show::bytes, total->estimated);
  if (total->error) text += ", each " + base::format_share(*total->error) + " off";
  cell.shown << element("small", {{"title", "estimated from the sizes that were measured"}}, text);
  return cell;
}

Cell measured_share(const KernelFamily& family) {
  std::vector<std::string> all;
  double least = 1;
  for (const FamilyPhase& phase : family.phases) {
    least = std::min(least, phase.share.value_or(0));
    all.push_back(
        fmt::format("{}: {} of its time", name_of(phase.phase), base::format_share(phase.share.value_or(0))));
  }
  return {Html(base::format_share(least)), analysis::joined(all), least};
}

}  // namespace

std::vector<Column<KernelRow>> kernel_columns() {
  using K = KernelRow;
  std::vector<Column<K>> columns{
      {"", "Kernel", "Launches of one kernel with the same grid and block. The full name is in the title.",
       Align::text, name, "name grid block traits"},
      field<K>("launches"),
      field<K>("gpu_ns share"),
      field<K>("median_gpu_ns"),
      field<K>("load.degree load.l2_degree load.dram_degree"),
      field<K>("store.degree store.l2_degree store.dram_degree"),
      field<K>("load.sectors_per_request"),
      field<K>("store.sectors_per_request"),
      field<K>("sector_efficiency"),
      field<K>("l2_hit_ratio"),
      field<K>("dram_read_bytes"),
      field<K>("dram_write_bytes"),
      field<K>("dram_bandwidth"),
      {"", "Samples",
       "On how many launches the counts stand. Only a few are measured: counting slows a launch down.",
       Align::text, samples}};
  fold_rest(columns);
  return columns;
}

std::vector<Column<KernelFamily>> family_columns() {
  using F = KernelFamily;
  return {{"", "Kernel", "One function with one block size, in all its grids and processes.", Align::text,
           family_name},
          field<F>("shapes"),
          field<F>("launches"),
          field<F>("gpu_ns share"),
          field<F>("load_degree"),
          field<F>("store_degree"),
          field<F>("l2_hit_ratio"),
          {"DRAM", "All launches",
           "Bytes read and written by the shapes that were measured; below, an estimate for all shapes.",
           Align::number, dram_total},
          {"", "Measured", "Share of its GPU time in shapes that were measured in every way.", Align::number,
           measured_share}};
}

}  // namespace coalescope::html
