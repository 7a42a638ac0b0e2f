#pragma once
// What the paths of a machine can carry: the figures that costs are computed with, each with its origin. They
// come from machine profiles (core/profile) of this GPU or its product. What is not known stays std::nullopt,
// and a cost that would need it is not stated.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/model/device.h"
#include "core/profile/machine_profile.h"
#include "reports/analysis/machine/chip_constants.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

// A curve of the profile, with its origin in words.
struct KnownCurve {
  profile::Curve curve;
  std::string source;
};

struct Machine {
  std::optional<Ceiling> dram;            // reads and writes together
  std::optional<Ceiling> dram_read;       // the same of a kernel that only reads
  std::optional<Ceiling> l2;              // between L1 and L2, contiguous requests
  std::optional<Ceiling> l2_read;         // the same of a kernel that only reads
  std::optional<Ceiling> l2_scattered;    // the same where each lane has a sector of its own
  std::optional<Ceiling> host_to_device;  // one large copy of pinned memory
  std::optional<Ceiling> device_to_host;
  std::optional<Ceiling> zero_copy_read;  // a kernel that reads the host's memory
  std::optional<Ceiling> peer;            // between two GPUs with peer access
  std::optional<Ceiling> peer_staged;     // and without
  std::optional<Ceiling> managed_faults;  // a kernel that faults managed memory in
  std::optional<Ceiling> managed_prefetched;
  std::optional<std::int64_t> copy_ns;    // what a copy takes however small it is
  std::optional<std::int64_t> launch_ns;  // what one more kernel takes

  std::optional<KnownCurve> element_bytes;     // useful GB/s of a copy over the bytes of its elements
  std::optional<KnownCurve> shared_conflicts;  // 1e9 requests a second over the conflict degree
  std::optional<KnownCurve> atomics;           // 1e9 a second over the distinct addresses of a warp
  std::optional<KnownCurve> constants;         // 1e9 loads a second over the distinct addresses of a warp
  // GB/s over the bytes of a region that 1 of 3 accesses are to; the same of 7 of 8.
  std::optional<KnownCurve> residency_full, residency_tuned;
  std::optional<KnownCurve> residency_most_full, residency_most_tuned;
  // GB/s of a copy over its bytes.
  std::optional<KnownCurve> pinned_to_device, pageable_to_device, pinned_to_host, pageable_to_host;
  std::optional<double> wavefronts_per_ns;  // of L1 and shared memory, the whole GPU
  std::optional<double> multiprocessors;
  std::optional<double> schedulers;           // each issues for its warps in turn; four a multiprocessor
  std::optional<double> instructions_per_ns;  // of warps: one a clock on each scheduler, at the highest clock
  std::optional<double> threads_per_multiprocessor, registers_per_multiprocessor,
      shared_bytes_per_multiprocessor;
  bool rates_are_peaks = false;  // DRAM's, by the device's properties: no profile has it
  ChipConstants chip = kGh100;
  std::string chip_remark;  // where they are of another chip; it ends the basis of each price
};

// The data sheet's figure: two transfers a clock over the whole bus.
[[nodiscard]] std::optional<double> peak_dram_bandwidth(const model::Device& device);

// The best source of each figure: `profiles` are in order of preference, then come the device's properties.
[[nodiscard]] Machine machine_of(const model::Device& device,
                                 std::span<const profile::MachineProfile> profiles);

// The known figures, for the report.
[[nodiscard]] std::vector<Ceiling> ceilings(const Machine& machine);

// What copies between host and device reach over their size, where it was calibrated.
[[nodiscard]] std::vector<CopyCurve> copy_curves(const Machine& machine);

using Machines = std::unordered_map<std::int64_t, Machine>;  // by Device::id

}  // namespace coalescope::analysis
