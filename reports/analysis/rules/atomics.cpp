// A01: atomics of many lanes on one address, atomics that add many times to each of many addresses, and
// atomics whose result is waited for.

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/figures/access_shape.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rows/kernel_rows.h"
#include "reports/analysis/rules/missing.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr double kTimesSlower = 2;
constexpr double kTimesSlowerUnpriced = 8;
constexpr double kNeverUnpriced = 1e18;  // it is not found without a price
constexpr double kFewWords = 8;
constexpr double kShared = 1.5;            // lanes of a warp on one address
constexpr double kOneWord = 1.5;           // a warp, in the mean
constexpr double kSlowerThanCurve = 1.25;  // clocks and counters of other launches
constexpr double kAddedUp = 1.5;           // atomics for each block and address: they were added up before
constexpr double kFewLanes = 2;            // fewer, in the mean: most requests are of one lane
constexpr double kBlock = 256;             // threads
constexpr double kThreads = 2048;          // of a multiprocessor, where the driver did not tell
constexpr double kManyAddresses = 1 << 18;
constexpr double kLeastAtomics = 0.2;  // atomics of all requests, to explain the time of a launch
constexpr double kManyAdds = 8;        // to each address, per launch
constexpr double kExplained = 0.6;     // of the time: what takes as much explains the launch

double width_of(const Access& access) {
  return access.width_bytes.value_or(kWordBytes);
}

// Distinct addresses that a request's lanes go to. Sectors do not tell: one address and eight neighbours are
// one sector.
std::optional<double> words_a_request(const Access& access) {
  if (real(access.requests) <= 0 || !access.data_bytes) return std::nullopt;
  return real(access.data_bytes) / width_of(access) / real(access.requests);
}

// Lanes of a warp that go to one address, on average.
double lanes_a_word(const Access& access, double words) {
  return std::max(1.0, access.lanes.value_or(kWarpLanes) / std::max(1.0, words));
}

double all_lanes(const Access& access) {
  return real(access.requests) * access.lanes.value_or(kWarpLanes);
}

// The curve is of neighbouring words of 4 bytes; 8 bytes take as long as two of them. L2 works by sectors: a
// lane alone in one takes as long as eight, unless the lanes wait for each other.
double words_of_work(const Access& access, double addresses) {
  const double of_sectors = addresses > kFewWords ? real(access.sectors) * kSectorBytes : 0;
  return std::max(all_lanes(access) * width_of(access), of_sectors) / kWordBytes;
}

// The fewest addresses on which the launch could do its atomics in the time that it takes.
double least_addresses(const KernelSubject& kernel, const Access& access) {
  const double launch_ns = real(kernel.row.median_gpu_ns);
  if (!kernel.machine.atomics || launch_ns <= 0) return 1;
  const double rate = all_lanes(access) / (kSlowerThanCurve * launch_ns);
  const auto& points = kernel.machine.atomics->curve.points;
  const auto found =
      std::ranges::find_if(points, [&](const profile::Point& point) { return point.y >= rate; });
  return found == points.end() ? kManyAddresses : found->x;
}

// Atomics per ns on so many addresses, evenly used; above 0.
std::optional<double> rate_on(const Machine& machine, double addresses) {
  if (!machine.atomics) return std::nullopt;
  const auto rate = profile::value_near(machine.atomics->curve, addresses);
  return rate && *rate > 0 ? rate : std::nullopt;
}

// What the launch's atomics take on so many addresses; 0: not known.
double time_on(const Machine& machine, const Access& access, double addresses) {
  const auto rate = rate_on(machine, addresses);
  return rate ? words_of_work(access, addresses) / *rate : 0;
}

// Threads that run at once; nullopt: not known.
std::optional<double> room_of(const Machine& machine) {
  if (!machine.multiprocessors) return std::nullopt;
  return machine.threads_per_multiprocessor.value_or(kThreads) * *machine.multiprocessors;
}

bool fills_half_of_the_gpu(const KernelRow& kernel, const Machine& machine) {
  const auto room = room_of(machine);
  return room && blocks_of(kernel) * threads_of(kernel) >= *room / 2;
}

// Atomics all over a large memory make L2 fetch its sectors from DRAM and write them back; the sectors of few
// addresses stay. What is written may be data of earlier launches; what is read is the launch's own.
bool stay_in_l2(const KernelRow& kernel, const Access& access) {
  const double few_bytes = kIdle * real(access.sectors) * kSectorBytes;
  const double loaded_bytes = real(kernel.load.sectors) * kSectorBytes;
  return (kernel.dram_write_bytes && real(kernel.dram_write_bytes) < few_bytes) ||
         (kernel.dram_read_bytes && kernel.load.sectors &&
          real(kernel.dram_read_bytes) < loaded_bytes + few_bytes);
}

