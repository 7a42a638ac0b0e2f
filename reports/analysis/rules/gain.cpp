// The order of a prediction for a kernel: (1) the work of a launch, from its counters, (2) the work of the
// repaired launch: what the surplus can explain is taken away from each level, (3) both priced by every
// resource whose rate is known; the slowest bounds the kernel, before and after, (4) a repaired launch takes
// what its slowest resource takes, but never saves more than the work taken away can have cost. docs/model.md
// says it at length.

#include "reports/analysis/rules/gain.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <vector>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/machine/kernel_bounds.h"

namespace coalescope::analysis {
namespace {

constexpr double kManyWrites = 0.25;  // of the bytes that DRAM moves
// Of the instructions that a GPU can issue, kernels that no memory limits issue at most so many: nine in ten
// of 468 in the captures of eight halves of the jury (H200; the median is 0.61).
constexpr double kIssued = 0.77;

std::string amount_text(const Bound& bound) {
  return bound.level == MemoryLevel::l1 ? base::format_count(rounded(bound.amount)) + " passes"
                                        : bytes_text(bound.amount);
}

// The least part of its rate that DRAM reaches for what the repair takes away. Between reads, scattered
// writes cost it most; where a quarter of the bytes are written it is as slow as with more.
double least_dram_share(const Work& work, const Work& repaired, const ChipConstants& chip) {
  const double scattered = std::clamp(work.write_alone - repaired.write_alone, 0.0, 1.0);
  const double written = std::min(1.0, (1 - work.dram_read_share) / kManyWrites);
  return chip.saturated_share - scattered * written * (chip.saturated_share - chip.saturated_update_share);
}

// What the work taken away can have cost at most: what it took the resource that is spared most, at the least
// part of its rate.
double most_saved_ns(const std::vector<Bound>& before, const std::vector<Bound>& after, double dram_share,
                     double other_share) {
  double most = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double share = before[i].level == MemoryLevel::dram ? dram_share : other_share;
    most = std::max(most, (before[i].ns - after[i].ns) / share);
  }
  return most;
}

// What the work taken away took the resource that is spared most, at its full rate.
double most_spared_ns(const std::vector<Bound>& before, const std::vector<Bound>& after) {
  return most_saved_ns(before, after, 1, 1);
}

// A resource that fills the launch and is spared nothing; repairs leave the instructions.
bool stays_full(const std::vector<Bound>& before, const std::vector<Bound>& after, double instructions_ns,
                double launch_ns) {
  if (instructions_ns >= kFull * launch_ns) return true;
  for (std::size_t i = 0; i < before.size(); ++i)
    if (before[i].ns >= kFull * launch_ns && after[i].ns >= (1 - kNoise) * before[i].ns) return true;
  return false;
}

double kept_share(const KernelRow& kernel, double gone) {
  const double all = real(kernel.instructions);
  return all <= 0 ? 1 : std::max(0.0, 1 - gone / all);
}

const Bound& same(const std::vector<Bound>& bounds, const Bound& as) {
  return *std::ranges::find(bounds, as.level, &Bound::level);
}

}  // namespace

std::int64_t fewer_launches(std::int64_t kernels, std::int64_t times) {
  return base::whole(static_cast<double>(kernels - 1) * static_cast<double>(times));
}

Cost unknown_cost(std::string_view basis) {
  return {std::nullopt, std::string(basis)};
}

std::optional<std::string> missing_input(const KernelRow& kernel, const Machine& machine, bool has_work) {
  if (!kernel.load.sectors || !kernel.store.sectors) return "cost unknown: its sectors were not measured";
  if (!kernel.median_gpu_ns || *kernel.median_gpu_ns <= 0)
    return "cost unknown: none of its launches was timed";
  if (!has_work) return "cost unknown: its L2 and DRAM traffic was not measured";
  if (!machine.dram) return std::string(kNotCalibrated);
  return std::nullopt;
}

std::optional<std::string> missing_input(const KernelRow& kernel, const Machine& machine) {
  return missing_input(kernel, machine, work_of(kernel).has_value());
}

std::optional<KnownWork> known_work_of(const KernelRow& kernel) {
  if (auto work = work_of(kernel)) return KnownWork{*work, ""};
  if (auto work = least_work_of(kernel))
    return KnownWork{*work, "; its L2 and DRAM traffic was not measured: taken as its memory, once"};
  return std::nullopt;
}

double spared(double carried, double asked, double explained) {
  return std::clamp(carried - asked, 0.0, explained);
}

