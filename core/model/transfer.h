#pragma once
// A copy or a memory set.

#include <bit>
#include <cstdint>
#include <optional>

#include "core/model/enums.h"
#include "core/model/ids.h"

namespace coalescope::model {

struct Transfer {
  std::int64_t id = 0;
  ProcessId process_id;
  DeviceId device_id;
  std::int64_t stream = 0;
  Direction direction = Direction::unknown;
  MemoryKind source_memory = MemoryKind::unknown;  // of a set: unknown
  MemoryKind destination_memory = MemoryKind::unknown;
  std::int64_t bytes = 0;
  std::int64_t start_ns = 0;
  std::int64_t gpu_ns = 0;               // 0: CUPTI gave it no time, as it does with some memory sets
  bool asynchronous = false;             // asked for through an ...Async call
  std::optional<std::int64_t> graph_id;  // NULL: asked for directly
  // Of a peer copy only: within one device, or with the host, `device_id` says it all.
  std::optional<DeviceId> source_device_id;
  std::optional<DeviceId> destination_device_id;
  std::optional<CallSiteId> call_site_id;  // NULL: not looked at
  // Where the memory begins that is set, that a copy within the device reads, or, since schema 19, that a
  // copy from the host stores to.
  std::optional<std::int64_t> address;
};

// Transfers of one class that are no rows of `transfer`: a long recording adds them up.
struct TransferTotal {
  ProcessId process_id;
  DeviceId device_id;
  Direction direction = Direction::unknown;
  MemoryKind source_memory = MemoryKind::unknown;
  MemoryKind destination_memory = MemoryKind::unknown;
  bool asynchronous = false;
  std::int64_t size_class = 0;
  bool timed = true;  // false: CUPTI gave them no time, or they are copies that were only counted
  std::int64_t transfers = 0;
  std::int64_t bytes = 0;  // of all together
  std::int64_t smallest_bytes = 0;
  std::int64_t largest_bytes = 0;
  std::int64_t gpu_ns = 0;
};

// Sizes within a power of four: many small copies must not hide behind one large.
constexpr std::int64_t size_class(std::int64_t bytes) {
  return (static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(bytes))) + 1) / 2;
}

}  // namespace coalescope::model
