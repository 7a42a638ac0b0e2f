#pragma once
// A GPU as the process saw it: what a reader needs to judge the rest. A property that the driver did not tell
// is NULL.

#include <cstdint>
#include <optional>
#include <string>

#include "core/model/ids.h"

namespace coalescope::model {

struct Device {
  DeviceId id;
  ProcessId process_id;
  std::int64_t ordinal = 0;  // the process's own numbering (CUDA_VISIBLE_DEVICES)
  std::string uuid;
  std::string name;
  std::optional<std::string> chip;  // CUPTI's name, such as "GH100"
  std::optional<std::string> pci_bus_id;
  std::optional<std::int64_t> compute_capability_major;
  std::optional<std::int64_t> compute_capability_minor;
  std::optional<std::int64_t> multiprocessors;
  std::optional<std::int64_t> clock_khz;
  std::optional<std::int64_t> memory_bytes;
  std::optional<std::int64_t> memory_clock_khz;
  std::optional<std::int64_t> memory_bus_bits;
  std::optional<std::int64_t> ecc;
  std::optional<std::int64_t> l2_bytes;
  std::optional<std::int64_t> persisting_l2_max_bytes;
  std::optional<std::int64_t> access_policy_max_window_bytes;
  std::optional<std::int64_t> constant_bytes;
  std::optional<std::int64_t> shared_bytes_per_block;
  std::optional<std::int64_t> shared_bytes_per_block_optin;
  std::optional<std::int64_t> shared_bytes_per_multiprocessor;
  std::optional<std::int64_t> registers_per_multiprocessor;
  std::optional<std::int64_t> max_threads_per_multiprocessor;
  std::optional<std::int64_t> warp_size;
  std::optional<std::int64_t> copy_engines;
  std::optional<std::int64_t> integrated;
  std::optional<std::int64_t> can_map_host_memory;
  std::optional<std::int64_t> unified_addressing;
  std::optional<std::int64_t> managed_memory;
  std::optional<std::int64_t> concurrent_managed_access;
  std::optional<std::int64_t> pageable_memory_access;
  std::optional<std::int64_t> host_native_atomics;
  std::optional<std::int64_t> memory_pools;
};

}  // namespace coalescope::model
