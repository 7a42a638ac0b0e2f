// S01: bank conflicts. S02: global memory brought to shared memory through registers, again and again, where
// asynchronous copies could run beside the computation.

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/figures/access_shape.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rules/missing.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr double kConflictLimit = 0.1;
constexpr double kConflictLimitUnpriced = 0.5;
constexpr double kStagedShare = 0.5;   // of the load requests
constexpr double kLoadsOfACopy = 0.5;  // of the line's instructions, the others store
constexpr double kLeastTiles = 8;      // tiles for each warp: a few have nothing to run beside
constexpr double kMostWarps = 16;  // a limit of the rule: on a multiprocessor, more hide each other's waits
// A pipe that works for less than this share of a launch is taken to keep nobody waiting: 9 % are those of a
// histogram in shared memory that is as it should be, its twofold conflicts among them.
constexpr double kQuiet = 0.1;

Measure conflict_share(const KernelRow& row) {
  const SharedAccess& shared = row.shared;
  if (shared.requests == 0 || shared.wavefronts == 0) return measured(0);
  if (!shared.wavefronts || !shared.surplus_wavefronts)
    return lacks(row, model::Phase::lines, "shared-memory wavefronts");
  return measured(real(shared.surplus_wavefronts) / real(shared.wavefronts));
}

// Requests without conflicts do not reach the rate of wavefronts that conflicts do: what they take longer.
double slower_ns(const SharedAccess& shared, const Machine& machine) {
  if (!machine.shared_conflicts) return 0;
  const auto reached = profile::value_near(machine.shared_conflicts->curve, 1);
  if (!reached || *reached <= 0) return 0;
  const double ideal = real(shared.ideal_wavefronts);
  return std::max(0.0, ideal / *reached - ideal / *machine.wavefronts_per_ns);
}

// What bank conflicts cost: wavefronts beyond those that the same requests take without.
Cost conflict_cost(const KernelRow& kernel, const Machine& machine) {
  if (!kernel.shared.surplus_wavefronts)
    return unknown_cost("cost unknown: its wavefronts were not measured");
  if (!kernel.median_gpu_ns || *kernel.median_gpu_ns <= 0)
    return unknown_cost("cost unknown: none of its launches was timed");
  if (!machine.wavefronts_per_ns) return unknown_cost(kNotCalibrated);
  const double surplus = real(kernel.shared.surplus_wavefronts);
  const double busy =
      real(kernel.shared.wavefronts) / *machine.wavefronts_per_ns / real(kernel.median_gpu_ns);
  if (busy < kQuiet)
    return {0, fmt::format("shared memory is busy for {} of a launch, so that conflicts hide",
                           base::format_share(busy))};
  // Nor does what else it does let a repaired kernel keep the pipe busier than other pipes are when full.
  const double then = real(kernel.shared.ideal_wavefronts) / *machine.wavefronts_per_ns / kFull;
  const double most = real(kernel.median_gpu_ns) - std::max(floor_ns(kernel, machine), then);
  const double saved = surplus / *machine.wavefronts_per_ns - slower_ns(kernel.shared, machine);
  return {total(std::min(saved, most), kernel),
          fmt::format(
              "{} wavefronts per launch beyond those without conflicts, and this GPU does {:.0f} in a ns; "
              "they are not hidden behind memory, as blocks wait for them",
              base::format_count(rounded(surplus)), *machine.wavefronts_per_ns)};
}

Evidence conflict_evidence(const SharedAccess& shared) {
  const std::int64_t wavefronts = shared.wavefronts.value_or(0);
  const std::int64_t needed = wavefronts - shared.surplus_wavefronts.value_or(0);
  const double requests = std::max(1.0, real(shared.requests));
  const double a_request = real(shared.wavefronts) / requests;
  const double without_conflicts = real(shared.ideal_wavefronts) / requests;
  return {FactList()
              .count("wavefronts", wavefronts, "wavefronts")
              .count("needed_wavefronts", needed, "wavefronts")
              .add("wavefronts_per_request", a_request, "wavefronts")
              .add("ideal_wavefronts_per_request", without_conflicts, "wavefronts")
              .take(),
          fmt::format("{} wavefronts per launch (ideal: {}): {} per request, {} without conflicts",
                      base::format_count(wavefronts), base::format_count(needed),
                      base::format_ratio(a_request), base::format_ratio(without_conflicts))};
}

// Where blocks are narrower than a warp and lanes go along rows, a warp takes a part of several rows; they
// meet in banks unless the rows of a warp follow each other in them.
bool rows_of_a_warp_meet(const KernelSubject& kernel) {
  const double width = real(kernel.row.block[0]);
  if (width < 2 || width >= kWarpLanes || real(kernel.row.block[1]) < 2) return false;
  double wavefronts = 0, requests = 0;
  for (const LineRow* line : kernel.lines)
    if (real(line->shared.surplus_wavefronts) > 0) {
      wavefronts += real(line->shared.wavefronts);
      requests += real(line->shared.requests);
    }
  return requests > 0 && wavefronts / requests <= kWarpLanes / width * (1 + kConflictLimit);
}

