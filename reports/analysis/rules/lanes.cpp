// G03: warps in which many lanes do nothing. G04: elements of 1 or 2 bytes, one a lane. Both move full
// sectors and waste none, but a request brings fewer bytes than it could, and a launch needs more warps.

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/figures/access_shape.h"
#include "reports/analysis/figures/called_for.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rules/missing.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr double kIdleLanes = 0.2;
constexpr double kIdleLanesUnpriced = 0.5;
constexpr double kLeastOfRequests = 0.05;  // a line's: below it tells nothing of the kernel
constexpr double kMostOfWarps = 0.8;       // execute it
constexpr double kMostlyShared = 0.9;      // of a line's requests
constexpr double kOwnLoadsAShared = 0.5;   // fewer are on the side: the kernel works on what all lanes share
constexpr double kTimesNarrower = 2;
constexpr double kTimesNarrowerUnpriced = 4;
constexpr double kStoresALoad = 0.25;
constexpr double kNarrowShare = 0.4;  // of the load requests
constexpr std::int64_t kLanes = 32;

// What a kernel moves otherwise, of which one lane asks for a whole tile (TMA), or of which lanes are not
// counted.
bool moves_by_other_means(const KernelRow& row) {
  const auto own = base::sum_of(row.load.sectors.value_or(0), row.store.sectors.value_or(0));
  return row.tma_instructions.value_or(0) > 0 || row.async_copy.sectors.value_or(0) > own;
}

double requests_of(const LineRow& line) {
  return real(line.loads) + real(line.stores);
}

// All lanes of a warp ask for one word.
bool is_shared(const LineRow& line) {
  return real(line.broadcast_loads) >= kMostlyShared * requests_of(line);
}

// Threads that have work somewhere are no idle lanes: a stencil loads its halo by a few, a reduction stores
// by one, the last step of a row leaves some without an element, and their warps would be as many without the
// others' idling. So the fullest of the lines decides that matter, or that most warps come by.
double most_lanes(const KernelSubject& kernel, double requests, bool with_shared) {
  const double least = std::min(kLeastOfRequests * requests, kMostOfWarps * warps_of(kernel.row));
  double most = 0;
  for (const LineRow* line : kernel.lines)
    if (line->lanes && requests_of(*line) >= least && (with_shared || !is_shared(*line)))
      most = std::max(most, *line->lanes);
  return most;
}

// A lane that loads only what all lanes of its warp load need not have work: the warp looks up where its row
// begins, and the row is shorter than the warp. Half of the lanes, or fewer, would be enough for each row.
// std::nullopt: that is not how the kernel works.
std::optional<double> lanes_of_short_rows(const KernelSubject& kernel) {
  const double requests = real(kernel.row.load.requests) + real(kernel.row.store.requests);
  double shared = 0, own = 0;
  for (const LineRow* line : kernel.lines) (is_shared(*line) ? shared : own) += real(line->loads);
  if (shared <= 0 || own < kOwnLoadsAShared * shared) return std::nullopt;
  const double lanes = most_lanes(kernel, requests, false);
  return lanes > 0 && lanes <= kWarpLanes / 2 ? std::optional(lanes) : std::nullopt;
}

// Where a library gives each row a block, warps that load nothing have no part of the row. In other kernels
// they may compute.
double share_of_working_warps(const KernelSubject& kernel) {
  const CalledFor use = called_for(kernel.row);
  if (use != CalledFor::by_row && use != CalledFor::norm) return 1;
  double most = 0;
  for (const LineRow* line : kernel.lines)
    if (real(line->loads) > 0) most = std::max(most, real(line->loads) / real(line->instructions));
  return most > 0 ? std::min(1.0, most / warps_of(kernel.row)) : 1;
}

Measure idle_share(const KernelSubject& kernel) {
  const KernelRow& row = kernel.row;
  if (moves_by_other_means(row)) return measured(0);
  double threads = 0, requests = 0;
  for (const Access* access : {&row.load, &row.store}) {
    if (access->requests == 0) continue;
    if (!access->requests) return lacks(row, model::Phase::bytes, "its requests");
    if (!access->lanes) return lacks(row, model::Phase::lines, "active threads per request");
    threads += *access->lanes * static_cast<double>(*access->requests);
    requests += static_cast<double>(*access->requests);
  }
  if (requests <= 0) return measured(0);
  const double lanes =
      lanes_of_short_rows(kernel).value_or(std::max(threads / requests, most_lanes(kernel, requests, true)));
  return measured(1 - lanes / kWarpLanes * share_of_working_warps(kernel));
}

