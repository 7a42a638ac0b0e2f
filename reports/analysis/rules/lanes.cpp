// G03: warps in which many lanes do nothing. G04: elements of 1 or 2 bytes, one a lane. Both move full
// sectors and waste none, but a request brings fewer bytes than it could, and a launch needs more warps.

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/access_shape.h"
#include "reports/analysis/ratios.h"
#include "reports/analysis/rules/missing.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr double kIdleLanes = 0.2;
constexpr double kIdleLanesUnpriced = 0.5;
constexpr double kTimesNarrower = 2;
constexpr double kTimesNarrowerUnpriced = 4;
constexpr double kStoresALoad = 0.25;

// What a kernel moves otherwise, of which one lane asks for a whole tile (TMA), or of which lanes are not
// counted.
bool moves_by_other_means(const KernelRow& row) {
  const auto own = base::sum_of(row.load.sectors.value_or(0), row.store.sectors.value_or(0));
  return row.tma_instructions.value_or(0) > 0 || row.async_copy.sectors.value_or(0) > own;
}

// Loads and stores together: that one lane of a block stores the block's sum is no partial warp.
Measure idle_share(const KernelSubject& kernel) {
  if (moves_by_other_means(kernel.row)) return measured(0);
  double threads = 0, requests = 0;
  for (const Access* access : {&kernel.row.load, &kernel.row.store}) {
    if (access->requests == 0) continue;
    if (!access->requests) return lacks(kernel.row, model::Phase::bytes, "its requests");
    if (!access->lanes) return lacks(kernel.row, model::Phase::lines, "the threads of its requests");
    threads += *access->lanes * static_cast<double>(*access->requests);
    requests += static_cast<double>(*access->requests);
  }
  return measured(requests > 0 ? 1 - threads / requests / kWarpLanes : 0);
}

std::int64_t block_threads(const KernelRow& row) {
  return base::whole(threads_of(row));
}

// Loads of half a word a lane may be of narrow elements or of words that two lanes share; stores are of
// elements, as no two lanes may write one.
Measure times_narrower(const KernelSubject& kernel) {
  const Access& store = kernel.row.store;
  if (store.requests == 0 || store.sectors == 0) return measured(0);
  if (!store.requests) return lacks(kernel.row, model::Phase::bytes, "its requests");
  const auto bytes = bytes_a_lane(store);
  if (!bytes) return lacks(kernel.row, model::Phase::lines, "the threads of its requests");
  // A result here and there does not tell what the kernel moves.
  if (static_cast<double>(*store.requests) <
      kStoresALoad * static_cast<double>(kernel.row.load.requests.value_or(0)))
    return measured(0);
  return measured(shape_of(mean_request(store)) == Shape::contiguous ? kWordBytes / *bytes : 0);
}

}  // namespace

constinit const Rule<KernelSubject> kPartialWarps{
    {"G03", "Partial warps", "A12", "share of the lanes that take no part in loads and stores", kIdleLanes,
     kIdleLanesUnpriced, false, "A12 speaks; A1 and a guard at the array's end stay silent"},
    idle_share,
    [](const KernelSubject& kernel) {
      return idle_lanes_cost(kernel.row, kWarpLanes * (1 - idle_share(kernel).value.value_or(0)),
                             kernel.machine);
    },
    [](const KernelSubject& kernel) {
      return fmt::format("{} of the lanes take no part in loads and stores; blocks of {} threads",
                         base::format_share(idle_share(kernel).value.value_or(0)), block_threads(kernel.row));
    },
    [](const KernelSubject& kernel) {
      if (block_threads(kernel.row) % 32 != 0)
        return fmt::format(
            "Make the block a multiple of 32 threads: {} leave {} lanes of each last warp empty.",
            block_threads(kernel.row), 32 - block_threads(kernel.row) % 32);
      return std::string(
          "A condition switches lanes off within warps: let it select whole warps, or compact the work "
          "first, so "
          "that neighbouring threads take the items that remain.");
    },
    [](const LineRow& line) -> std::optional<double> {
      if (!line.lanes || *line.lanes >= kFullWarp) return std::nullopt;
      return (kWarpLanes - *line.lanes) *
             static_cast<double>(line.loads.value_or(0) + line.stores.value_or(0));
    }};

constinit const Rule<KernelSubject> kNarrowElements{
    {"G04", "Elements of 1 or 2 bytes", "A7", "how many times an element is narrower than 4 bytes",
     kTimesNarrower, kTimesNarrowerUnpriced, false, "A7: 1 and 2 bytes speak, 4, 8 and 16 do not"},
    times_narrower,
    [](const KernelSubject& kernel) {
      return narrow_cost(kernel.row, kWordBytes / times_narrower(kernel).value.value_or(1), kernel.machine);
    },
    [](const KernelSubject& kernel) {
      return fmt::format("each thread moves {} B at a time, contiguously",
                         base::format_ratio(kWordBytes / times_narrower(kernel).value.value_or(kWordBytes)));
    },
    [](const KernelSubject& kernel) {
      const double times = times_narrower(kernel).value.value_or(1);
      return fmt::format(
          "Let each thread move several elements at once: 16 bytes (a uint4) hold {:.0f} of them, 4 bytes (a "
          "uint or "
          "char4) {:.0f}.",
          4 * times, times);
    },
    // A load and its store are as often; the load is what one changes first.
    [](const LineRow& line) -> std::optional<double> {
      return static_cast<double>(line.loads.value_or(0)) +
             0.99 * static_cast<double>(line.stores.value_or(0));
    }};

}  // namespace coalescope::analysis
