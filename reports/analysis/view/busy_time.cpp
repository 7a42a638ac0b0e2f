#include "reports/analysis/view/busy_time.h"

#include <fmt/format.h>

#include "reports/analysis/figures/second_half.h"

namespace coalescope::analysis {
namespace {

constexpr double kMostlyIdle = 0.5;
constexpr double kLeastCopies = 0.1;

// "8 %"; of a share that is not 0 at least "less than 1 %".
std::string rough_share(double share) {
  return share < 0.01 ? "less than 1 %" : fmt::format("{:.0f} %", 100 * share);
}

std::string busy_in(const SecondHalf& half) {
  const bool idle = half.kernels_share < kMostlyIdle;
  std::string text =
      fmt::format("Kernels ran for {}{} of the time in the second half of the recording",
                  idle && half.kernels_share >= 0.01 ? "only " : "", rough_share(half.kernels_share));
  if (half.copies_share >= kLeastCopies)
    text += fmt::format(", copies and memory sets for {}", rough_share(half.copies_share));
  return text + ".";
}

std::string busy_of_run(const Report& report) {
  const Totals& totals = report.totals;
  if (!knows_busy_time(report) || report.processes.size() != 1 || totals.wall_ns.value_or(0) <= 0) return {};
  const double share =
      static_cast<double>(totals.kernel_ns + totals.transfer_ns) / static_cast<double>(*totals.wall_ns);
  return share > 1 ? "" : "The GPU was busy for " + rough_share(share) + " of the run.";
}

}  // namespace

BusyTime busy_time(const Report& report) {
  const auto half = second_half(report);
  if (!half) return {busy_of_run(report)};
  return {busy_in(*half), half->kernels_share < kMostlyIdle};
}

}  // namespace coalescope::analysis