// Of warps that have a scheduler each none waits for another.
double busy_lanes_share(const KernelRow& kernel, double lanes, const Machine& machine) {
  const double warps = warps_of(kernel);
  const double alone = machine.schedulers && warps > 0 ? *machine.schedulers / warps : 0;
  return std::min(1.0, std::max(lanes / kWarpLanes, alone));
}

// What `lanes` of a warp at work cost against full warps. A kernel that does not wait for memory waits for
// its own warps: without the idle lanes there are fewer.
Cost idle_lanes_cost(const KernelRow& kernel, double lanes, const Machine& machine) {
  if (auto missing = missing_input(kernel, machine)) return unknown_cost(*missing);
  const double launch_ns = real(kernel.median_gpu_ns);
  const Bound memory = longest(bounds_of(*work_of(kernel), machine));
  const double then =
      std::max(launch_ns * busy_lanes_share(kernel, lanes, machine), std::min(launch_ns, memory.ns));
  return {total(launch_ns - then, kernel),
          fmt::format("{} of 32 lanes at work: with full warps proportionally fewer would run; {} alone "
                      "needs {} of the {} of "
                      "a launch",
                      base::format_ratio(lanes), name_of(memory.level), base::format_ns(rounded(memory.ns)),
                      base::format_ns(rounded(launch_ns)))};
}

Advice fewer_lanes_advice(double lanes) {
  const auto enough = std::bit_ceil(static_cast<std::uint64_t>(std::ceil(lanes)));
  return {"G03.fewer_lanes_a_row",
          FactList()
              .add("lanes_at_work", lanes, "lanes")
              .count("lanes_a_row", static_cast<std::int64_t>(enough), "lanes")
              .take(),
          fmt::format(
              "Each warp works on a row of its own, which gives work to {} of its lanes. Give a row {} "
              "lanes (cooperative_groups::tiled_partition<{}>) or fewer, so that a warp works on several.",
              base::format_ratio(lanes), enough, enough)};
}

Advice full_warps_advice(std::int64_t block_threads) {
  const std::int64_t last_warp = block_threads % kLanes;
  if (last_warp != 0)
    return {"G03.block_multiple",
            FactList()
                .count("block_threads", block_threads, "threads")
                .count("empty_lanes", kLanes - last_warp, "lanes")
                .take(),
            fmt::format(
                "Make the block a multiple of 32 threads: with {} threads, {} of 32 lanes of the last warp "
                "are idle.",
                block_threads, kLanes - last_warp)};
  return {"G03.whole_warps",
          {},
          "A condition switches lanes off within warps: let it select whole warps, or compact the work "
          "first, so that neighbouring threads take the items that remain."};
}

Assessment assess_idle_lanes(const KernelSubject& kernel) {
  const Measure idle = idle_share(kernel);
  if (!idle.reaches(kIdleLanes)) return {idle};
  const std::int64_t block_threads = base::whole(threads_of(kernel.row));
  const auto rows = lanes_of_short_rows(kernel);
  return {idle,
          idle_lanes_cost(kernel.row, kWarpLanes * (1 - *idle.value), kernel.machine),
          {FactList()
               .add("idle_share", idle.value, "share")
               .count("block_threads", block_threads, "threads")
               .take(),
           fmt::format("{} of the lanes take no part in loads and stores; blocks of {} threads",
                       base::format_share(*idle.value), block_threads)},
          rows ? fewer_lanes_advice(*rows) : full_warps_advice(block_threads)};
}

// Of a kernel that stores little, by the machine code. A table that is looked up here and there does not tell
// what it moves. 0: it loads no narrow elements.
double times_narrower_by_loads(const KernelSubject& kernel) {
  double narrow = 0;
  for (const LineRow* line : kernel.lines) narrow += real(line->narrow_loads);
  if (narrow <= kNarrowShare * real(kernel.row.load.requests)) return 0;
  return kWordBytes / std::clamp(bytes_a_lane(kernel.row.load).value_or(1), 1.0, kWordBytes / kTimesNarrower);
}

