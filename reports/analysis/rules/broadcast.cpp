// G02: loads of a word that most lanes share. One sector is the least that a request can move, so it costs
// passes of L1 rather than bandwidth: a note, unless L1 is what the kernel waits for. Less than a byte a
// lane must be asked for, so that narrow elements (a byte a lane fills its sector) and pairs are no finding.

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/figures/access_shape.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rules/missing.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

// Of the load requests: a scalar that is read once before a loop is no finding.
constexpr double kShareOfLoads = 0.25;
constexpr double kSharers = 16;  // lanes that a shared word serves at least

// Who is alone shares with nobody. 0 threads: the block was not recorded.
bool has_few_lanes(const KernelRow& row) {
  const double threads = threads_of(row);
  return (threads > 0 && threads < kSharers) || row.load.lanes.value_or(kWarpLanes) < kSharers;
}

Measure broadcast_share(const KernelSubject& kernel) {
  const Access& load = kernel.row.load;
  if (load.sectors == 0) return measured(0);
  if (has_few_lanes(kernel.row)) return measured(0);
  if (!load.degree || !load.sectors_per_request) return lacks(kernel.row, model::Phase::bytes, "its loads");
  if (kernel.lines.empty()) {
    // Without lines only a kernel that does nothing else shows it.
    if (*load.sectors_per_request > kBroadcastSectors)
      return lacks(kernel.row, model::Phase::lines, "its source lines");
    return measured(*load.degree <= kBroadcastDegreeOfKernel ? 1 : 0);
  }
  double shared = 0, loads = 0;
  for (const LineRow* line : kernel.lines) {
    shared += static_cast<double>(line->broadcast_loads.value_or(0));
    loads += static_cast<double>(line->loads.value_or(0));
  }
  return measured(loads > 0 ? shared / loads : 0);
}

// What loads of one word for a whole warp cost in L1.
Cost broadcast_cost(const KernelRow& kernel, double broadcast_loads, const Machine& machine) {
  const auto known = known_work_of(kernel);
  if (auto missing = missing_input(kernel, machine, known.has_value())) return unknown_cost(*missing);
  Work repaired = known->work;
  repaired.passes -= std::min(repaired.passes, broadcast_loads);
  Prediction prediction = predict(kernel, known->work, repaired, machine);
  if (prediction.is_nothing)
    return {0,
            fmt::format("no cost: {} is the limit, and such a request already moves the least that one can",
                        name_of(prediction.before.level))};
  // Where L1 idles nobody waits for its passes.
  const double busy = prediction.utilisation;
  if (prediction.before.level == MemoryLevel::l1 && busy < kIdle)
    return {0, fmt::format("no cost: L1 is busy for {} of a launch", base::format_share(busy))};
  if (!known->remark.empty()) {
    // The least traffic is a guess at the rest, so that only a kernel that L1 limits is judged by it.
    if (prediction.utilisation < kFull)
      return unknown_cost("cost unknown: its L2 and DRAM traffic was not measured");
    prediction.saved_ns =
        real(kernel.median_gpu_ns) * std::max(0.0, 1 - prediction.after.ns / kFull / prediction.before.ns);
  }
  // Passes for one sector reach the full rate, unlike those for scattered ones.
  return {total(std::min(prediction.saved_ns, prediction.spared_ns), kernel),
          prediction.basis() + std::string(known->remark)};
}

Evidence broadcast_evidence(double share, const Access& load) {
  const double sectors = load.sectors_per_request.value_or(0), degree = load.degree.value_or(0);
  return {FactList()
              .add("broadcast_share", share, "share")
              .add("sectors_per_request", sectors, "sectors")
              .add("degree", degree, "share")
              .take(),
          fmt::format("{} of the load requests read a word that many lanes share; all loads: {} "
                      "sectors per request, {} of the bytes moved were requested",
                      base::format_share(share), base::format_ratio(sectors), base::format_share(degree))};
}

Assessment assess_broadcast(const KernelSubject& kernel) {
  const Measure share = broadcast_share(kernel);
  if (!share.reaches(kShareOfLoads)) return {share};
  const double loads = *share.value * real(kernel.row.load.requests);
  return {share,
          broadcast_cost(kernel.row, loads, kernel.machine),
          broadcast_evidence(*share.value, kernel.row.load),
          {"G02.constant_or_parameter",
           {},
           "Pass the value as a kernel parameter or keep it in constant memory, which serves a "
           "whole warp at once."}};
}

}  // namespace

constinit const Rule<KernelSubject> kBroadcastLoads{
    {"G02", "Broadcast loads", "pass the words that whole warps of {} load as parameters or constants", "A6",
     "share of the load requests that read what half of a warp or more shares", kShareOfLoads, kShareOfLoads,
     true, "A6: broadcast and multicast of 8 lanes and more speak; of 2 and 4 lanes, and A7, do not", "",
     Picture::broadcast},
    assess_broadcast,
    [](const LineRow& line) -> std::optional<double> {
      if (line.broadcast_loads.value_or(0) == 0) return std::nullopt;
      return static_cast<double>(*line.broadcast_loads);
    }};

}  // namespace coalescope::analysis