// Whether only atomics on fewer addresses than `most` explain how long the launch takes.
bool only_fewer_explain(const KernelSubject& kernel, const Access& access, double most) {
  const KernelRow& row = kernel.row;
  const Machine& machine = kernel.machine;
  const double idle_ns = kIdle * real(row.median_gpu_ns);
  const auto work = work_of(row);
  if (!work || !row.instructions || !machine.instructions_per_ns || !fills_half_of_the_gpu(row, machine))
    return false;
  if (real(access.requests) < kLeastAtomics * memory_requests(row) || !stay_in_l2(row, access)) return false;
  if (issue_ns(row, machine) >= idle_ns || longest(bounds_of(*work, machine)).ns >= idle_ns) return false;
  return time_on(machine, access, most) < idle_ns &&
         time_on(machine, access, least_addresses(kernel, access)) >= idle_ns;
}

struct Addresses {
  double count = 0;
  bool by_time = false;  // nothing else explains the time of the launch
};

// Addresses that all warps share: those of one request whose lanes share them, or more where the launch is
// too fast for so few; else at most the words of the smallest allocation that they go to, or, where the code
// does not tell that, that the kernel was given. It may be a library's pool.
Addresses addresses_of(const KernelSubject& kernel, const Access& access, double words) {
  const double least = least_addresses(kernel, access);
  if (words <= kFewWords && lanes_a_word(access, words) >= kShared) return {std::max({1.0, words, least})};
  std::optional<std::int64_t> smallest = kernel.row.least_atomic_bytes;
  for (const PointerRow* pointer : kernel.pointers)
    if (!kernel.row.least_atomic_bytes && pointer->memory == model::MemoryKind::device &&
        pointer->allocation_bytes)
      smallest = std::min(smallest.value_or(*pointer->allocation_bytes), *pointer->allocation_bytes);
  const double most = smallest ? std::max(words, real(smallest) / kWordBytes) : kManyAddresses;
  if (!only_fewer_explain(kernel, access, most)) return {most};
  return {std::min(std::max(words, least), most), true};
}

// How many times as fast atomics on many addresses are; without a curve, how many lanes share one.
double slowdown(double words, double addresses, const Machine& machine) {
  if (!machine.atomics) return kWarpLanes / std::max(1.0, words);
  const auto rate = rate_on(machine, addresses);
  const double best = std::ranges::max(machine.atomics->curve.points, {}, &profile::Point::y).y;
  return rate ? best / *rate : 0;
}

bool full_warps(const Access& access) {
  return access.lanes.value_or(kWarpLanes) >= kWarpLanes / 4;
}

// Atomics of few lanes matter where they take the launch's time, and no more: else their addresses are
// others.
bool take_the_launch(const KernelSubject& kernel, const Access& access, double addresses) {
  const auto rate = rate_on(kernel.machine, addresses);
  const double launch_ns = real(kernel.row.median_gpu_ns);
  if (!rate || !access.requests || !access.lanes || launch_ns <= 0) return false;
  const double share = all_lanes(access) / *rate / launch_ns;
  return share >= kernel.machine.chip.saturated_share && share <= kSlowerThanCurve;
}

// The kind of atomics that has most to gain: its access, the words of a request, the addresses of all warps.
struct Contention {
  Measure times_slower;
  const Access* access = nullptr;
  double words = 0;
  Addresses addresses = {};
};

Contention contention_of(const KernelSubject& kernel) {
  Contention worst{measured(0)};
  for (const Access* access : {&kernel.row.atomic, &kernel.row.reduction}) {
    if (!access->sectors) return {lacks(kernel.row, model::Phase::bytes, "atomics")};
    if (*access->sectors == 0) continue;
    const auto words = words_a_request(*access);
    if (!words) return {lacks(kernel.row, model::Phase::lines, "active threads of its atomics")};
    const bool full = full_warps(*access);
    const Addresses addresses =
        full ? addresses_of(kernel, *access, *words) : Addresses{std::max(1.0, *words)};
    if (!full && !take_the_launch(kernel, *access, addresses.count)) continue;
    const double times =
        std::max(slowdown(*words, addresses.count, kernel.machine), lanes_a_word(*access, *words));
    if (times > *worst.times_slower.value) worst = {measured(times), access, *words, addresses};
  }
  return worst;
}