Advice conflict_advice(const KernelSubject& kernel) {
  if (rows_of_a_warp_meet(kernel)) {
    const std::int64_t width = kernel.row.block[0];
    return {
        "S01.narrow_block", FactList().count("block_width", width, "threads").take(),
        fmt::format("A block is {0} threads wide, so that a warp takes parts of {1:.0f} rows, which meet in "
                    "the same banks: make the block 32 threads wide, or the rows of the array {0} words "
                    "longer than a multiple of 32.",
                    width, kWarpLanes / static_cast<double>(width))};
  }
  return {"S01.pad_rows",
          {},
          "Lanes of a warp use different words of the same bank: pad the rows by one word (a[32][33] instead "
          "of a[32][32]), or permute the columns (column ^ row), so that a column lies in 32 banks."};
}

Assessment assess_conflicts(const KernelSubject& kernel) {
  const Measure share = conflict_share(kernel.row);
  if (!share.reaches(kConflictLimit)) return {share};
  return {share, conflict_cost(kernel.row, kernel.machine), conflict_evidence(kernel.row.shared),
          conflict_advice(kernel)};
}

// A line that loads from global and stores to shared memory as often: tile[i] = in[j].
bool is_staging(const LineRow& line) {
  return line.loads.value_or(0) > 0 && line.shared.requests.value_or(0) >= *line.loads &&
         line.stores.value_or(0) == 0 && line.async_copies.value_or(0) == 0;
}

Measure staged_share(const KernelSubject& kernel) {
  if (kernel.lines.empty()) return lacks(kernel.row, model::Phase::lines, "its source lines");
  const double warps = std::max(1.0, warps_of(kernel.row));
  if (!kernel.device || !kernel.device->multiprocessors)
    return not_measured("how many multiprocessors the GPU has was not recorded");
  if (warps > kMostWarps * real(kernel.device->multiprocessors)) return measured(0);
  double staged = 0, loads = 0;
  for (const LineRow* line : kernel.lines) {
    loads += real(line->loads);
    if (is_staging(*line) && real(line->loads) >= kLeastTiles * warps) staged += real(line->loads);
  }
  return measured(loads > 0 ? staged / loads : 0);
}

// One wait for each tile, which several lines may fill at once; those of the blocks of a multiprocessor
// overlap.
double waits_ns(const KernelSubject& kernel) {
  const double blocks = blocks_of(kernel.row) / std::max(1.0, real(kernel.device->multiprocessors));
  double loads = 0;
  for (const LineRow* line : kernel.lines)
    if (is_staging(*line))
      loads = std::max(
          loads, real(line->loads) / std::max(1.0, kLoadsOfACopy * static_cast<double>(line->instructions)));
  return loads / std::max(1.0, warps_of(kernel.row)) * kernel.machine.chip.tile_wait_ns /
         std::max(1.0, blocks);
}

// What a kernel of few warps loses by waiting for each tile.
Cost exposed_latency_cost(const KernelSubject& kernel) {
  const KernelRow& row = kernel.row;
  if (auto missing = missing_input(row, kernel.machine)) return unknown_cost(*missing);
  const double launch_ns = real(row.median_gpu_ns);
  const Bound bound = longest(bounds_of(*work_of(row), kernel.machine));
  const double most = launch_ns - std::max(bound.ns / kFull, issue_ns(row, kernel.machine));
  return {total(std::min(most, waits_ns(kernel)), row),
          fmt::format("{} needs {} of the {} of a launch, and each tile is waited for up to {}",
                      name_of(bound.level), base::format_ns(rounded(bound.ns)),
                      base::format_ns(rounded(launch_ns)),
                      base::format_ns(rounded(kernel.machine.chip.tile_wait_ns)))};
}

Assessment assess_staging(const KernelSubject& kernel) {
  const Measure share = staged_share(kernel);
  if (!share.reaches(kStagedShare)) return {share};
  return {share,
          exposed_latency_cost(kernel),
          {FactList().add("staged_share", share.value, "share").take(),
           fmt::format("{} of the load requests go to shared memory at once, tile by tile, with few warps to "
                       "hide the waits",
                       base::format_share(*share.value))},
          {"S02.asynchronous_copies",
           {},
           "Use asynchronous copies (__pipeline_memcpy_async or cuda::memcpy_async, 4, 8 or 16 bytes a "
           "thread) and fetch the next tile while this one is used. Try it on one kernel first: on some "
           "sizes it gains nothing."}};
}

}  // namespace

constinit const Rule<KernelSubject> kBankConflicts{
    {"S01", "Bank conflicts", "remove the bank conflicts of {}", "B1 B2 B3",
     "share of the shared-memory wavefronts that conflicts cause", kConflictLimit, kConflictLimitUnpriced,
     false, "B1: strides with a common factor of 32 speak, odd ones and B2 do not", "", Picture::none, 0.14},
    assess_conflicts,
    [](const LineRow& line) -> std::optional<double> {
      if (line.shared.surplus_wavefronts.value_or(0) == 0) return std::nullopt;
      return real(line.shared.surplus_wavefronts);
    }};

constinit const Rule<KernelSubject> kStagingThroughRegisters{
    {"S02", "Copies to shared memory through registers", "copy to shared memory asynchronously in {}", "B4",
     "share of the load requests that only fill shared memory, in rounds", kStagedShare, kStagedShare, true,
     "B4: the copy through registers speaks, the asynchronous one does not"},
    assess_staging,
    [](const LineRow& line) -> std::optional<double> {
      if (!is_staging(line)) return std::nullopt;
      return real(line.loads);
    }};

}  // namespace coalescope::analysis
