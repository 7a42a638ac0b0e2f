// What surplus sectors cost at each level that carried them; L1 may keep them from the others.

#include "reports/analysis/rules/surplus_cost.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/figures/access_shape.h"
#include "reports/analysis/figures/ratios.h"

namespace coalescope::analysis {
namespace {

// What a line more costs a lone warp whose data are in L1 or in L2; it costs half as much where warps queue
// up (docs/decisions/018).
constexpr double kMostNsALine = 1.2;
constexpr double kNsAStoredSector = 1.7;  // on a multiprocessor, 1.6 to 2.2 ns (docs/decisions/018)
// Of a launch's time: what L1 may take for surplus, and other warps may hide, is no reason to warn.
constexpr double kMostUnsure = 0.5;
constexpr double kTrifle = 0.1;  // of what L1 moves: too little to be worth a line without a price

// A multiprocessor's requests do not hide each other's latency: only of more warps do sectors count.
bool has_few_warps(const KernelRow& kernel, const Machine& machine) {
  return machine.multiprocessors &&
         warps_of(kernel) < machine.chip.warps_that_hide * *machine.multiprocessors;
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

struct Spare {
  double load_bytes = 0, store_bytes = 0;  // of L1's sectors
  [[nodiscard]] double sum() const { return load_bytes + store_bytes; }
};

double spare_passes_of(const KernelRow& kernel) {
  return passes_of(kernel.load) - needed_passes_of(kernel.load) + passes_of(kernel.store) -
         needed_passes_of(kernel.store);
}

// The same work without the surplus. `asked` is what L1 moves after the repair.
Work repaired_work(const KernelRow& kernel, const Work& work, const Spare& spare, double asked_reads,
                   double asked_writes, const ChipConstants& chip) {
  Work repaired = work;
  const double asked = asked_reads + asked_writes;
  repaired.dram_bytes -= spared(
      work.dram_bytes, asked,
      spare.load_bytes * chip.dram_bytes_a_load_byte + spare.store_bytes * chip.dram_bytes_a_store_byte);
  repaired.l2_read_bytes -= spared(work.l2_read_bytes, asked_reads, spare.load_bytes);
  repaired.l2_write_bytes -= spared(work.l2_write_bytes, asked_writes, spare.store_bytes);
  if (spare.load_bytes > 0) repaired.read_alone = 0;
  if (spare.store_bytes > 0) repaired.write_alone = 0;
  repaired.passes -= std::min(work.passes, spare_passes_of(kernel));
  repaired.thread_bytes = thread_bytes(kernel);  // contiguous now
  return repaired;
}

// The part of the loss that an operation has: of what L2 would be spared, where that is anything. What L1
// keeps costs little, however much of it there is.
double part_of_loss(Operation operation, const Work& work, const Work& repaired, const Spare& spare,
                    MemoryLevel level) {
  Spare carried{work.l2_read_bytes - repaired.l2_read_bytes, work.l2_write_bytes - repaired.l2_write_bytes};
  if (level == MemoryLevel::l1 || carried.sum() <= 0) carried = spare;
  return (operation == Operation::load ? carried.load_bytes : carried.store_bytes) / carried.sum();
}

// The most that a launch can lose to lines in L1: a multiprocessor looks up one after the other.
double most_lost_in_l1_ns(const KernelRow& kernel, const Machine& machine) {
  const double multiprocessors = std::max(1.0, machine.multiprocessors.value_or(1));
  return spare_passes_of(kernel) / std::clamp(blocks_of(kernel), 1.0, multiprocessors) * kMostNsALine;
}

// The slowest resource that is known carries no surplus, or none of them is busy. `l1_share`: of the launch's
// time.
Cost hidden_surplus_cost(const KernelRow& kernel, const Prediction& prediction, bool in_l2, double l1_share,
                         const Machine& machine) {
  if (prediction.utilisation >= kFull)
    return {0, fmt::format("{} limits it, and carries no surplus", name_of(prediction.before.level))};
  if (in_l2 && prediction.utilisation >= kBusy)
    return {0, fmt::format("{} has most to do before and after the repair, and carries no surplus",
                           name_of(prediction.before.level))};
  if (!in_l2 && prediction.utilisation >= kIdle && l1_share < kIdle)
    return {0, fmt::format("L1 keeps its surplus from L2 and DRAM, and is busy for {} of a launch",
                           base::format_share(l1_share))};
  if (in_l2 && !machine.l2)
    return unknown_cost("not calibrated: its surplus stays in L2, whose bandwidth here is not known");
  if (in_l2) return unknown_cost("cost unknown: its surplus reaches L2, and no level is busy");
  const double now_ns = real(kernel.median_gpu_ns), most_ns = most_lost_in_l1_ns(kernel, machine);
  const std::string most = base::format_ns(rounded(std::min(most_ns, now_ns)));
  if (most_ns < kNoise * now_ns)
    return {0, fmt::format("L1 keeps its surplus from L2 and DRAM, and takes at most {} of a launch for it",
                           most)};
  Cost cost = unknown_cost(fmt::format(
      "cost unknown: L1 keeps its surplus from L2 and DRAM, and inside L1 it takes at most {} of a launch",
      most));
  cost.may_be_nothing = most_ns < kMostUnsure * now_ns;
  return cost;
}

// Though no level is busy, each multiprocessor looks up lines and stores sectors one after the other. Loads
// and stores of different warps run beside each other, so that the longer of the two counts.
Cost few_warps_cost(const KernelRow& kernel, Operation operation, const Spare& spare,
                    const Machine& machine) {
  const double multiprocessors =
      std::clamp(blocks_of(kernel), 1.0, std::max(1.0, real(machine.multiprocessors)));
  const double loads_ns =
      (passes_of(kernel.load) - needed_passes_of(kernel.load)) / multiprocessors * kMostNsALine / 2;
  const double stores_ns = spare.store_bytes / kSectorBytes / multiprocessors * kNsAStoredSector;
  const bool loads_take_longer = loads_ns >= stores_ns;
  if (loads_take_longer != (operation == Operation::load))
    return {0,
            fmt::format("its {} take longer on each multiprocessor", loads_take_longer ? "loads" : "stores")};
  const double surplus_ns = std::max(loads_ns, stores_ns);
  return {total(std::min(surplus_ns, real(kernel.median_gpu_ns) / 2), kernel),
          fmt::format(
              "with so few warps no level is busy, but each of {} multiprocessors takes {} for the surplus",
              multiprocessors, base::format_ns(rounded(surplus_ns)))};
}

}  // namespace

double surplus_dram_reads(const KernelRow& kernel, const ChipConstants& chip) {
  const auto load = surplus_of(kernel.load);
  if (!load || !kernel.l2_read_sectors) return 0;
  const double read = real(kernel.l2_read_sectors) * kSectorBytes;
  return chip.dram_bytes_a_load_byte * spared(read, load->moved - load->spare, load->spare);
}

Cost surplus_cost(const KernelRow& kernel, Operation operation, const Machine& machine,
                  const Rearrangement& rearrangement) {
  const auto load = surplus_of(kernel.load), store = surplus_of(kernel.store);
  if (!load || !store) return unknown_cost("cost unknown: its sectors were not measured");
  const Spare spare{load->spare, store->spare};
  const double own = operation == Operation::load ? spare.load_bytes : spare.store_bytes;
  if (own <= 0) return {0, "no surplus"};
  const double share = own / (load->moved + store->moved);
  Cost trifle{0, fmt::format("its surplus is {} of the bytes that L1 moves", base::format_share(share))};
  if (auto missing = missing_input(kernel, machine)) return share < kTrifle ? trifle : unknown_cost(*missing);
  const Work work = *work_of(kernel);
  const double others = (real(kernel.atomic_sectors) + real(kernel.local_sectors)) * kSectorBytes;
  Work repaired = repaired_work(kernel, work, spare, load->moved - spare.load_bytes + others,
                                store->moved - spare.store_bytes, machine.chip);
  repaired.thread_bytes *= rearrangement.elements_a_thread;
  // Nobody waits for stores, and a warp takes a thread's run where walking it is what the thread does.
  const bool mostly_loads = load->moved > store->moved + others;
  const bool in_turn = rearrangement.gives_runs_to_warps && operation == Operation::load && mostly_loads &&
                       has_few_warps(kernel, machine);
  if (in_turn) repaired.blocks *= kWarpLanes;
  const Prediction prediction = predict(kernel, work, repaired, machine, {.in_turn = in_turn});
  const bool waits_for_few_warps = prediction.utilisation < kIdle && has_few_warps(kernel, machine);
  const bool only_l1 =
      prediction.before.level == MemoryLevel::l1 && prediction.utilisation < kIdle && !in_turn;
  if (prediction.is_nothing || only_l1) {
    if (share < kTrifle) return trifle;
    if (waits_for_few_warps) return few_warps_cost(kernel, operation, spare, machine);
    const bool in_l2 =
        work.l2_read_bytes + work.l2_write_bytes > load->moved + store->moved - spare.sum() + others;
    const double l1_share =
        work.passes / machine.wavefronts_per_ns.value_or(work.passes) / real(kernel.median_gpu_ns);
    return hidden_surplus_cost(kernel, prediction, in_l2, l1_share, machine);
  }
  if (waits_for_few_warps && prediction.saved_ns <= 0)
    return few_warps_cost(kernel, operation, spare, machine);
  const double part = part_of_loss(operation, work, repaired, spare, prediction.before.level);
  return {total(prediction.saved_ns * part, kernel), prediction.basis()};
}

}  // namespace coalescope::analysis
