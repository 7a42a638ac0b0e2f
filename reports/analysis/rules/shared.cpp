// S01: bank conflicts. S02: global memory brought to shared memory through registers, again and again, where
// asynchronous copies could run beside the computation.

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/access_shape.h"
#include "reports/analysis/ratios.h"
#include "reports/analysis/rules/missing.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr double kConflictLimit = 0.1;
constexpr double kConflictLimitUnpriced = 0.5;
constexpr double kStagedShare = 0.5;  // of the load requests
constexpr double kLeastRounds = 8;    // tiles for each warp: a few have nothing to run beside
constexpr double kMostWarps = 16;     // on a multiprocessor: more of them hide the waits of each other

Measure conflict_share(const KernelSubject& kernel) {
  const SharedAccess& shared = kernel.row.shared;
  if (shared.requests == 0 || shared.wavefronts == 0) return measured(0);
  if (!shared.wavefronts || !shared.surplus_wavefronts)
    return lacks(kernel.row, model::Phase::lines, "shared-memory wavefronts");
  return measured(real(shared.surplus_wavefronts) / real(shared.wavefronts));
}

// A line that loads from global and stores to shared memory as often: tile[i] = in[j].
bool is_staging(const LineRow& line) {
  return line.loads.value_or(0) > 0 && line.shared.requests.value_or(0) >= *line.loads &&
         line.stores.value_or(0) == 0 && line.async_copies.value_or(0) == 0;
}

Measure staged_share(const KernelSubject& kernel) {
  if (kernel.lines.empty()) return lacks(kernel.row, model::Phase::lines, "its lines");
  const double warps = std::max(1.0, blocks_of(kernel.row) * threads_of(kernel.row) / kWarpLanes);
  if (!kernel.device || !kernel.device->multiprocessors)
    return not_measured("how many multiprocessors the GPU has was not recorded");
  if (warps > kMostWarps * real(kernel.device->multiprocessors)) return measured(0);
  double staged = 0, loads = 0;
  for (const LineRow* line : kernel.lines) {
    loads += real(line->loads);
    if (is_staging(*line) && real(line->loads) >= kLeastRounds * warps) staged += real(line->loads);
  }
  return measured(loads > 0 ? staged / loads : 0);
}

}  // namespace

constinit const Rule<KernelSubject> kBankConflicts{
    {"S01", "Bank conflicts", "B1 B2 B3", "share of the shared-memory wavefronts that conflicts cause",
     kConflictLimit, kConflictLimitUnpriced, false,
     "B1: strides with a common factor of 32 speak, odd ones and B2 do not"},
    conflict_share,
    [](const KernelSubject& kernel) { return conflict_cost(kernel.row, kernel.machine); },
    [](const KernelSubject& kernel) {
      const SharedAccess& shared = kernel.row.shared;
      return fmt::format(
          "{} wavefronts a launch where {} would do: {} a request, {} without conflicts",
          base::format_count(shared.wavefronts.value_or(0)),
          base::format_count(shared.wavefronts.value_or(0) - shared.surplus_wavefronts.value_or(0)),
          base::format_ratio(real(shared.wavefronts) / std::max(1.0, real(shared.requests))),
          base::format_ratio(real(shared.ideal_wavefronts) / std::max(1.0, real(shared.requests))));
    },
    [](const KernelSubject&) {
      return std::string(
          "Lanes of a warp use different words of the same bank: pad the rows by one word (a[32][33] instead "
          "of "
          "a[32][32]), or permute the columns (column ^ row), so that a column lies in 32 banks.");
    },
    [](const LineRow& line) -> std::optional<double> {
      if (line.shared.surplus_wavefronts.value_or(0) == 0) return std::nullopt;
      return real(line.shared.surplus_wavefronts);
    }};

constinit const Rule<KernelSubject> kStagingThroughRegisters{
    {"S02", "Copies to shared memory through registers", "B4",
     "share of the load requests that only fill shared memory, in rounds", kStagedShare, kStagedShare, true,
     "B4: the copy through registers speaks, the asynchronous one does not"},
    staged_share,
    [](const KernelSubject& kernel) { return exposed_latency_cost(kernel.row, kernel.machine); },
    [](const KernelSubject& kernel) {
      return fmt::format(
          "{} of the load requests go to shared memory at once, tile by tile, with few warps to hide the "
          "waits",
          base::format_share(staged_share(kernel).value.value_or(0)));
    },
    [](const KernelSubject&) {
      return std::string(
          "Use asynchronous copies (__pipeline_memcpy_async or cuda::memcpy_async, 4, 8 or 16 bytes a "
          "thread) and "
          "fetch the next tile while this one is used. Calibrate first (family B4): on some sizes it gains "
          "nothing.");
    },
    [](const LineRow& line) -> std::optional<double> {
      if (!is_staging(line)) return std::nullopt;
      return real(line.loads);
    }};

}  // namespace coalescope::analysis