std::string Prediction::basis() const {
  std::string text = fmt::format(
      "{0} {5} {1} per launch (needed: {2}); at full rate {0} needs {3} for that; this kernel keeps {0} "
      "{4} busy",
      name_of(before.level), amount_text(before), amount_text(same_after),
      base::format_ns(rounded(before.ns)), base::format_share(std::min(1.0, utilisation)),
      before.level == MemoryLevel::l1 ? "made" : "moved");
  if (after.level != before.level)
    text += fmt::format("; after the repair {} would be the limit", name_of(after.level));
  if (instructions_ns > after.ns)
    text += fmt::format("; its instructions alone take {}", base::format_ns(rounded(instructions_ns)));
  if (at_peaks) text += "; this GPU is not calibrated: full rates are peaks by the device's properties";
  return text;
}

Prediction predict(const KernelRow& kernel, const Work& work, const Work& repaired, const Machine& machine,
                   Circumstances circumstances) {
  // Scattered requests bring whole sectors; what is compared is the work, at the rates of the repaired
  // launch.
  Work as_then = work;
  if (work.thread_bytes <= 0) as_then.thread_bytes = repaired.thread_bytes;
  const auto now = bounds_of(work, machine), then = bounds_of(repaired, machine);
  Prediction prediction;
  prediction.at_peaks = machine.rates_are_peaks;
  prediction.before = longest(now);
  prediction.after = longest(then);
  prediction.same_after = same(then, prediction.before);
  const double launch_ns = real(kernel.median_gpu_ns);
  prediction.utilisation = prediction.before.ns / launch_ns;
  prediction.is_nothing = prediction.after.ns >= (1 - kNoise) * longest(bounds_of(as_then, machine)).ns;
  prediction.instructions_ns =
      issue_ns(kernel, machine) * kept_share(kernel, circumstances.instructions_gone);
  prediction.least_ns = std::max(prediction.after.ns, prediction.instructions_ns / kIssued);
  prediction.spared_ns = most_spared_ns(now, then);
  if (prediction.is_nothing || stays_full(now, then, prediction.instructions_ns, launch_ns))
    return prediction;
  prediction.saved_ns = std::max(0.0, launch_ns - prediction.least_ns - real(machine.launch_ns));
  if (!circumstances.in_turn)
    prediction.saved_ns =
        std::min(prediction.saved_ns, most_saved_ns(now, then, least_dram_share(work, repaired, machine.chip),
                                                    machine.chip.saturated_share));
  return prediction;
}

double floor_ns(const KernelRow& kernel, const Machine& machine) {
  const double instructions = issue_ns(kernel, machine);
  const auto work = work_of(kernel);
  if (!work) return instructions;
  Work rest = *work;
  rest.passes = 0;
  return std::max(instructions, longest(bounds_of(rest, machine)).ns);
}

Cost reread_cost(const KernelRow& kernel, std::int64_t footprint_bytes, const Machine& machine) {
  if (machine.dram && kernel.median_gpu_ns) {
    const double busy =
        real(kernel.dram_read_bytes) / machine.dram->bandwidth * 1e9 / real(kernel.median_gpu_ns);
    if (busy < kIdle) return {0, fmt::format("DRAM is busy for {} of a launch", base::format_share(busy))};
  }
  if (auto missing = missing_input(kernel, machine)) return unknown_cost(*missing);
  const Work work = *work_of(kernel);
  Work repaired = work;
  repaired.dram_bytes -= spared(real(kernel.dram_read_bytes), static_cast<double>(footprint_bytes),
                                real(kernel.dram_read_bytes));
  const Prediction prediction = predict(kernel, work, repaired, machine);
  if (prediction.is_nothing)
    return {0, fmt::format("{} limits it, whatever DRAM does", name_of(prediction.before.level))};
  return {total(prediction.saved_ns, kernel), prediction.basis()};
}

double gpu_ns_of(const KernelUse& use) {
  return real(use.kernel->gpu_ns) * use.share;
}

std::int64_t gpu_ns_of(std::span<const KernelUse> uses) {
  double sum = 0;
  for (const KernelUse& use : uses) sum += gpu_ns_of(use);
  return rounded(sum);
}

std::int64_t total(double ns_a_launch, const KernelRow& kernel) {
  return rounded(std::max(0.0, ns_a_launch) * static_cast<double>(kernel.launches));
}

std::int64_t rounded(double ns) {
  return base::whole(ns);
}

std::string bytes_text(double bytes) {
  return base::format_bytes(std::round(bytes));
}

}  // namespace coalescope::analysis
