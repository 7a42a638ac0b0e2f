// The order of a prediction for a kernel: (1) the work of a launch, from its counters, (2) the work of the
// repaired launch: what the surplus can explain is taken away from each level, (3) both priced by every
// resource whose rate is known; the slowest bounds the kernel, before and after, (4) a kernel that stays far
// below its bound waits for something else, so it gains less. docs/model.md says it at length.

#include "reports/analysis/gain.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <vector>

#include "core/base/units.h"
#include "reports/analysis/access_shape.h"
#include "reports/analysis/gain_parts.h"
#include "reports/analysis/kernel_bounds.h"
#include "reports/analysis/ratios.h"

namespace coalescope::analysis {
namespace {

// DRAM is read by 64 bytes, so a lone sector brings its neighbour; and a sector that is written in part is
// read first, so that a lone store moves two such pieces.
constexpr double kDramBytesALoadByte = 2;
constexpr double kDramBytesAStoreByte = 4;
// From this share of a bound on it counts as what the kernel waits for: scattered sectors reach no more of it
// than this (stride 32 on an H100).
constexpr double kSaturated = 0.55;
// A kernel that reaches this share of a level's bandwidth is limited by that level, whatever the others do.
constexpr double kFull = 0.8;
// Below this share of every bound the kernel waits for something that no rate here describes.
constexpr double kIdle = 0.3;
// A pipe that works for less than this share of a launch is taken to keep nobody waiting: 9 % are those of a
// histogram in shared memory that is as it should be, its twofold conflicts among them.
constexpr double kQuiet = 0.1;
// Counters of different launches differ by about this much.
constexpr double kNoise = 0.02;

// What a prediction needs of every kernel; a sentence where something is missing.
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

// Bytes of sectors that a launch touches in L1, and those of them that a repaired one would not.
struct Surplus {
  double moved = 0;
  double spare = 0;
};
std::optional<Surplus> surplus_of(const Access& access) {
  if (!access.sectors) return std::nullopt;
  const double moved = static_cast<double>(*access.sectors) * kSectorBytes;
  const auto needed = needed_share(access);
  if (!needed && *access.sectors > 0) return std::nullopt;
  return Surplus{moved, needed ? moved * std::max(0.0, 1 - *needed) : 0.0};
}

// Of the bytes that a level carried beyond those that were asked for, at most as many as the surplus can have
// caused: other traffic (other caches, asynchronous copies) is never put down to it.
double spared(double carried, double asked, double explained) {
  return std::clamp(carried - asked, 0.0, explained);
}

struct Spare {
  double load_bytes = 0, store_bytes = 0;  // of L1's sectors
  [[nodiscard]] double sum() const { return load_bytes + store_bytes; }
};

// The same work without the surplus. `asked` is what L1 moves after the repair.
Work repaired_work(const KernelRow& kernel, const Work& work, const Spare& spare, double asked_reads,
                   double asked_writes) {
  Work repaired = work;
  const double asked = asked_reads + asked_writes;
  repaired.dram_bytes -=
      spared(work.dram_bytes, asked,
             spare.load_bytes * kDramBytesALoadByte + spare.store_bytes * kDramBytesAStoreByte);
  repaired.l2_read_bytes -= spared(work.l2_read_bytes, asked_reads, spare.load_bytes);
  repaired.l2_write_bytes -= spared(work.l2_write_bytes, asked_writes, spare.store_bytes);
  repaired.read_spread *= needed_share(kernel.load).value_or(1);
  repaired.write_spread *= needed_share(kernel.store).value_or(1);
  const double spare_passes = passes_of(kernel.load) * (1 - needed_share(kernel.load).value_or(1)) +
                              passes_of(kernel.store) * (1 - needed_share(kernel.store).value_or(1));
  repaired.passes -= std::min(work.passes, spare_passes);
  // Contiguous now; what an element's size does to DRAM then holds for it.
  if (repaired.element_bytes <= 0)
    repaired.element_bytes = std::clamp(bytes_a_lane(kernel.load).value_or(kWordBytes), 1.0, 16.0);
  return repaired;
}

std::string amount_text(const Bound& bound) {
  return bound.level == MemoryLevel::l1 ? base::format_count(rounded(bound.amount)) + " passes"
                                        : bytes_text(bound.amount);
}

std::string basis_text(const Bound& before, const Bound& same_after, const Bound& after, double utilisation) {
  std::string text = fmt::format(
      "{} carried {} a launch, {} would do; it needs {} for that, and this kernel keeps it {} busy",
      name_of(before.level), amount_text(before), amount_text(same_after),
      base::format_ns(rounded(before.ns)), base::format_share(std::min(1.0, utilisation)));
  if (after.level != before.level) text += fmt::format("; repaired, {} would bound it", name_of(after.level));
  return text;
}

const Bound& same(const std::vector<Bound>& bounds, const Bound& as) {
  return *std::ranges::find(bounds, as.level, &Bound::level);
}

// What a repair saves, a launch. `hidden` answers where the slowest resource keeps its work.
struct Prediction {
  double saved = 0;  // of the bound
  double weight = 0;
  double utilisation = 0;
  Bound before, same_after, after;
  [[nodiscard]] double lost_ns(const KernelRow& kernel) const {
    return real(kernel.median_gpu_ns) * weight * saved;
  }
  [[nodiscard]] std::string basis() const { return basis_text(before, same_after, after, utilisation); }
};

Prediction predict(const KernelRow& kernel, const Work& work, const Work& repaired, const Machine& machine) {
  const auto now = bounds_of(work, machine), then = bounds_of(repaired, machine);
  Prediction prediction;
  prediction.before = longest(now);
  prediction.after = longest(then);
  prediction.same_after = same(then, prediction.before);
  prediction.utilisation = prediction.before.ns / real(kernel.median_gpu_ns);
  prediction.weight = std::min(1.0, prediction.utilisation / kSaturated);
  if (prediction.before.ns > 0) prediction.saved = 1 - prediction.after.ns / prediction.before.ns;
  return prediction;
}

// The slowest resource that is known carries no surplus, or none of them is busy.
Cost hidden_surplus_cost(const Prediction& prediction, bool in_l2, const Machine& machine) {
  if (prediction.utilisation >= kFull)
    return {0, fmt::format("{} limits it, and carries no surplus", name_of(prediction.before.level))};
  if (in_l2 && !machine.l2)
    return unknown_cost("not calibrated: its surplus stays in L2, whose bandwidth here is not known");
  return unknown_cost(
      "cost unknown: L1 keeps its surplus from L2 and DRAM, and what it costs inside L1 is not known");
}

// The longest of the bounds, which a repair of something else cannot beat.
double floor_ns(const KernelRow& kernel, const Machine& machine) {
  const auto work = work_of(kernel);
  if (!work) return 0;
  Work rest = *work;
  rest.passes = 0;
  return longest(bounds_of(rest, machine)).ns;
}

// Requests without conflicts do not reach the rate of wavefronts that conflicts do: what they take longer.
double slower_ns(const SharedAccess& shared, const Machine& machine) {
  if (!machine.shared_conflicts) return 0;
  const auto reached = profile::value_near(machine.shared_conflicts->curve, 1);
  if (!reached || *reached <= 0) return 0;
  const double ideal = real(shared.ideal_wavefronts);
  return std::max(0.0, ideal / *reached - ideal / *machine.wavefronts_per_ns);
}

// The measured work, or the least that it can be, as a sentence of the basis tells.
struct KnownWork {
  Work work;
  std::string_view remark;
};
std::optional<KnownWork> known_work_of(const KernelRow& kernel) {
  if (auto work = work_of(kernel)) return KnownWork{*work, ""};
  if (auto work = least_work_of(kernel))
    return KnownWork{*work, "; its L2 and DRAM traffic was not measured: taken as its memory, once"};
  return std::nullopt;
}

}  // namespace

Cost unknown_cost(std::string basis) {
  return {std::nullopt, std::move(basis)};
}

std::optional<double> needed_share(const Access& access) {
  if (access.sector_efficiency) return std::min(1.0, *access.sector_efficiency);
  return best_sector_efficiency(access.data_bytes, access.sectors, access.requests);
}

Cost surplus_cost(const KernelRow& kernel, Operation operation, const Machine& machine) {
  const auto load = surplus_of(kernel.load), store = surplus_of(kernel.store);
  if (!load || !store) return unknown_cost("cost unknown: its sectors were not measured");
  if (auto missing = missing_input(kernel, machine)) return unknown_cost(std::move(*missing));
  const Spare spare{load->spare, store->spare};
  const double own = operation == Operation::load ? spare.load_bytes : spare.store_bytes;
  if (own <= 0) return {0, "no surplus"};
  const Work work = *work_of(kernel);
  const double others = (real(kernel.atomic_sectors) + real(kernel.local_sectors)) * kSectorBytes;
  const Work repaired = repaired_work(kernel, work, spare, load->moved - spare.load_bytes + others,
                                      store->moved - spare.store_bytes);
  const Prediction prediction = predict(kernel, work, repaired, machine);
  const bool only_l1 = prediction.before.level == MemoryLevel::l1 && prediction.utilisation < kIdle;
  if (prediction.saved < kNoise || only_l1) {
    const bool in_l2 =
        work.l2_read_bytes + work.l2_write_bytes > load->moved + store->moved - spare.sum() + others;
    return hidden_surplus_cost(prediction, in_l2, machine);
  }
  return {total(prediction.lost_ns(kernel) * own / spare.sum(), kernel), prediction.basis()};
}

// The values are wanted at once, so that all of the time beyond what other traffic needs is spent on waiting
// for what L1 serves, in the parts that it serves.
Cost local_cost(const KernelRow& kernel, const Machine& machine) {
  const auto known = known_work_of(kernel);
  if (auto missing = missing_input(kernel, machine, known.has_value()))
    return unknown_cost(std::move(*missing));
  if (!kernel.local_load_sectors || !kernel.local_store_sectors)
    return unknown_cost("cost unknown: its local sectors were not measured");
  const Work& work = known->work;
  Work repaired = work;
  const double loads = real(kernel.local_load_sectors) * kSectorBytes;
  const double stores = real(kernel.local_store_sectors) * kSectorBytes;
  const double others = (real(kernel.load.sectors) + real(kernel.store.sectors)) * kSectorBytes;
  repaired.l2_read_bytes -= spared(work.l2_read_bytes, 0, loads);
  repaired.l2_write_bytes -= spared(work.l2_write_bytes, 0, stores);
  repaired.dram_bytes -= spared(work.dram_bytes, std::min(work.dram_bytes, others), loads + stores);
  repaired.passes -= local_passes(kernel);
  const Prediction prediction = predict(kernel, work, repaired, machine);
  const double launch_ns = real(kernel.median_gpu_ns);
  const double part = (loads + stores) / std::max(1.0, loads + stores + others);
  const double weight = std::min(1.0, prediction.utilisation / kIdle);
  const double waiting =
      prediction.saved < kNoise ? 0 : (launch_ns - prediction.after.ns / kFull) * weight * part;
  const double saved = std::max(prediction.lost_ns(kernel), waiting);
  return {total(saved, kernel), prediction.basis() + std::string(known->remark)};
}

Cost conflict_cost(const KernelRow& kernel, const Machine& machine) {
  if (!kernel.shared.surplus_wavefronts)
    return unknown_cost("cost unknown: its wavefronts were not measured");
  if (!kernel.median_gpu_ns || *kernel.median_gpu_ns <= 0)
    return unknown_cost("cost unknown: none of its launches was timed");
  if (!machine.wavefronts_per_ns) return unknown_cost(std::string(kNotCalibrated));
  const double surplus = real(kernel.shared.surplus_wavefronts);
  const double busy =
      real(kernel.shared.wavefronts) / *machine.wavefronts_per_ns / real(kernel.median_gpu_ns);
  if (busy < kQuiet)
    return {0, fmt::format("shared memory is busy for {} of a launch, so that conflicts hide",
                           base::format_share(busy))};
  // Nor does what else it does let a repaired kernel keep the pipe busier than other pipes are when full.
  const double then = real(kernel.shared.ideal_wavefronts) / *machine.wavefronts_per_ns / kFull;
  const double most = real(kernel.median_gpu_ns) - std::max(floor_ns(kernel, machine), then);
  const double saved = surplus / *machine.wavefronts_per_ns - slower_ns(kernel.shared, machine);
  return {
      total(std::min(saved, most), kernel),
      fmt::format("{} wavefronts a launch beyond those without conflicts, and this GPU does {:.0f} in a ns; "
                  "they are not hidden behind memory, as blocks wait for them",
                  base::format_count(rounded(surplus)), *machine.wavefronts_per_ns)};
}

Cost contention_cost(const KernelRow& kernel, const Access& atomics, double addresses,
                     const Machine& machine) {
  if (!machine.atomics) return unknown_cost(std::string(kNotCalibrated));
  if (!kernel.median_gpu_ns || *kernel.median_gpu_ns <= 0)
    return unknown_cost("cost unknown: none of its launches was timed");
  if (!atomics.requests || !atomics.lanes)
    return unknown_cost("cost unknown: its atomics were not counted by line");
  const auto rate = profile::value_near(machine.atomics->curve, addresses);
  if (!rate || *rate <= 0) return unknown_cost(std::string(kNotCalibrated));
  const double launch_ns = real(kernel.median_gpu_ns);
  const double all = real(atomics.requests) * *atomics.lanes;
  // The curve is of neighbouring words. L2 works by sectors: a lane alone in one takes as long as eight.
  const double now = std::max(all, real(atomics.sectors) * kSectorBytes / kWordBytes) / *rate;
  // Each block has to add to each address once, whatever it adds up before.
  const double blocks = blocks_of(kernel);
  const double then = std::min(now, std::min(all, std::max(1.0, blocks) * addresses) / *rate);
  const double weight = std::min(1.0, now / launch_ns / kFull);
  const double saved = now > 0 ? launch_ns * weight * (1 - then / now) : 0;
  return {
      total(std::min(saved, launch_ns - std::min(launch_ns, floor_ns(kernel, machine))), kernel),
      fmt::format("{} atomics a launch on {} addresses take {} ({}); added up in each block before, they "
                  "would take {}",
                  base::format_count(rounded(all)), base::format_count(rounded(addresses)),
                  base::format_ns(rounded(now)), machine.atomics->source, base::format_ns(rounded(then)))};
}

Cost divergent_constant_cost(const KernelRow& kernel, const Machine& machine) {
  if (!kernel.median_gpu_ns || *kernel.median_gpu_ns <= 0)
    return unknown_cost("cost unknown: none of its launches was timed");
  if (!machine.constants || !kernel.constant_divergent_loads || !kernel.constant_addresses)
    return unknown_cost(std::string(kNotCalibrated));
  const auto rate = profile::value_near(machine.constants->curve, *kernel.constant_addresses);
  const auto rate_at_one = profile::value_near(machine.constants->curve, 1);
  if (!rate || !rate_at_one || *rate <= 0 || *rate_at_one <= 0)
    return unknown_cost(std::string(kNotCalibrated));
  const double loads = real(kernel.constant_divergent_loads);
  const double now = loads / *rate;
  const double then = loads / *rate_at_one;
  const double most = std::max(0.0, real(kernel.median_gpu_ns) - floor_ns(kernel, machine));
  return {
      total(std::min(std::max(0.0, now - then), most), kernel),
      fmt::format("{} loads a launch at {:.1f} addresses take {} ({}), at one address {}",
                  base::format_count(rounded(loads)), *kernel.constant_addresses,
                  base::format_ns(rounded(now)), machine.constants->source, base::format_ns(rounded(then)))};
}

Cost returning_cost(const KernelRow& kernel, const Machine& machine) {
  if (auto missing = missing_input(kernel, machine)) return unknown_cost(std::move(*missing));
  if (!machine.atomics) return unknown_cost(std::string(kNotCalibrated));
  if (!kernel.atomic.requests || !kernel.atomic.lanes)
    return unknown_cost("cost unknown: its atomics were not counted by line");
  const double launch_ns = real(kernel.median_gpu_ns);
  const double rate = std::ranges::max(machine.atomics->curve.points, {}, &profile::Point::y).y;
  const double atomics_ns = real(kernel.atomic.requests) * *kernel.atomic.lanes / rate;
  if (atomics_ns < kNoise * launch_ns)
    return {0, fmt::format("its atomics take {} of the {} of a launch: it waits for something else",
                           base::format_ns(rounded(atomics_ns)), base::format_ns(rounded(launch_ns)))};
  const Bound memory = longest(bounds_of(*work_of(kernel), machine));
  // What the curve says was reached; of a bound a kernel reaches a part.
  const double then = std::max(atomics_ns, memory.ns / kFull);
  return {total(launch_ns - then, kernel),
          fmt::format("without a result the atomics of a launch take {} ({}), and {} needs {}",
                      base::format_ns(rounded(atomics_ns)), machine.atomics->source, name_of(memory.level),
                      base::format_ns(rounded(memory.ns)))};
}

Cost narrow_cost(const KernelRow& kernel, double element_bytes, const Machine& machine) {
  if (auto missing = missing_input(kernel, machine)) return unknown_cost(std::move(*missing));
  if (!machine.element_bytes) return unknown_cost(std::string(kNotCalibrated));
  const double asked = real(kernel.load.data_bytes) + real(kernel.store.data_bytes);
  const auto& curve = machine.element_bytes->curve;
  const auto now = profile::value_near(curve, std::max(1.0, element_bytes));
  const auto widest = std::ranges::max_element(curve.points, {}, &profile::Point::y);
  if (!now || *now <= 0 || widest->y <= *now) return {0, "elements of this size are as fast as wider ones"};
  const double launch_ns = real(kernel.median_gpu_ns);
  const double weight = std::min(1.0, asked / *now / launch_ns / kSaturated);
  return {total(launch_ns * weight * (1 - *now / widest->y), kernel),
          fmt::format("copies by {} B a lane reach {}, by {} B {} ({})", base::format_ratio(element_bytes),
                      base::format_bandwidth(*now * 1e9), base::format_ratio(widest->x),
                      base::format_bandwidth(widest->y * 1e9), machine.element_bytes->source)};
}

// Of warps that have a scheduler each none waits for another.
double busy_lanes_share(const KernelRow& kernel, double lanes, const Machine& machine) {
  const double warps = blocks_of(kernel) * std::ceil(threads_of(kernel) / kWarpLanes);
  const double alone = machine.schedulers && warps > 0 ? *machine.schedulers / warps : 0;
  return std::min(1.0, std::max(lanes / kWarpLanes, alone));
}

// A kernel that does not wait for memory waits for its own warps: without the idle lanes there are fewer.
Cost idle_lanes_cost(const KernelRow& kernel, double lanes, const Machine& machine) {
  if (auto missing = missing_input(kernel, machine)) return unknown_cost(std::move(*missing));
  const double launch_ns = real(kernel.median_gpu_ns);
  const Bound memory = longest(bounds_of(*work_of(kernel), machine));
  const double then =
      std::max(launch_ns * busy_lanes_share(kernel, lanes, machine), std::min(launch_ns, memory.ns));
  return {total(launch_ns - then, kernel),
          fmt::format(
              "{} of 32 lanes at work: full warps would be fewer by as much; {} alone needs {} of the {} of "
              "a launch",
              base::format_ratio(lanes), name_of(memory.level), base::format_ns(rounded(memory.ns)),
              base::format_ns(rounded(launch_ns)))};
}

Cost broadcast_cost(const KernelRow& kernel, double broadcast_loads, const Machine& machine) {
  const auto known = known_work_of(kernel);
  if (auto missing = missing_input(kernel, machine, known.has_value()))
    return unknown_cost(std::move(*missing));
  Work repaired = known->work;
  repaired.passes -= std::min(repaired.passes, broadcast_loads);
  Prediction prediction = predict(kernel, known->work, repaired, machine);
  if (prediction.saved < kNoise)
    return unknown_cost(
        fmt::format("no cost: {} limits it, and a shared word moves the least that a request can "
                    "move",
                    name_of(prediction.before.level)));
  if (!known->remark.empty()) {
    // The least traffic is a guess at the rest, so that only a kernel that L1 limits is judged by it.
    if (prediction.utilisation < kFull)
      return unknown_cost("cost unknown: its L2 and DRAM traffic was not measured");
    prediction.saved = std::max(0.0, 1 - prediction.after.ns / kFull / prediction.before.ns);
  }
  return {total(prediction.lost_ns(kernel), kernel), prediction.basis() + std::string(known->remark)};
}

Cost exposed_latency_cost(const KernelRow& kernel, const Machine& machine) {
  if (auto missing = missing_input(kernel, machine)) return unknown_cost(std::move(*missing));
  const double launch_ns = real(kernel.median_gpu_ns);
  const Bound bound = longest(bounds_of(*work_of(kernel), machine));
  return {total(launch_ns - bound.ns / kFull, kernel),
          fmt::format(
              "{} needs {} of the {} of a launch; with the next tile under way the kernel can come near that",
              name_of(bound.level), base::format_ns(rounded(bound.ns)), base::format_ns(rounded(launch_ns)))};
}

Cost reread_cost(const KernelRow& kernel, std::int64_t footprint_bytes, const Machine& machine) {
  if (auto missing = missing_input(kernel, machine)) return unknown_cost(std::move(*missing));
  const Work work = *work_of(kernel);
  Work repaired = work;
  repaired.dram_bytes -= spared(real(kernel.dram_read_bytes), static_cast<double>(footprint_bytes),
                                real(kernel.dram_read_bytes));
  const Prediction prediction = predict(kernel, work, repaired, machine);
  if (prediction.saved < kNoise)
    return {0, fmt::format("{} limits it, whatever DRAM does", name_of(prediction.before.level))};
  return {total(prediction.lost_ns(kernel), kernel), prediction.basis()};
}

}  // namespace coalescope::analysis
