// B01: launches with fewer blocks than the GPU has multiprocessors, whose threads make many rounds of a loop,
// which most of the GPU could make at once. Without a loop there is nothing to divide.

#include "reports/analysis/rules/few_blocks.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/figures/access_shape.h"
#include "reports/analysis/figures/called_for.h"
#include "reports/analysis/figures/owners.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rules/missing.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr double kIdleMultiprocessorsUnpriced = 0.9;
constexpr double kSmallBlock = 64;
constexpr double kMostInstructions = 128;  // loads and stores of a loop, unrolled ones included
// An access to DRAM takes less.
constexpr double kLongestAccessNs = 1000;

// The fewest rounds of any loop that make the requests of a warp, or, where these were not counted, take the
// launch's time. What runs once, as at a program's end, is left to be measured.
double fewest_rounds(const KernelRow& row) {
  if (row.launches > 1 && !row.load.requests && !row.store.requests)
    return real(row.median_gpu_ns) / kLongestAccessNs / kMostInstructions;
  return (real(row.load.requests) + real(row.store.requests) + real(row.async_copy.requests)) /
         kMostInstructions / std::max(1.0, warps_of(row));
}

// How many times as many blocks there could be: one for each multiprocessor, or for each four of the rounds
// that are made in turn.
double times_as_many(const KernelSubject& kernel) {
  return std::min(*kernel.machine.multiprocessors / blocks_of(kernel.row), rounds_of(kernel) / kAtOnce);
}

}  // namespace

bool has_a_chosen_grid(const KernelRow& row) {
  const CalledFor use = called_for(row);
  if (row.origin == Origin::user || divides_by_rows(use)) return true;
  return row.origin == Origin::generated && row.owner != kXla && row.owner != kCompiled;
}

double rounds_of(const KernelSubject& kernel) {
  if (kernel.lines.empty()) return fewest_rounds(kernel.row);
  double most = 0;
  for (const LineRow* line : kernel.lines) {
    const double executions = real(line->loads) + real(line->stores) + real(line->atomics) +
                              real(line->reductions) + real(line->async_copies);
    most = std::max(most, executions / static_cast<double>(std::max<std::int64_t>(1, line->instructions)));
  }
  return most / std::max(1.0, warps_of(kernel.row));
}

std::string blocks_text(double blocks) {
  return blocks > 1 ? fmt::format("{:.0f} blocks", blocks) : std::string("1 block");
}

Measure idle_multiprocessors(const KernelSubject& kernel) {
  const KernelRow& row = kernel.row;
  const double blocks = blocks_of(row);
  if (blocks <= 0) return measured(0);
  if (!kernel.machine.multiprocessors)
    return not_measured("how many multiprocessors the GPU has was not recorded");
  const double idle = std::max(0.0, 1 - blocks / *kernel.machine.multiprocessors);
  if (idle < kIdleMultiprocessors || row.beside_ratio.value_or(0) > kBeside) return measured(0);
  const bool divides = times_as_many(kernel) >= kLeastTimes;
  if (kernel.lines.empty() && !divides) return lacks(row, model::Phase::lines, "its source lines");
  return measured(divides ? idle : 0);
}

Cost few_blocks_cost(const KernelSubject& kernel) {
  const KernelRow& row = kernel.row;
  if (auto missing = missing_input(row, kernel.machine)) return unknown_cost(*missing);
  const double launch_ns = real(row.median_gpu_ns);
  const double times = times_as_many(kernel);
  Work divided = *work_of(row);
  divided.blocks *= times;
  const Bound memory = longest(bounds_of(divided, kernel.machine));
  const double then = std::max(launch_ns / times, memory.ns) + real(kernel.machine.launch_ns);
  return {total(launch_ns - then, row),
          fmt::format("{:.0f} times as many blocks would divide the {} of a launch; {} alone needs {}", times,
                      base::format_ns(rounded(launch_ns)), name_of(memory.level),
                      base::format_ns(rounded(memory.ns)))};
}

namespace {

Evidence few_blocks_evidence(const KernelSubject& kernel) {
  const double blocks = blocks_of(kernel.row), all = *kernel.machine.multiprocessors;
  const double reach = std::min(1.0, kernel.machine.chip.lone_l2_share * blocks / all);
  return {
      FactList()
          .add("blocks", blocks, "blocks")
          .add("multiprocessors", all, "multiprocessors")
          .add("reachable_l2_share", reach, "share")
          .add("rounds_per_warp", rounds_of(kernel), "rounds")
          .take(),
      fmt::format("{} for {:.0f} multiprocessors: at most {} of L2's bandwidth can be reached; "
                  "each warp makes {}{} rounds of its longest loop",
                  blocks_text(blocks), all, base::format_share(reach),
                  kernel.lines.empty() ? "at least " : "", base::format_count(rounded(rounds_of(kernel))))};
}

Advice more_blocks_advice(const KernelSubject& kernel) {
  const double all = *kernel.machine.multiprocessors;
  const std::int64_t threads = base::whole(threads_of(kernel.row));
  const double small_blocks = std::floor(blocks_of(kernel.row) * threads_of(kernel.row) / kSmallBlock);
  auto parameters = FactList()
                        .add("multiprocessors", all, "multiprocessors")
                        .count("block_threads", threads, "threads")
                        .take();
  std::string text = fmt::format(
      "The grid has {} for {:.0f} multiprocessors. Launch {:.0f} or more: let each thread make fewer rounds "
      "of its loop, or give parts of the loop to other blocks and add up their results. If the rounds depend "
      "on each other, run independent launches beside each other in streams, or several problems in one "
      "launch.",
      blocks_text(blocks_of(kernel.row)), all, all);
  const bool flat = kernel.row.block[1] * kernel.row.block[2] == 1;
  if (flat && small_blocks >= all)
    text += fmt::format(
        " If the kernel works with other block sizes, {} threads per block instead of {} make "
        "{:.0f} blocks.",
        rounded(kSmallBlock), threads, small_blocks);
  return {"B01.more_blocks", std::move(parameters), std::move(text)};
}

Assessment assess_few_blocks(const KernelSubject& kernel) {
  if (!has_a_chosen_grid(kernel.row)) return {measured(0)};
  const Measure idle = idle_multiprocessors(kernel);
  if (!idle.reaches(kIdleMultiprocessors)) return {idle};
  return {idle, few_blocks_cost(kernel), few_blocks_evidence(kernel), more_blocks_advice(kernel)};
}

}  // namespace

constinit const Rule<KernelSubject> kFewBlocks{
    {.id = "B01",
     .title = "Few blocks",
     .repair = "divide the work of {} among more blocks",
     .families = "none",
     .measure = "share of the multiprocessors that get no block",
     .limit = kIdleMultiprocessors,
     .unpriced_limit = kIdleMultiprocessorsUnpriced,
     .note = false,
     .calibrated = "no family: grids of 1 to 64 blocks in public programs speak where warps loop",
     .comes_first = true},
    assess_few_blocks,
    nullptr};

}  // namespace coalescope::analysis
