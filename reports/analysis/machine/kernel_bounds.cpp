#include "reports/analysis/machine/kernel_bounds.h"

#include <algorithm>
#include <cmath>

#include "reports/analysis/figures/access_shape.h"
#include "reports/analysis/figures/ratios.h"

namespace coalescope::analysis {
namespace {

constexpr double kSectorsOfALine = 4;
constexpr double kWarpSectors = 32;
// The figure is of a copy that reads and writes as much. Of the two transpositions of an H100, the one that
// reads columns moves 112 sectors a ns, the one that writes them 54: writes take about twice as long.
constexpr double kReadPart = 0.65;
// Between spilled registers, whose sectors make lines, and arrays in which each lane is somewhere else.
constexpr double kLocalSectorsAPass = 2;
// Where 8 of 132 multiprocessors load from L2, each gets 1.8 times what it gets among all (996 and 547 ns per
// request of 32 lines, H100; docs/decisions/018).
constexpr double kL2OfALoneMultiprocessor = 1.8;
constexpr double kBytesPerNs = 1e-9;  // from bytes a second

double element_bytes(const KernelRow& kernel) {
  const auto load = bytes_a_lane(kernel.load), store = bytes_a_lane(kernel.store);
  if (!load && !store) return kWordBytes;
  return std::clamp(std::max(load.value_or(0), store.value_or(0)), 1.0, 16.0);
}

// Between a copy and a kernel that only reads.
double rate_of(const Ceiling& copy, const std::optional<Ceiling>& read, double read_share) {
  if (!read) return copy.bandwidth;
  return copy.bandwidth + std::clamp(2 * read_share - 1, 0.0, 1.0) * (read->bandwidth - copy.bandwidth);
}

// Each multiprocessor reaches its share of a rate, and of L2's more where others idle.
double busy_share(const Work& work, const Machine& machine, double alone) {
  if (!machine.multiprocessors || work.blocks <= 0) return 1;
  return std::min(1.0, alone * work.blocks / *machine.multiprocessors);
}

// Sectors that lie together cost L2 no more than those of one line.
double spread_of(const Access& access) {
  return is_dense(access) ? kSectorsOfALine : access.sectors_per_request.value_or(kSectorsOfALine);
}

// What L1 counts of it.
void add_requests(Work& work, const KernelRow& kernel) {
  work.read_spread = spread_of(kernel.load);
  work.write_spread = spread_of(kernel.store);
  work.passes = passes_of(kernel.load) + passes_of(kernel.store) +
                real(kernel.atomic_sectors) / kSectorsOfALine + local_passes(kernel) +
                real(kernel.shared.wavefronts);
  const bool scattered =
      work.read_spread > element_bytes(kernel) + 1 || work.write_spread > element_bytes(kernel) + 1;
  work.thread_bytes = scattered ? 0 : thread_bytes(kernel);
  work.blocks = blocks_of(kernel);
}

}  // namespace

std::string_view name_of(MemoryLevel level) {
  switch (level) {
    case MemoryLevel::dram:
      return "DRAM";
    case MemoryLevel::l2:
      return "L2";
    case MemoryLevel::l1:
      return "L1";
  }
  return "";
}

double thread_bytes(const KernelRow& kernel) {
  const double loads = real(kernel.load.requests), warps = warps_of(kernel);
  return element_bytes(kernel) * (warps > 0 ? std::max(1.0, loads / warps) : 1.0);
}

double passes_of(const Access& access) {
  const double sectors = real(access.sectors);
  if (shape_of(mean_request(access)) == Shape::apart && !is_dense(access)) return sectors;
  return std::max(sectors / kSectorsOfALine, real(access.requests));
}

double local_passes(const KernelRow& kernel) {
  return real(kernel.local_sectors) / kLocalSectorsAPass;
}

double spread_factor(double sectors_per_request, Operation operation, const Machine& machine) {
  if (!machine.l2 || !machine.l2_scattered || machine.l2_scattered->bandwidth <= 0) return 1;
  const double both = machine.l2->bandwidth / machine.l2_scattered->bandwidth;
  const double at_32 = std::max(1.0, both * (operation == Operation::load ? kReadPart : 2 - kReadPart));
  const double part =
      std::clamp((sectors_per_request - kSectorsOfALine) / (kWarpSectors - kSectorsOfALine), 0.0, 1.0);
  return 1 + part * (at_32 - 1);
}

std::optional<Work> work_of(const KernelRow& kernel) {
  if (!kernel.load.sectors || !kernel.store.sectors || !kernel.l2_read_sectors || !kernel.l2_write_sectors ||
      !kernel.dram_read_bytes || !kernel.dram_write_bytes)
    return std::nullopt;
  Work work;
  work.dram_bytes = real(kernel.dram_read_bytes) + real(kernel.dram_write_bytes);
  if (work.dram_bytes > 0) work.dram_read_share = real(kernel.dram_read_bytes) / work.dram_bytes;
  work.l2_read_bytes = real(kernel.l2_read_sectors) * kSectorBytes;
  work.l2_write_bytes = real(kernel.l2_write_sectors) * kSectorBytes;
  add_requests(work, kernel);
  return work;
}

std::optional<Work> least_work_of(const KernelRow& kernel) {
  if (!kernel.load.sectors || !kernel.store.sectors || !kernel.footprint_bytes) return std::nullopt;
  const double footprint = real(kernel.footprint_bytes);
  const double reads = real(kernel.load.sectors) * kSectorBytes;
  const double writes = real(kernel.store.sectors) * kSectorBytes;
  Work work;
  work.dram_bytes = std::min(reads + writes, footprint);
  work.l2_read_bytes = std::min(reads, footprint);
  work.l2_write_bytes = writes + real(kernel.local_store_sectors) * kSectorBytes;
  add_requests(work, kernel);
  return work;
}

std::vector<Bound> bounds_of(const Work& work, const Machine& machine) {
  std::vector<Bound> bounds;
  if (machine.dram) {
    double rate = rate_of(*machine.dram, machine.dram_read, work.dram_read_share);
    if (work.thread_bytes > 0 && machine.element_bytes)
      if (const auto reached = profile::value_near(machine.element_bytes->curve, work.thread_bytes))
        rate = std::min(rate, *reached / kBytesPerNs);
    bounds.push_back({MemoryLevel::dram, work.dram_bytes, work.dram_bytes / (rate * kBytesPerNs)});
  }
  if (machine.l2) {
    const double contiguous_bytes =
        work.l2_read_bytes * spread_factor(work.read_spread, Operation::load, machine) +
        work.l2_write_bytes * spread_factor(work.write_spread, Operation::store, machine);
    const double bytes = work.l2_read_bytes + work.l2_write_bytes;
    const double read_share = bytes > 0 ? work.l2_read_bytes / bytes : 0;
    bounds.push_back({MemoryLevel::l2, bytes,
                      contiguous_bytes / (rate_of(*machine.l2, machine.l2_read, read_share) * kBytesPerNs *
                                          busy_share(work, machine, kL2OfALoneMultiprocessor))});
  }
  if (machine.wavefronts_per_ns)
    bounds.push_back({MemoryLevel::l1, work.passes,
                      work.passes / *machine.wavefronts_per_ns / busy_share(work, machine, 1)});
  return bounds;
}

Bound longest(const std::vector<Bound>& bounds) {
  if (bounds.empty()) return {};
  return *std::ranges::max_element(bounds, {}, &Bound::ns);
}

}  // namespace coalescope::analysis
