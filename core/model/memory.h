#pragma once
// Memory that the program asked for, what its kernels were given of it, how it moved, and how the program
// wanted it cached. Addresses are those of the process; they fit, because none has its highest bit set.

#include <cstdint>
#include <optional>
#include <string>

#include "core/model/ids.h"
#include "core/model/memory_enums.h"

namespace coalescope::model {

struct Allocation {
  std::int64_t id = 0;
  ProcessId process_id;
  std::optional<DeviceId> device_id;  // NULL: host memory
  AllocationKind kind = AllocationKind::unknown;
  std::int64_t address = 0;
  std::int64_t bytes = 0;
  std::int64_t allocated_ns = 0;
  std::optional<std::int64_t> freed_ns;  // NULL: not while it was recorded
  std::optional<std::int64_t> stream;    // of a stream-ordered one
  std::optional<CallSiteId> call_site_id;
  std::optional<bool> pytorch_pool;  // PyTorch's caching allocator asked for it; nullopt: not looked at
  // How long the call took that asked for it, and the one that gave it back. nullopt: their beginning or end
  // was not seen.
  std::optional<std::int64_t> call_ns, free_call_ns;
  std::optional<CallSiteId> free_call_site_id;  // who gave it back
};

// What the first recorded launch of a group passed as a parameter, where that was a pointer that CUDA knows.
struct GroupPointer {
  GroupId group_id;
  std::int64_t parameter = 0;  // from 0
  MemoryKind memory = MemoryKind::unknown;
  std::optional<DeviceId> device_id;
  std::int64_t address = 0;
  std::optional<std::int64_t> range_address;  // the allocation that it points into
  std::optional<std::int64_t> range_bytes;
  std::optional<AllocationId> allocation_id;  // the row of that allocation
  std::optional<CallSiteId> call_site_id;     // who asked PyTorch's pool for the memory
  std::int64_t byte = 0;                      // where in the parameter, if that is a structure
};

// How many values the launches of a group gave for a part of their parameters: for each pointer, and for each
// number that was not always the same.
struct ParameterValues {
  static constexpr std::int64_t kMost = 4;  // this many, or more

  GroupId group_id;
  std::int64_t parameter = 0, byte = 0;    // as in GroupPointer
  std::int64_t different = 0;              // at most kMost
  std::optional<std::int64_t> span_bytes;  // from the lowest address of them to the highest; of numbers: none
  bool operator==(const ParameterValues&) const = default;
};

// One record of unified memory: a migration, faults, or what the driver did about them.
struct UnifiedMemory {
  std::int64_t id = 0;
  ProcessId process_id;
  UnifiedMemoryEvent event = UnifiedMemoryEvent::unknown;
  std::int64_t address = 0;
  std::int64_t amount = 0;
  std::int64_t start_ns = 0;
  std::optional<std::int64_t> duration_ns;
  std::optional<DeviceId> source_device_id;  // NULL: the host
  std::optional<DeviceId> destination_device_id;
};

// The access policy window that the program set for a stream, a node of a graph or a launch.
struct L2Window {
  std::int64_t id = 0;
  ProcessId process_id;
  L2WindowTarget target = L2WindowTarget::unknown;
  std::optional<std::int64_t> stream;  // CUPTI's number
  std::optional<GroupId> group_id;     // of a launch attribute
  std::int64_t set_ns = 0;
  std::int64_t address = 0;
  std::int64_t bytes = 0;  // 0: it was taken away
  double hit_ratio = 0;
  AccessProperty hit_property = AccessProperty::unknown;
  AccessProperty miss_property = AccessProperty::unknown;
  std::optional<CallSiteId> call_site_id;
};

// L2 set aside for persisting accesses, or persisting lines given back.
struct L2Setting {
  std::int64_t id = 0;
  ProcessId process_id;
  std::optional<DeviceId> device_id;
  L2Action action = L2Action::set_aside;
  std::int64_t set_ns = 0;
  std::optional<std::int64_t> bytes;  // asked for
  std::optional<CallSiteId> call_site_id;
};

}  // namespace coalescope::model
