#include "reports/analysis/rows/kernel_families.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "core/base/whole.h"
#include "core/model/phases.h"
#include "reports/analysis/figures/access_shape.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rows/kernel_rows.h"

namespace coalescope::analysis {
namespace {

using model::Phase;
using Members = std::vector<const KernelRow*>;

// No estimate has a larger error. The DRAM traffic of short kernels has errors up to ten times as large,
// because what L2 holds of their data depends on what ran before.
constexpr double kWorstEstimate = 0.05;

// A count per launch, by the name that it has in a report.
struct Counted {
  std::string_view name;
  bool traffic;  // missing where launches of one shape differ: see KernelRow::mixed
  Count (*count)(const KernelRow&);
};
constexpr std::array kCounted{
    Counted{"load_bytes", false, [](const KernelRow& row) { return row.load.data_bytes; }},
    Counted{"load_sectors", false, [](const KernelRow& row) { return row.load.sectors; }},
    Counted{"store_bytes", false, [](const KernelRow& row) { return row.store.data_bytes; }},
    Counted{"store_sectors", false, [](const KernelRow& row) { return row.store.sectors; }},
    Counted{"l2_sectors", true, [](const KernelRow& row) { return row.l2_sectors; }},
    Counted{"dram_bytes", true,
            [](const KernelRow& row) {
              return row.dram_read_bytes && row.dram_write_bytes
                         ? Count(*row.dram_read_bytes + *row.dram_write_bytes)
                         : std::nullopt;
            }},
};

// A count per launch at a number of blocks.
struct Sample {
  double blocks, value;
};

// `samples` by rising blocks; not empty.
double value_at(std::span<const Sample> samples, double blocks) {
  const auto above = std::ranges::lower_bound(samples, blocks, {}, &Sample::blocks);
  if (above != samples.end() && above->blocks == blocks) return above->value;
  if (above == samples.begin() || above == samples.end()) {
    const Sample& end = above == samples.end() ? samples.back() : samples.front();
    return end.blocks > 0 ? end.value * blocks / end.blocks : end.value;
  }
  const Sample& below = *std::prev(above);
  return below.value +
         (above->value - below.value) * (blocks - below.blocks) / (above->blocks - below.blocks);
}

std::optional<double> error_of(const std::vector<Sample>& samples) {
  std::vector<double> errors;
  for (std::size_t i = 1; i + 1 < samples.size(); ++i) {
    const std::array neighbours{samples[i - 1], samples[i + 1]};
    if (samples[i].value > 0)
      errors.push_back(std::abs(value_at(neighbours, samples[i].blocks) / samples[i].value - 1));
  }
  if (errors.empty()) return std::nullopt;
  const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
  std::ranges::nth_element(errors, middle);
  return *middle;
}

// Of shapes with as many blocks the one with the most GPU time stands for the size.
std::vector<Sample> measured_sizes(const Members& members, const Counted& counted) {
  std::map<double, double> by_blocks;
  for (const KernelRow* row : members)
    if (const Count count = counted.count(*row)) by_blocks.emplace(blocks_of(*row), real(count));
  std::vector<Sample> samples;
  for (const auto& [blocks, value] : by_blocks) samples.push_back({blocks, value});
  return samples;
}

FamilyTotal total_of(const Members& members, const Counted& counted) {
  FamilyTotal total;
  total.count = counted.name;
  const std::vector<Sample> samples = measured_sizes(members, counted);
  if (samples.empty()) return total;
  double measured = 0, others = 0;
  bool all = true;
  for (const KernelRow* row : members) {
    const Count count = counted.count(*row);
    all = all && count.has_value();
    const double per_launch = count ? real(count) : value_at(samples, blocks_of(*row));
    (count ? measured : others) += per_launch * static_cast<double>(row->launches);
  }
  const auto whole = [](double sum) { return plausible(sum) ? Count(std::llround(sum)) : std::nullopt; };
  total.measured = whole(measured);
  if (all) return total;
  total.error = error_of(samples);
  const bool differ = counted.traffic && std::ranges::any_of(members, [](const KernelRow* row) {
                        return row->mixed.has_value();
                      });
  if (!differ && total.error && *total.error <= kWorstEstimate) total.estimated = whole(measured + others);
  return total;
}

FamilyPhase phase_of(const Members& members, Phase phase) {
  FamilyPhase result{phase, 0, std::nullopt};
  double measured_ns = 0, all_ns = 0;
  std::set<ShapeKey> shapes;
  for (const KernelRow* row : members) {
    all_ns += real(row->gpu_ns);
    if ((row->*samples_of(phase)).measured == 0) continue;
    shapes.insert(shape_key(*row));
    measured_ns += real(row->gpu_ns);
  }
  result.shapes = std::ssize(shapes);
  if (all_ns > 0) result.share = measured_ns / all_ns;
  return result;
}

Spread spread_of(const Members& members, std::optional<double> (*ratio)(const KernelRow&)) {
  Spread spread;
  for (const KernelRow* row : members) {
    const auto value = ratio(*row);
    if (!value) continue;
    spread.least = std::min(spread.least.value_or(*value), *value);
    spread.greatest = std::max(spread.greatest.value_or(*value), *value);
  }
  return spread;
}

void take_spreads(KernelFamily& family, const Members& members) {
  family.load_degree = spread_of(members, [](const KernelRow& row) { return row.load.degree; });
  family.store_degree = spread_of(members, [](const KernelRow& row) { return row.store.degree; });
  family.load_sectors_per_request =
      spread_of(members, [](const KernelRow& row) { return row.load.sectors_per_request; });
  family.store_sectors_per_request =
      spread_of(members, [](const KernelRow& row) { return row.store.sectors_per_request; });
  family.l2_hit_ratio = spread_of(members, [](const KernelRow& row) { return row.l2_hit_ratio; });
  const auto has = [&](Access KernelRow::*access) {
    return std::ranges::any_of(members,
                               [&](const KernelRow* row) { return (row->*access).sectors.value_or(1) != 0; });
  };
  family.has_loads = has(&KernelRow::load);
  family.has_stores = has(&KernelRow::store);
  family.uses_tma = std::ranges::any_of(
      members, [](const KernelRow* row) { return row->tma_instructions.value_or(0) > 0; });
}

void take_processes(KernelFamily& family, const Members& members) {
  std::map<std::int64_t, Count> times;
  for (const KernelRow* row : members) {
    Count& ns = times[row->process_id];
    base::add_known(ns, row->gpu_ns);
  }
  for (const auto& [process, ns] : times) family.processes.push_back({process, ns});
  std::ranges::stable_sort(family.processes, std::greater{},
                           [](const ProcessTime& each) { return each.gpu_ns.value_or(-1); });
  if (times.size() < 2 || real(family.gpu_ns) <= 0) return;
  const double mean = real(family.gpu_ns) / static_cast<double>(times.size());
  family.imbalance = real(family.processes.front().gpu_ns) / mean - 1;
}

KernelFamily family_of(const Members& members) {
  const KernelRow& first = *members.front();
  KernelFamily family;
  family.name = first.name;
  family.full_name = first.full_name;
  family.mangled_name = first.mangled_name;
  family.block = first.block;
  std::set<ShapeKey> shapes;
  for (const KernelRow* row : members) {
    family.kernel_ids.push_back(row->id);
    shapes.insert(shape_key(*row));
    family.launches += row->launches;
    family.timed_launches += row->timed_launches;
    family.mixed = family.mixed || row->mixed.has_value();
    if (row->variant) ++family.variants;
    base::add_known(family.gpu_ns, row->gpu_ns);
  }
  family.shapes = std::ssize(shapes);
  take_spreads(family, members);
  for (const model::WayOfMeasuring& way : model::kWaysOfMeasuring)
    if (way.in_turn) family.phases.push_back(phase_of(members, way.phase));
  for (const Counted& counted : kCounted) family.totals.push_back(total_of(members, counted));
  take_processes(family, members);
  return family;
}

}  // namespace

FunctionKey function_key(const KernelRow& row) {
  return {row.mangled_name, row.of_that_name};
}

FamilyKey family_key(const KernelRow& row) {
  return {row.mangled_name, row.of_that_name, row.block};
}

ShapeKey shape_key(const KernelRow& row) {
  return {family_key(row), row.grid, row.dynamic_shared_bytes};
}

const FamilyTotal* find_total(const KernelFamily& family, std::string_view count) {
  const auto found = std::ranges::find(family.totals, count, &FamilyTotal::count);
  return found == family.totals.end() ? nullptr : &*found;
}

std::vector<KernelFamily> kernel_families(std::span<const KernelRow> kernels) {
  std::map<FamilyKey, Members> members;
  for (const KernelRow& row : kernels) members[family_key(row)].push_back(&row);
  std::vector<KernelFamily> families;
  for (const auto& [key, rows] : members) families.push_back(family_of(rows));
  std::ranges::stable_sort(families, std::greater{},
                           [](const KernelFamily& family) { return family.gpu_ns.value_or(-1); });
  return families;
}

}  // namespace coalescope::analysis