// Each block adds to each address once, of what its warps have added up in shared memory. Where most requests
// are of one lane, the few others are of blocks with something else to add.
bool is_added_up(const Access& access, const KernelRow& kernel, double addresses) {
  const double once = kAddedUp * std::max(1.0, blocks_of(kernel)) * addresses, all = all_lanes(access);
  if (real(kernel.shared.requests) <= 0) return false;
  return all <= once || (real(access.requests) <= once && all < kFewLanes * real(access.requests));
}

// What remains of the atomics once they are added up in each warp, or in shared memory in each block, which
// has to add to each address once. A block that keeps many counters goes over as much as it can, so that
// there are no more blocks than run at once.
double left_once_added_up(const Access& access, const KernelRow& kernel, const Contention& contention,
                          const Machine& machine) {
  const double all = all_lanes(access), addresses = contention.addresses.count;
  if (is_added_up(access, kernel, addresses)) return all;
  double blocks = std::max(1.0, blocks_of(kernel));
  if (const auto room = room_of(machine); addresses > kFewWords && room)
    blocks = std::min(blocks, *room / kBlock);
  return std::min(all / lanes_a_word(access, contention.words), blocks * addresses);
}

// What atomics on so few addresses cost, were they added up in a warp or block before.
Cost contention_cost(const KernelRow& kernel, const Contention& contention, const Machine& machine) {
  const Access& atomics = *contention.access;
  const double addresses = contention.addresses.count;
  if (!machine.atomics) return unknown_cost(kNotCalibrated);
  if (!kernel.median_gpu_ns || *kernel.median_gpu_ns <= 0)
    return unknown_cost("cost unknown: none of its launches was timed");
  if (!atomics.requests || !atomics.lanes)
    return unknown_cost("cost unknown: its atomics were not counted by line");
  const auto rate = rate_on(machine, addresses);
  if (!rate) return unknown_cost(kNotCalibrated);
  const double launch_ns = real(kernel.median_gpu_ns);
  const double all = all_lanes(atomics);
  const double now = words_of_work(atomics, addresses) / *rate;
  const double left = left_once_added_up(atomics, kernel, contention, machine);
  const double then = left < all ? std::min(now, left * width_of(atomics) / kWordBytes / *rate) : now;
  const double floor = floor_ns(kernel, machine);
  const double least = std::max(then, floor) + real(machine.launch_ns);
  // The curve is of addresses that are used evenly. Where nothing else explains the launch, a few of them get
  // most of the atomics.
  const bool alone = now >= kIdle * launch_ns && floor < kIdle * launch_ns;
  const double most = alone ? launch_ns : now - then;
  const double saved = std::clamp(launch_ns - least, 0.0, most);
  return {
      total(saved, kernel),
      fmt::format("{} atomics per launch on {} addresses take {} ({}); added up in each warp or block "
                  "before, they would take {}",
                  base::format_count(rounded(all)), base::format_count(rounded(addresses)),
                  base::format_ns(rounded(now)), machine.atomics->source, base::format_ns(rounded(then)))};
}

Evidence contention_evidence(const Contention& contention, const Machine& machine) {
  const double lanes = lanes_a_word(*contention.access, contention.words);
  std::string text = fmt::format(
      "a warp's atomics go to {} address{}, {} lane{} to each; all warps together use {} or fewer",
      base::format_ratio(contention.words), contention.words == 1 ? "" : "es", base::format_ratio(lanes),
      lanes == 1 ? "" : "s", base::format_count(base::whole(contention.addresses.count)));
  if (contention.addresses.by_time)
    text += ", because nothing else that was measured explains the launch's time";
  FactList facts;
  facts.add("words_per_request", contention.words, "words")
      .add("lanes_per_word", lanes, "lanes")
      .add("addresses", contention.addresses.count, "addresses");
  if (machine.atomics) {
    const double times = slowdown(contention.words, contention.addresses.count, machine);
    facts.add("times_slower", times, "times");
    if (times >= kTimesSlower)
      text += fmt::format(", where atomics are {} times slower than on many", base::format_ratio(times));
  }
  return {facts.take(), std::move(text)};
}

