#pragma once
// Enumerations about memory and its use; see enums.h for how they are stored.

#include "core/model/enums.h"

namespace coalescope::model {

// What was asked for, not where the bytes lie: `pool` is stream-ordered, `registered` is the program's own
// memory, pinned later.
enum class AllocationKind : std::int64_t {
  unknown = 0,
  device = 1,
  pinned = 2,
  managed = 3,
  pool = 4,
  registered = 5,
  array = 6,
  mapped = 7,
  device_static = 8,
  managed_static = 9,
};
inline constexpr std::array kAllocationKindNames{
    EnumName{AllocationKind::unknown, "unknown"},
    EnumName{AllocationKind::device, "device"},
    EnumName{AllocationKind::pinned, "pinned"},
    EnumName{AllocationKind::managed, "managed"},
    EnumName{AllocationKind::pool, "pool"},
    EnumName{AllocationKind::registered, "registered"},
    EnumName{AllocationKind::array, "array"},
    EnumName{AllocationKind::mapped, "mapped"},
    EnumName{AllocationKind::device_static, "device_static"},
    EnumName{AllocationKind::managed_static, "managed_static"},
};

// Of the host, and locked there for the GPU.
[[nodiscard]] constexpr bool is_pinned(AllocationKind kind) {
  return kind == AllocationKind::pinned || kind == AllocationKind::registered;
}

// CUpti_ActivityUnifiedMemoryCounterKind's numbers.
enum class UnifiedMemoryEvent : std::int64_t {
  unknown = 0,
  bytes_to_device = 1,
  bytes_to_host = 2,
  cpu_page_fault = 3,
  gpu_page_faults = 4,
  thrashing = 5,
  throttling = 6,
  remote_map = 7,
  bytes_between_devices = 8,
};
inline constexpr std::array kUnifiedMemoryEventNames{
    EnumName{UnifiedMemoryEvent::unknown, "unknown"},
    EnumName{UnifiedMemoryEvent::bytes_to_device, "bytes_to_device"},
    EnumName{UnifiedMemoryEvent::bytes_to_host, "bytes_to_host"},
    EnumName{UnifiedMemoryEvent::cpu_page_fault, "cpu_page_fault"},
    EnumName{UnifiedMemoryEvent::gpu_page_faults, "gpu_page_faults"},
    EnumName{UnifiedMemoryEvent::thrashing, "thrashing"},
    EnumName{UnifiedMemoryEvent::throttling, "throttling"},
    EnumName{UnifiedMemoryEvent::remote_map, "remote_map"},
    EnumName{UnifiedMemoryEvent::bytes_between_devices, "bytes_between_devices"},
};

// To what an L2 window was attached.
enum class L2WindowTarget : std::int64_t { unknown = 0, stream = 1, graph_node = 2, launch = 3 };
inline constexpr std::array kL2WindowTargetNames{
    EnumName{L2WindowTarget::unknown, "unknown"},
    EnumName{L2WindowTarget::stream, "stream"},
    EnumName{L2WindowTarget::graph_node, "graph_node"},
    EnumName{L2WindowTarget::launch, "launch"},
};

// CUaccessProperty's numbers.
enum class AccessProperty : std::int64_t { normal = 0, streaming = 1, persisting = 2, unknown = 100 };
inline constexpr std::array kAccessPropertyNames{
    EnumName{AccessProperty::normal, "normal"},
    EnumName{AccessProperty::streaming, "streaming"},
    EnumName{AccessProperty::persisting, "persisting"},
    EnumName{AccessProperty::unknown, "unknown"},
};

enum class L2Action : std::int64_t { set_aside = 1, reset_persisting = 2 };
inline constexpr std::array kL2ActionNames{
    EnumName{L2Action::set_aside, "set_aside"},
    EnumName{L2Action::reset_persisting, "reset_persisting"},
};

constexpr std::string_view name_of(AllocationKind value) {
  return name_in(kAllocationKindNames, value);
}
constexpr std::string_view name_of(UnifiedMemoryEvent value) {
  return name_in(kUnifiedMemoryEventNames, value);
}
constexpr std::string_view name_of(L2WindowTarget value) {
  return name_in(kL2WindowTargetNames, value);
}
constexpr std::string_view name_of(AccessProperty value) {
  return name_in(kAccessPropertyNames, value);
}
constexpr std::string_view name_of(L2Action value) {
  return name_in(kL2ActionNames, value);
}

}  // namespace coalescope::model