// Stores are of elements, as no two lanes may write one. Loads of half a word a lane may be of narrow
// elements or of words that two lanes share.
Measure times_narrower(const KernelSubject& kernel) {
  const KernelRow& row = kernel.row;
  if (moves_by_other_means(row)) return measured(0);
  const Access& store = row.store;
  if (store.requests == 0 || store.sectors == 0) return measured(times_narrower_by_loads(kernel));
  if (!store.requests) return lacks(row, model::Phase::bytes, "its requests");
  const auto bytes = bytes_a_lane(store);
  if (!bytes) return lacks(row, model::Phase::lines, "active threads per request");
  // A result here and there does not tell what the kernel moves.
  if (static_cast<double>(*store.requests) <
      kStoresALoad * static_cast<double>(row.load.requests.value_or(0)))
    return measured(times_narrower_by_loads(kernel));
  const bool contiguous = shape_of(mean_request(store)) == Shape::contiguous;
  return measured(contiguous ? kWordBytes / *bytes : times_narrower_by_loads(kernel));
}

// What elements of a few bytes cost against the widest.
Cost narrow_cost(const KernelRow& kernel, double element_bytes, const Machine& machine) {
  if (auto missing = missing_input(kernel, machine)) return unknown_cost(*missing);
  if (!machine.element_bytes) return unknown_cost(kNotCalibrated);
  const auto& curve = machine.element_bytes->curve;
  const auto now = profile::value_near(curve, std::max(1.0, element_bytes));
  const auto widest = std::ranges::max_element(curve.points, {}, &profile::Point::y);
  if (!now || *now <= 0 || widest->y <= *now) return {0, "elements of this size are as fast as wider ones"};
  Work work = *work_of(kernel), wide = work;
  work.thread_bytes = element_bytes;
  wide.thread_bytes = widest->x;
  return {
      total(predict(kernel, work, wide, machine, {.instructions_gone = real(kernel.instructions)}).saved_ns,
            kernel),
      fmt::format("copies by {} B per lane reach {}, by {} B {} ({})", base::format_ratio(element_bytes),
                  base::format_bandwidth(*now * 1e9), base::format_ratio(widest->x),
                  base::format_bandwidth(widest->y * 1e9), machine.element_bytes->source)};
}

Advice wider_elements_advice(double times) {
  return {
      "G04.wider_elements",
      FactList()
          .add("elements_in_16_bytes", 4 * times, "elements")
          .add("elements_in_4_bytes", times, "elements")
          .take(),
      fmt::format("Let each thread move several elements at once: 16 bytes (a uint4) hold {:.0f} of them, "
                  "4 bytes (a uint or char4) {:.0f}.",
                  4 * times, times)};
}

Assessment assess_narrow_elements(const KernelSubject& kernel) {
  const Measure times = times_narrower(kernel);
  if (!times.reaches(kTimesNarrower)) return {times};
  const double element_bytes = kWordBytes / *times.value;
  return {times,
          narrow_cost(kernel.row, element_bytes, kernel.machine),
          {FactList().add("element_bytes", element_bytes, "bytes").take(),
           fmt::format("each thread moves {} B at a time, contiguously", base::format_ratio(element_bytes))},
          wider_elements_advice(*times.value)};
}

}  // namespace

constinit const Rule<KernelSubject> kPartialWarps{
    {"G03", "Partial warps", "use whole warps in {}", "A12",
     "share of the lanes that take no part in loads and stores", kIdleLanes, kIdleLanesUnpriced, false,
     "A12 speaks; A1 and a guard at the array's end stay silent", "", Picture::idle_lanes},
    assess_idle_lanes,
    [](const LineRow& line) -> std::optional<double> {
      if (!line.lanes || *line.lanes >= kFullWarp) return std::nullopt;
      return (kWarpLanes - *line.lanes) *
             static_cast<double>(line.loads.value_or(0) + line.stores.value_or(0));
    }};

constinit const Rule<KernelSubject> kNarrowElements{
    {.id = "G04",
     .title = "Elements of 1 or 2 bytes",
     .repair = "load and store several elements at once in {}",
     .families = "A7",
     .measure = "how many times an element is narrower than 4 bytes",
     .limit = kTimesNarrower,
     .unpriced_limit = kTimesNarrowerUnpriced,
     .note = false,
     .calibrated = "A7: 1 and 2 bytes speak, 4, 8 and 16 do not",
     .picture = Picture::narrow,
     .ended_by = "F01 F03"},
    assess_narrow_elements,
    // A load and its store are as often; the load is what one changes first.
    [](const LineRow& line) -> std::optional<double> {
      return static_cast<double>(line.loads.value_or(0)) +
             0.99 * static_cast<double>(line.stores.value_or(0));
    }};

}  // namespace coalescope::analysis
