#include "reports/html/family_columns.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/rows/kernel_families.h"
#include "reports/html/values.h"

namespace coalescope::html {
namespace {

using analysis::FamilyPhase;
using analysis::KernelFamily;
using analysis::Spread;
using model::Phase;

const FamilyPhase* phase_of(const KernelFamily& family, Phase phase) {
  const auto found = std::ranges::find(family.phases, phase, &FamilyPhase::phase);
  return found == family.phases.end() ? nullptr : &*found;
}

std::string shapes_measured(const KernelFamily& family, Phase phase) {
  const FamilyPhase* measured = phase_of(family, phase);
  return fmt::format("measured in {} of {}", measured ? measured->shapes : 0,
                     counted(family.shapes, "shape", "shapes"));
}

Cell family_name(const KernelFamily& family) {
  Html shown = element("a", {{"href", "#" + kernel_anchor(family.kernel_ids.front())}},
                       element("code", {{"class", "name"}}, family.name));
  std::string text = fmt::format("blocks of {} threads", family.block[0] * family.block[1] * family.block[2]);
  if (family.variants > 0) text += fmt::format("; {} variants, which do different things", family.variants);
  if (family.mixed) text += "; mixed: its launches differ";
  if (family.imbalance)
    text += fmt::format("; {} processes, imbalance {}", family.processes.size(),
                        base::format_share(*family.imbalance));
  shown << element("small", text);
  return {shown, family.full_name, std::nullopt};
}

Cell family_shapes(const KernelFamily& family) {
  return count_cell(family.shapes, "shapes");
}
Cell family_launches(const KernelFamily& family) {
  return count_cell(family.launches, "launches");
}

Cell family_time(const KernelFamily& family) {
  if (!family.gpu_ns) return missing("not measured", "", "no launch of it was timed");
  Cell cell = time_cell(*family.gpu_ns);
  if (family.share) cell.shown << element("small", base::format_share(*family.share)) << bar(*family.share);
  return cell;
}

// Both ends, unless they look the same.
Cell spread_cell(const KernelFamily& family, const Spread& spread, Phase phase, bool there) {
  if (!there) return missing("none", "", shapes_measured(family, phase));
  if (!spread.least) return missing("not measured", "", shapes_measured(family, phase));
  const std::string least = base::format_share(*spread.least), most = base::format_share(*spread.greatest);
  return {Html(least == most ? least : least + " to " + most), shapes_measured(family, phase), spread.least};
}
Cell family_loads(const KernelFamily& family) {
  return spread_cell(family, family.load_degree, Phase::bytes, family.has_loads);
}
Cell family_stores(const KernelFamily& family) {
  return spread_cell(family, family.store_degree, Phase::bytes, family.has_stores);
}
Cell family_hits(const KernelFamily& family) {
  return spread_cell(family, family.l2_hit_ratio, Phase::hits, true);
}

Cell dram_total(const KernelFamily& family) {
  const auto* total = analysis::find_total(family, "dram_bytes");
  if (!total || !total->measured) return missing("not measured", "", shapes_measured(family, Phase::traffic));
  Cell cell = bytes_cell(*total->measured);
  cell.title += "; " + shapes_measured(family, Phase::traffic);
  if (!total->estimated) return cell;
  std::string text = "all: about " + base::format_bytes(static_cast<double>(*total->estimated));
  if (total->error) text += ", each " + base::format_share(*total->error) + " off";
  cell.shown << element("small", {{"title", "estimated from the sizes that were measured"}}, text);
  return cell;
}

Cell measured_share(const KernelFamily& family) {
  std::string text;
  double least = 1;
  for (const FamilyPhase& phase : family.phases) {
    least = std::min(least, phase.share.value_or(0));
    text += fmt::format("{}{}: {} of its time", text.empty() ? "" : "; ", name_of(phase.phase),
                        base::format_share(phase.share.value_or(0)));
  }
  return {Html(base::format_share(least)), text, least};
}

constexpr std::array<Column<KernelFamily>, 9> kFamilyColumns{{
    {"", "Kernel", "One function with one block size, in all its grids and processes.", Align::text,
     family_name},
    {"", "Shapes", "Different grids.", Align::number, family_shapes},
    {"Time", "Launches", "How often it was launched.", Align::number, family_launches},
    {"Time", "GPU time", "Time on the GPU, all launches together, and its share of the GPU time.",
     Align::number, family_time},
    {"Degree of coalescing", "Loads", "The least and the greatest of the shapes that were measured.",
     Align::number, family_loads},
    {"Degree of coalescing", "Stores", "The same for global stores.", Align::number, family_stores},
    {"L2", "Hits", "The least and the greatest of the shapes that were measured.", Align::number,
     family_hits},
    {"DRAM", "All launches",
     "Bytes read and written by the shapes that were measured; below, an estimate for all shapes.",
     Align::number, dram_total},
    {"", "Measured", "Share of its GPU time in shapes that were measured in every way.", Align::number,
     measured_share},
}};

}  // namespace

std::span<const Column<KernelFamily>> family_columns() {
  return kFamilyColumns;
}

}  // namespace coalescope::html
