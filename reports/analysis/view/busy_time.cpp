#include "reports/analysis/view/busy_time.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <optional>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/view/summary.h"

namespace coalescope::analysis {
namespace {

// Untimed launches that leave "busy for 28 % of the run" true.
constexpr double kFewUntimed = 0.01;
constexpr double kMostlyIdle = 0.5;
constexpr double kLeastTransfers = 0.1;
constexpr double kSmallSetNs = 2e3;
// Between launches, to speak of a steady part: so long a time, or so many launches where nothing but
// launching lies between them.
constexpr double kLeastSpanNs = 1e9;
constexpr std::int64_t kManyLaunches = 1000;
// A host that does nothing but launch takes less than this for each: PyTorch's eager operations take 5 to 50
// us.
constexpr double kMostOfALaunchNs = 1e5;

// "8 %"; of a share that is not 0 at least "less than 1 %".
std::string rough_share(double share) {
  return share < 0.01 ? "less than 1 %" : fmt::format("{:.0f} %", 100 * share);
}

// Of all launches, those of kernels without a time.
double untimed_share(const Report& report) {
  double untimed = 0, all = 0;
  for (const auto* rows : {&report.kernels, &report.hidden.kernels})
    for (const KernelRow& row : *rows) {
      all += static_cast<double>(row.launches);
      if (!row.gpu_ns) untimed += static_cast<double>(row.launches);
    }
  return all > 0 ? untimed / all : 0;
}

// CUPTI gives some memory sets no time. On an H100 those with a time took 0.7 to 1.5 us up to 4 MiB, and
// wrote at 90 % of the memory's peak from 64 MiB on. At most this share of all GPU time; 1: something else
// has no time.
double untimed_transfer_share(const Report& report) {
  const double peak = report.devices.front().peak_dram_bandwidth.value_or(0);
  double bytes = 0;
  std::int64_t sets = 0;
  for (const auto* rows : {&report.transfers, &report.hidden.transfers})
    for (const TransferRow& row : *rows) {
      if (row.gpu_ns || row.direction != model::Direction::set) continue;
      bytes += static_cast<double>(row.bytes);
      sets += row.transfers;
    }
  if (sets < report.totals.untimed_transfers || peak <= 0)
    return report.totals.untimed_transfers == 0 ? 0 : 1;
  const double at_most_ns = bytes / (peak / 2) * 1e9 + static_cast<double>(sets) * kSmallSetNs;
  return at_most_ns / std::max(1.0, static_cast<double>(run_ns(report.totals)));
}

// Only where one GPU did all of it, and next to all of it has a time.
bool knows_busy_time(const Report& report) {
  return report.runs == 1 && report.devices.size() == 1 && report.processes.size() == 1 &&
         untimed_transfer_share(report) <= kFewUntimed && untimed_share(report) <= kFewUntimed;
}

// Of the time between the first and the last launch, without measuring: start-up and end tell nothing of the
// program's steady part. nullopt: too little is left of it.
struct SteadyPart {
  double kernels_share = 0;
  double transfers_share = 0;  // some of it may have been at the same time
  double idle_share = 0;       // beside what scheduling changes would save
  double idle_per_launch_ns = 0;
};
std::optional<SteadyPart> steady_part(const Report& report, std::int64_t wait_ns) {
  std::optional<std::int64_t> first, last;
  for (const auto* rows : {&report.kernels, &report.hidden.kernels})
    for (const KernelRow& row : *rows) {
      if (!row.first_launch_ns || !row.last_launch_ns) continue;
      first = std::min(first.value_or(*row.first_launch_ns), *row.first_launch_ns);
      last = std::max(last.value_or(*row.last_launch_ns), *row.last_launch_ns);
    }
  if (!first || !knows_busy_time(report)) return std::nullopt;
  const double span = static_cast<double>(*last) - static_cast<double>(*first);
  double rest = span;
  for (const auto& [process, ns] : report.measuring_ns) rest -= static_cast<double>(ns);
  const Totals& totals = report.totals;
  const double share = static_cast<double>(totals.kernel_ns) / std::max(1.0, rest);
  if (rest < span / 2 || share > 1) return std::nullopt;
  const auto transfer_ns = static_cast<double>(totals.transfer_ns);
  const double idle_ns = std::max(
      0.0, rest - static_cast<double>(totals.kernel_ns) - transfer_ns - static_cast<double>(wait_ns));
  const double idle_per_launch_ns = idle_ns / static_cast<double>(std::max<std::int64_t>(1, totals.launches));
  const bool only_launches = totals.launches >= kManyLaunches && idle_per_launch_ns < kMostOfALaunchNs;
  if (span < kLeastSpanNs && !only_launches) return std::nullopt;
  return SteadyPart{share, std::min(1.0, transfer_ns / rest), idle_ns / rest, idle_per_launch_ns};
}

// Then a finding says what to do.
bool finds_launch_gaps(const Report& report) {
  return std::ranges::any_of(report.findings,
                             [](const Finding& each) { return each.rule == "T09" && !each.aside; });
}

bool is_python(const Report& report) {
  return std::ranges::any_of(report.call_sites,
                             [](const CallSiteRow& site) { return site.kind == model::FrameKind::python; });
}

std::string busy_between(const SteadyPart& part, const Report& report) {
  const bool idle = part.kernels_share < kMostlyIdle;
  std::string text =
      fmt::format("Kernels ran for {}{} of the time between the first and the last launch",
                  idle && part.kernels_share >= 0.01 ? "only " : "", rough_share(part.kernels_share));
  if (part.transfers_share >= kLeastTransfers)
    text += fmt::format(", copies and memory sets for {}", rough_share(part.transfers_share));
  // The host is too slow where its launches leave more time than anything else takes.
  if (idle && !finds_launch_gaps(report) &&
      part.idle_share >= std::max(part.kernels_share, part.transfers_share) &&
      part.idle_per_launch_ns < kMostOfALaunchNs)
    text += fmt::format(
        ": the GPU waited {} per launch for the host. Launching less often would help most: with {}",
        base::format_ns(base::whole(part.idle_per_launch_ns)),
        is_python(report) ? "larger batches, CUDA graphs or a compiled step (torch.compile, jax.jit)"
                          : "larger launches or CUDA graphs");
  return text + ".";
}

std::string busy_of_run(const Report& report) {
  const Totals& totals = report.totals;
  if (!knows_busy_time(report) || totals.wall_ns.value_or(0) <= 0) return {};
  const double share =
      static_cast<double>(totals.kernel_ns + totals.transfer_ns) / static_cast<double>(*totals.wall_ns);
  return share > 1 ? "" : "The GPU was busy for " + rough_share(share) + " of the run.";
}

}  // namespace

BusyTime busy_time(const Report& report, std::int64_t wait_ns) {
  const auto part = steady_part(report, wait_ns);
  if (!part) return {busy_of_run(report)};
  return {busy_between(*part, report), part->kernels_share < kMostlyIdle};
}

}  // namespace coalescope::analysis
