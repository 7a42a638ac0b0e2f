#include "reports/analysis/machine/kernel_bounds.h"

#include <algorithm>
#include <cmath>

#include "reports/analysis/figures/access_shape.h"
#include "reports/analysis/figures/ratios.h"

namespace coalescope::analysis {
namespace {

constexpr double kSectorsOfALine = 4;
// Between spilled registers, whose sectors make lines, and arrays in which each lane is somewhere else.
constexpr double kLocalSectorsAPass = 2;
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
double busy_share(double blocks, const Machine& machine, double alone) {
  if (!machine.multiprocessors || blocks <= 0) return 1;
  return std::min(1.0, alone * blocks / *machine.multiprocessors);
}

double sectors_per_request_of(const Access& access) {
  return access.sectors_per_request.value_or(kSectorsOfALine);
}

// Where its instructions were not counted: the more sectors beyond those needed, the likelier each has a line
// for itself.
double likely_lines(const Access& access, double sectors) {
  const Shape shape = shape_of(mean_request(access));
  if (shape == Shape::apart) return sectors;
  const double least = std::max(1.0, sectors / kSectorsOfALine);
  if (shape != Shape::strided) return least;
  const double alone = (sectors - kSectorsOfALine) / (kWarpLanes - kSectorsOfALine);
  return least + std::clamp(alone, 0.0, 1.0) * (sectors - least);
}

double lines_per_request_of(const Access& access) {
  const double sectors = sectors_per_request_of(access);
  if (is_dense(access)) return std::max(1.0, sectors / kSectorsOfALine);
  return access.lines_per_request.value_or(likely_lines(access, sectors));
}

// Of requests that one line can hold nothing is known.
double alone_of(const Access& access) {
  const double sectors = sectors_per_request_of(access);
  if (sectors <= kSectorsOfALine) return 0;
  const double lines_of_a_sector = lines_per_request_of(access) / sectors;
  return std::clamp((kSectorsOfALine * lines_of_a_sector - 1) / (kSectorsOfALine - 1), 0.0, 1.0);
}

bool is_scattered(const Access& access, double element_bytes) {
  return !is_dense(access) && sectors_per_request_of(access) > element_bytes + 1;
}

// Local memory lies so that the lanes of a warp share its lines. L1 may keep some of it: then more of what L2
// moves is alone.
double alone_beside_local(const Access& access, double l2_bytes, double local_sectors) {
  if (l2_bytes <= 0) return alone_of(access);
  return alone_of(access) * std::clamp(1 - local_sectors * kSectorBytes / l2_bytes, 0.0, 1.0);
}

// What L1 counts of it. `local_loads`: sectors of local memory that are among the bytes that L2 is read for.
void add_requests(Work& work, const KernelRow& kernel, double local_loads) {
  work.read_alone = alone_beside_local(kernel.load, work.l2_read_bytes, local_loads);
  work.write_alone = alone_beside_local(kernel.store, work.l2_write_bytes, real(kernel.local_store_sectors));
  work.passes = passes_of(kernel.load) + passes_of(kernel.store) +
                real(kernel.atomic_sectors) / kSectorsOfALine + local_passes(kernel) +
                real(kernel.shared.wavefronts);
  const double bytes = element_bytes(kernel);
  const bool scattered = is_scattered(kernel.load, bytes) || is_scattered(kernel.store, bytes);
  work.thread_bytes = scattered ? 0 : thread_bytes(kernel);
  work.blocks = blocks_of(kernel);
}

// Of launches that differ the mean.
std::optional<Traffic> traffic_of(const KernelRow& kernel) {
  if (kernel.mixed) return kernel.mixed->mean;
  if (!kernel.l2_read_sectors || !kernel.l2_write_sectors || !kernel.dram_read_bytes ||
      !kernel.dram_write_bytes)
    return std::nullopt;
  return Traffic{real(kernel.l2_read_sectors), real(kernel.l2_write_sectors), real(kernel.dram_read_bytes),
                 real(kernel.dram_write_bytes), real(kernel.instructions)};
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
  if (!access.requests) return real(access.sectors) / kSectorsOfALine;
  return lines_per_request_of(access) * real(access.requests);
}

double needed_passes_of(const Access& access) {
  const double needed = real(access.sectors) * needed_share(access).value_or(1) / kSectorsOfALine;
  return std::min(passes_of(access), std::max(real(access.requests), needed));
}

double local_passes(const KernelRow& kernel) {
  return real(kernel.local_sectors) / kLocalSectorsAPass;
}

double alone_factor(double alone, Operation operation, const Machine& machine) {
  if (!machine.l2 || !machine.l2_scattered || machine.l2_scattered->bandwidth <= 0) return 1;
  const double both = machine.l2->bandwidth / machine.l2_scattered->bandwidth;
  // The figure is of a copy that reads and writes as much.
  const double reads = machine.chip.scattered_read_part;
  const double most = std::max(1.0, both * (operation == Operation::load ? reads : 2 - reads));
  return 1 + alone * (most - 1);
}

std::optional<Work> work_of(const KernelRow& kernel) {
  const auto traffic = traffic_of(kernel);
  if (!kernel.load.sectors || !kernel.store.sectors || !traffic) return std::nullopt;
  Work work;
  work.dram_bytes = traffic->dram_read_bytes + traffic->dram_write_bytes;
  if (work.dram_bytes > 0) work.dram_read_share = traffic->dram_read_bytes / work.dram_bytes;
  work.l2_read_bytes = traffic->l2_read_sectors * kSectorBytes;
  work.l2_write_bytes = traffic->l2_write_sectors * kSectorBytes;
  add_requests(work, kernel, real(kernel.local_load_sectors));
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
  add_requests(work, kernel, 0);
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
        work.l2_read_bytes * alone_factor(work.read_alone, Operation::load, machine) +
        work.l2_write_bytes * alone_factor(work.write_alone, Operation::store, machine);
    const double bytes = work.l2_read_bytes + work.l2_write_bytes;
    const double read_share = bytes > 0 ? work.l2_read_bytes / bytes : 0;
    bounds.push_back({MemoryLevel::l2, bytes,
                      contiguous_bytes / (rate_of(*machine.l2, machine.l2_read, read_share) * kBytesPerNs *
                                          busy_share(work.blocks, machine, machine.chip.lone_l2_share))});
  }
  if (machine.wavefronts_per_ns)
    bounds.push_back({MemoryLevel::l1, work.passes,
                      work.passes / *machine.wavefronts_per_ns / busy_share(work.blocks, machine, 1)});
  return bounds;
}

double issue_ns(const KernelRow& kernel, const Machine& machine) {
  if (!machine.instructions_per_ns) return 0;
  const double instructions =
      kernel.mixed && kernel.mixed->mean ? kernel.mixed->mean->instructions : real(kernel.instructions);
  return instructions / *machine.instructions_per_ns / busy_share(blocks_of(kernel), machine, 1);
}

Bound longest(const std::vector<Bound>& bounds) {
  if (bounds.empty()) return {};
  return *std::ranges::max_element(bounds, {}, &Bound::ns);
}

}  // namespace coalescope::analysis