Advice contention_advice(const Contention& contention) {
  if (lanes_a_word(*contention.access, contention.words) < kShared)
    return {
        "A01.block_counters",
        {},
        std::string("Give each block counters of its own in shared memory, let it take many elements, and "
                    "add the counters up at its end. ") +
            (contention.words < kOneWord
                 ? "One lane of each warp makes its atomics already, so that adding up within the warp "
                   "saves nothing."
                 : "Lanes of a warp go to different addresses, so that adding up within the warp saves "
                   "nothing.")};
  return {
      "A01.add_up_first",
      {},
      "Add up within the warp first (__reduce_add_sync for integers, or a shuffle) and let one lane do the "
      "atomic; or give each block counters of its own in shared memory and add those up at its end."};
}

Assessment assess_contention(const KernelSubject& kernel) {
  const Contention worst = contention_of(kernel);
  if (!worst.times_slower.reaches(kTimesSlower)) return {worst.times_slower};
  return {worst.times_slower, contention_cost(kernel.row, worst, kernel.machine),
          contention_evidence(worst, kernel.machine), contention_advice(worst)};
}

// How often each address is added to, where the code tells the memory; 0: nothing says that its atomics are
// what the launch waits for.
Measure adds_per_address(const KernelSubject& kernel) {
  const KernelRow& row = kernel.row;
  const Access& access =
      real(row.atomic.requests) > real(row.reduction.requests) ? row.atomic : row.reduction;
  const auto work = work_of(row);
  const double launch_ns = real(row.median_gpu_ns);
  if (!row.least_atomic_bytes || *row.least_atomic_bytes <= 0 || !work || !row.instructions || launch_ns <= 0)
    return measured(0);
  if (!kernel.machine.atomics || !kernel.machine.instructions_per_ns ||
      !fills_half_of_the_gpu(row, kernel.machine) ||
      real(access.requests) < kLeastAtomics * memory_requests(row))
    return measured(0);
  if (contention_of(kernel).times_slower.reaches(kTimesSlower)) return measured(0);
  const double addresses = real(*row.least_atomic_bytes) / width_of(access);
  const double explained =
      std::max({issue_ns(row, kernel.machine), longest(bounds_of(*work, kernel.machine)).ns,
                time_on(kernel.machine, access, addresses)});
  return measured(explained < kExplained * launch_ns ? all_lanes(access) / addresses : 0);
}

// Segments are read once, and each is stored once.
Cost segments_cost(const KernelSubject& kernel) {
  const Bound memory = longest(bounds_of(*work_of(kernel.row), kernel.machine));
  const double then = memory.ns / kFull + real(kernel.machine.launch_ns);
  return {total(std::max(0.0, real(kernel.row.median_gpu_ns) - then), kernel.row),
          fmt::format(
              "memory traffic, instructions, and atomics on that many addresses do not explain the time of a "
              "launch; {} needs {}",
              name_of(memory.level), base::format_ns(rounded(memory.ns)))};
}

Assessment assess_repeated(const KernelSubject& kernel) {
  const Measure adds = adds_per_address(kernel);
  if (!adds.reaches(kManyAdds)) return {adds};
  return {
      adds,
      segments_cost(kernel),
      {FactList().add("adds_per_address", adds.value, "count").take(),
       fmt::format("each address is added to {} times per launch on average, and these atomics wait for each "
                   "other",
                   base::format_ratio(*adds.value))},
      {"A01.segments",
       {},
       "Sort the values by where they are added, once if that does not change. Then let a warp or block "
       "add up each segment and store it once (cub::DeviceSegmentedReduce)."}};
}

std::optional<double> atomics_of_line(const LineRow& line) {
  const auto atomics = line.atomics.value_or(0) + line.reductions.value_or(0);
  if (atomics == 0) return std::nullopt;
  return static_cast<double>(atomics);
}

}  // namespace

constinit const Rule<KernelSubject> kContendedAtomics{
    {"A01", "Contended atomics", "spread the atomics of {} over more addresses", "B7",
     "how many times as fast atomics on addresses of their own would be", kTimesSlower, kTimesSlowerUnpriced,
     false, "B7: one and few addresses speak; spread and aggregated ones do not", "", Picture::atomics, 0.07},
    assess_contention,
    atomics_of_line};

constinit const Rule<KernelSubject> kRepeatedAtomics{
    {"A01", "Atomics that add many times to each address", "add up segments before the atomics of {}", "B7",
     "how often each address is added to", kManyAdds, kNeverUnpriced, false,
     "B7: none of its cases adds so often to so many addresses", "", Picture::atomics, 0.2},
    assess_repeated,
    atomics_of_line};

}  // namespace coalescope::analysis
