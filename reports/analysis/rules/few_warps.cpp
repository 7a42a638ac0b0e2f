// B01: launches that reach most multiprocessors with so few warps that they wait for their own loads, though
// the GPU has room for several times as many, and their loops could be divided among these.

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/figures/access_shape.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/machine/occupancy.h"
#include "reports/analysis/rules/few_blocks.h"
#include "reports/analysis/rules/gain.h"
#include "reports/analysis/rules/missing.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr double kMissingWarps = 0.75;
constexpr double kMissingWarpsUnpriced = 2;  // it is not found without a price

// How many times as many blocks there could be: as many as fit at once, or one for each four of the rounds
// that are made in turn.
double times_as_many_warps(const KernelSubject& kernel, double room) {
  return std::min(room / blocks_of(kernel.row), rounds_of(kernel) / kAtOnce);
}

// Whether most multiprocessors have a block, and no other kernel fills what the launch leaves.
bool reaches_the_gpu_alone(const KernelSubject& kernel) {
  const KernelRow& row = kernel.row;
  if (!has_a_chosen_grid(row) || row.beside_ratio.value_or(0) > kBeside) return false;
  return kernel.machine.multiprocessors &&
         blocks_of(row) > (1 - kIdleMultiprocessors) * *kernel.machine.multiprocessors;
}

Measure missing_warps(const KernelSubject& kernel) {
  const KernelRow& row = kernel.row;
  if (!reaches_the_gpu_alone(kernel)) return measured(0);
  const auto room = blocks_at_once(row, kernel.machine);
  if (!room || *room <= 0) return measured(0);
  const double missing = 1 - blocks_of(row) / *room;
  if (missing < kMissingWarps) return measured(0);
  if (kernel.lines.empty()) return lacks(row, model::Phase::lines, "its source lines");
  if (missing_input(row, kernel.machine)) return lacks(row, model::Phase::traffic, "L2 and DRAM traffic");
  const bool waits = floor_ns(row, kernel.machine) < kBusy * real(row.median_gpu_ns);
  return measured(waits && times_as_many_warps(kernel, *room) >= kLeastTimes ? missing : 0);
}

Assessment assess_few_warps(const KernelSubject& kernel) {
  const Measure missing = missing_warps(kernel);
  if (!missing.reaches(kMissingWarps)) return {missing};
  const KernelRow& row = kernel.row;
  const double room = *blocks_at_once(row, kernel.machine), times = times_as_many_warps(kernel, room);
  const double launch_ns = real(row.median_gpu_ns), floor = floor_ns(row, kernel.machine);
  const double then = std::max(launch_ns / times, floor / kFull) + real(kernel.machine.launch_ns);
  return {
      missing,
      {total(std::max(0.0, launch_ns - then), row),
       fmt::format(
           "{:.1f} times as many blocks would divide the {} of a launch; memory and instructions need {}",
           times, base::format_ns(rounded(launch_ns)), base::format_ns(rounded(floor)))},
      {FactList()
           .add("blocks", blocks_of(row), "blocks")
           .add("blocks_at_once", room, "blocks")
           .add("rounds_per_warp", rounds_of(kernel), "rounds")
           .take(),
       fmt::format(
           "{} where {:.0f} fit on the GPU at once; each warp makes {} rounds of its longest loop, and "
           "memory and instructions would take {} of the time",
           blocks_text(blocks_of(row)), room, base::format_count(rounded(rounds_of(kernel))),
           base::format_share(floor / std::max(1.0, launch_ns)))},
      {"B01.more_warps", FactList().add("blocks_at_once", room, "blocks").take(),
       fmt::format(
           "The launch's warps wait for their own loads, and the GPU has room for {:.0f} blocks, not only "
           "{:.0f}. Let each thread make fewer rounds of its loop, or give parts of the loop to other "
           "blocks and add up their results.",
           room, blocks_of(row))}};
}

}  // namespace

constinit const Rule<KernelSubject> kFewWarps{
    {.id = "B01",
     .title = "Few warps",
     .repair = "divide the work of {} among more blocks",
     .families = "none",
     .measure = "share of the blocks that fit at once and are not there",
     .limit = kMissingWarps,
     .unpriced_limit = kMissingWarpsUnpriced,
     .note = false,
     .calibrated = "no family: a launch of 96 blocks in the jury's programs",
     .comes_first = true},
    assess_few_warps,
    nullptr};

}  // namespace coalescope::analysis
