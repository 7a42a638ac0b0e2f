// G02: loads of a word that most lanes share. One sector is the least that a request can move, so it costs
// passes of L1 rather than bandwidth: a note, unless L1 is what the kernel waits for. Less than a byte a
// lane must be asked for, so that narrow elements (a byte a lane fills its sector) and pairs are no finding.

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/rules/missing.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

// Of the load requests: a scalar that is read once before a loop is no finding.
constexpr double kShareOfLoads = 0.25;

Measure broadcast_share(const KernelSubject& kernel) {
  const Access& load = kernel.row.load;
  if (load.sectors == 0) return measured(0);
  if (!load.degree || !load.sectors_per_request) return lacks(kernel.row, model::Phase::bytes, "its loads");
  if (kernel.lines.empty()) {
    // Without lines only a kernel that does nothing else shows it.
    if (*load.sectors_per_request > kBroadcastSectors)
      return lacks(kernel.row, model::Phase::lines, "its lines");
    return measured(*load.degree <= kBroadcastDegreeOfKernel ? 1 : 0);
  }
  double shared = 0, loads = 0;
  for (const LineRow* line : kernel.lines) {
    shared += static_cast<double>(line->broadcast_loads.value_or(0));
    loads += static_cast<double>(line->loads.value_or(0));
  }
  return measured(loads > 0 ? shared / loads : 0);
}

double broadcast_loads(const KernelSubject& kernel) {
  return broadcast_share(kernel).value.value_or(0) *
         static_cast<double>(kernel.row.load.requests.value_or(0));
}

std::string broadcast_evidence(const KernelSubject& kernel) {
  const Access& load = kernel.row.load;
  const double share = broadcast_share(kernel).value.value_or(0);
  return fmt::format(
      "{} of the load requests touch one sector for what many lanes share; all loads: {} "
      "sectors a request, {} of their bytes asked for",
      base::format_share(share), base::format_ratio(load.sectors_per_request.value_or(0)),
      base::format_share(load.degree.value_or(0)));
}

}  // namespace

constinit const Rule<KernelSubject> kBroadcastLoads{
    {"G02", "Broadcast loads", "A6",
     "share of the load requests that read what half of a warp or more shares", kShareOfLoads, kShareOfLoads,
     true, "A6: broadcast and multicast of 8 lanes and more speak; of 2 and 4 lanes, and A7, do not"},
    broadcast_share,
    [](const KernelSubject& kernel) {
      return broadcast_cost(kernel.row, broadcast_loads(kernel), kernel.machine);
    },
    broadcast_evidence,
    [](const KernelSubject&) {
      return std::string(
          "Pass the value as a kernel parameter or keep it in constant memory, which serves a "
          "whole warp at once.");
    },
    [](const LineRow& line) -> std::optional<double> {
      if (line.broadcast_loads.value_or(0) == 0) return std::nullopt;
      return static_cast<double>(*line.broadcast_loads);
    }};

}  // namespace coalescope::analysis
