// The order of a prediction for a kernel: (1) the bytes that each level carried in a launch, (2) how many of
// them repaired accesses would not need, (3) both priced at the level's bandwidth; the slowest level bounds
// the kernel, before and after, (4) a kernel that stays far below its bound waits for something else, so it
// gains less. docs/model.md compares the result with measured kernels.

#include "reports/analysis/gain.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <vector>

#include "core/base/units.h"
#include "reports/analysis/ratios.h"

namespace coalescope::analysis {
namespace {

// DRAM is read by 64 bytes, so a lone sector brings its neighbour; and a sector that is written in part is
// read first, so that a lone store moves two such pieces.
constexpr double kDramBytesALoadByte = 2;
constexpr double kDramBytesAStoreByte = 4;

// From this share of a level's bandwidth on the level counts as what the kernel waits for: scattered sectors
// reach no more of it than this (stride 32 on an H100).
constexpr double kSaturated = 0.6;

// A kernel that reaches this share of a level's bandwidth is limited by that level, whatever the others do.
constexpr double kFull = 0.8;

// Counters of different launches differ by about this much.
constexpr double kNoise = 0.02;

struct Surplus {
  double moved = 0;  // bytes of sectors touched, a launch
  double spare = 0;  // of these, bytes that a repaired access would not touch
};

std::optional<Surplus> surplus_of(const Access& access) {
  if (!access.sectors) return std::nullopt;
  const double moved = static_cast<double>(*access.sectors) * kSectorBytes;
  const auto needed = needed_share(access);
  if (!needed && *access.sectors > 0) return std::nullopt;
  return Surplus{moved, needed ? moved * std::max(0.0, 1 - *needed) : 0.0};
}

struct Traffic {
  std::string_view name;
  double bytes = 0;
  double needed_bytes = 0;
  double bandwidth = 0;
};

// `explained` is the most that the surplus can have caused here: other traffic (other caches,
// asynchronous copies) is never put down to it.
Traffic traffic(const Ceiling& ceiling, double bytes, double asked, double explained) {
  const double spare = std::min(std::max(0.0, bytes - asked), explained);
  return {ceiling.path, bytes, bytes - spare, ceiling.bandwidth};
}

Cost unknown(std::string basis) {
  return {std::nullopt, std::move(basis)};
}

std::int64_t rounded(double ns) {
  return std::llround(ns);
}

std::int64_t total(double ns_a_launch, const KernelRow& kernel) {
  return rounded(ns_a_launch * static_cast<double>(kernel.launches));
}

std::string basis_text(const Traffic& before, const Traffic& after, double utilisation) {
  const auto bytes = [](double value) { return base::format_bytes(std::round(value)); };
  return fmt::format("{} carried {} a launch, {} would do; {} reaches {}, this kernel {} of it", before.name,
                     bytes(before.bytes), bytes(before.needed_bytes), before.name,
                     base::format_bandwidth(before.bandwidth), base::format_share(utilisation)) +
         (after.name == before.name ? "" : fmt::format("; repaired, {} would bound it", after.name));
}

// The slowest level that is known carries no surplus: it was stopped above.
Cost hidden_surplus_cost(const Traffic& slowest, double utilisation, bool in_l2) {
  if (utilisation >= kFull) return {0, fmt::format("{} limits it, and carries no surplus", slowest.name)};
  if (in_l2) return unknown("not calibrated: its surplus stays in L2, whose bandwidth here is not known");
  return unknown(
      "cost unknown: L1 keeps its surplus from L2 and DRAM, and what it costs inside L1 is not known");
}

}  // namespace

std::optional<double> needed_share(const Access& access) {
  if (access.sector_efficiency) return std::min(1.0, *access.sector_efficiency);
  return best_sector_efficiency(access.data_bytes, access.sectors, access.requests);
}

Cost surplus_cost(const KernelRow& kernel, Operation operation, const Machine& machine) {
  const auto load = surplus_of(kernel.load), store = surplus_of(kernel.store);
  if (!load || !store) return unknown("cost unknown: its sectors were not measured");
  if (!kernel.median_gpu_ns || *kernel.median_gpu_ns <= 0)
    return unknown("cost unknown: none of its launches was timed");
  if (!kernel.l2_sectors || !kernel.dram_read_bytes || !kernel.dram_write_bytes)
    return unknown("cost unknown: its L2 and DRAM traffic was not measured");
  if (!machine.dram) return unknown("not calibrated: run 'coalescope calibrate' on this GPU");

  const double spare = load->spare + store->spare;
  const double own = operation == Operation::load ? load->spare : store->spare;
  if (own <= 0) return {0, "no surplus"};
  const auto others = kernel.atomic_sectors.value_or(0) + kernel.local_sectors.value_or(0);
  const double asked = load->moved + store->moved - spare + static_cast<double>(others * kSectorBytes);

  const double dram_bytes = static_cast<double>(*kernel.dram_read_bytes + *kernel.dram_write_bytes);
  const double l2_bytes = static_cast<double>(*kernel.l2_sectors * kSectorBytes);
  std::vector<Traffic> levels{
      traffic(*machine.dram, dram_bytes, asked,
              load->spare * kDramBytesALoadByte + store->spare * kDramBytesAStoreByte)};
  if (machine.l2) levels.push_back(traffic(*machine.l2, l2_bytes, asked, spare));

  const auto time = [](const Traffic& level) { return level.bytes / level.bandwidth * 1e9; };
  const auto needed_time = [](const Traffic& level) { return level.needed_bytes / level.bandwidth * 1e9; };
  const Traffic before = *std::ranges::max_element(levels, {}, time);
  const Traffic after = *std::ranges::max_element(levels, {}, needed_time);
  const double launch_ns = static_cast<double>(*kernel.median_gpu_ns);
  const double utilisation = time(before) / launch_ns;
  const double saved = 1 - needed_time(after) / time(before);
  if (saved < kNoise) return hidden_surplus_cost(before, utilisation, l2_bytes > asked && !machine.l2);
  const double weight = std::min(1.0, utilisation / kSaturated);
  return {total(launch_ns * weight * saved * own / spare, kernel), basis_text(before, after, utilisation)};
}

Cost slow_transfer_cost(const TransferRow& row) {
  if (!row.reference_bandwidth) return unknown("not calibrated: run 'coalescope calibrate' on this machine");
  const double reference_ns = static_cast<double>(row.bytes) / *row.reference_bandwidth * 1e9;
  return {std::max<std::int64_t>(0, rounded(static_cast<double>(row.gpu_ns) - reference_ns)),
          fmt::format("pinned memory reaches {} ({})", base::format_bandwidth(*row.reference_bandwidth),
                      row.reference.value_or("origin unknown"))};
}

Cost small_transfer_cost(const TransferRow& row, const Machine& machine) {
  if (!machine.copy_ns) return unknown("not calibrated: run 'coalescope calibrate' on this machine");
  const double fixed_ns = static_cast<double>(*machine.copy_ns) * static_cast<double>(row.transfers - 1);
  return {
      rounded(std::min(fixed_ns, static_cast<double>(row.gpu_ns))),
      fmt::format("each copy takes {} however small it is; the host's own time for the calls comes on top",
                  base::format_ns(*machine.copy_ns))};
}

Cost repeated_crossing_cost(const KernelRow& kernel, const Machine& machine) {
  if (!kernel.sysmem_sectors || !kernel.load.data_bytes || !kernel.store.data_bytes)
    return unknown("cost unknown: the bytes that it asked for were not measured");
  if (!machine.zero_copy_read) return unknown("not calibrated: run 'coalescope calibrate' on this machine");
  const double crossed = static_cast<double>(*kernel.sysmem_sectors * kSectorBytes);
  const double asked = static_cast<double>(*kernel.load.data_bytes + *kernel.store.data_bytes);
  const double ns = std::max(0.0, crossed - asked) / machine.zero_copy_read->bandwidth * 1e9;
  const double launch_ns = static_cast<double>(kernel.median_gpu_ns.value_or(0));
  return {total(std::min(ns, launch_ns), kernel),
          fmt::format("a launch moved {} over the bus for {} asked, and kernels read host memory at {}",
                      base::format_bytes(crossed), base::format_bytes(asked),
                      base::format_bandwidth(machine.zero_copy_read->bandwidth))};
}

}  // namespace coalescope::analysis
