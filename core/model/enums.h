#pragma once
// The enumerations of the capture. They are stored as integers; each has a lookup table in the file, filled
// from the arrays here, so that a reader in an SQL shell can join names. Numbers never change once shipped.

#include <array>
#include <cstdint>
#include <string_view>

namespace coalescope::model {

template <class Enum>
struct EnumName {
  Enum value;
  std::string_view name;
};
template <class Enum>  // clang-tidy 14 does not deduce aggregates by itself
EnumName(Enum, std::string_view)->EnumName<Enum>;

// A way of measuring; the costly ones exclude each other, so a group's launches are shared out among them.
enum class Phase : std::int64_t {
  trace = 0,
  bytes = 1,
  lines = 2,
  traffic = 3,
  hits = 4,
  replay = 5,  // CUPTI repeats the kernel, and reads bytes, traffic and hits of the same launch
};
inline constexpr std::array kPhaseNames{
    EnumName{Phase::trace, "trace"},     EnumName{Phase::bytes, "bytes"}, EnumName{Phase::lines, "lines"},
    EnumName{Phase::traffic, "traffic"}, EnumName{Phase::hits, "hits"},   EnumName{Phase::replay, "replay"},
};

// Why a group has no, or fewer, measurements of a phase.
enum class CoverageReason : std::int64_t {
  measured = 0,
  too_few_launches = 1,
  budget_spent = 2,
  in_capture = 3,
  skip_listed = 4,
  window_discarded = 5,
  unsupported = 6,
  no_permission = 7,
  phase_off = 8,
  failed = 9,
  in_graph = 10,
  not_selected = 11,
  timed_by_program = 12,
  code_unloaded = 13,
  only_counted = 14,
  size_measured = 15,  // another shape of the function, of nearly this size
  counters_busy = 16,  // another process held them
  gpu_busy = 17,       // it had work whenever it was waited for
};
inline constexpr std::array kCoverageReasonNames{
    EnumName{CoverageReason::measured, "measured"},
    EnumName{CoverageReason::too_few_launches, "too_few_launches"},
    EnumName{CoverageReason::budget_spent, "budget_spent"},
    EnumName{CoverageReason::in_capture, "in_capture"},
    EnumName{CoverageReason::skip_listed, "skip_listed"},
    EnumName{CoverageReason::window_discarded, "window_discarded"},
    EnumName{CoverageReason::unsupported, "unsupported"},
    EnumName{CoverageReason::no_permission, "no_permission"},
    EnumName{CoverageReason::phase_off, "phase_off"},
    EnumName{CoverageReason::failed, "failed"},
    EnumName{CoverageReason::in_graph, "in_graph"},
    EnumName{CoverageReason::not_selected, "not_selected"},
    EnumName{CoverageReason::timed_by_program, "timed_by_program"},
    EnumName{CoverageReason::code_unloaded, "code_unloaded"},
    EnumName{CoverageReason::only_counted, "only_counted"},
    EnumName{CoverageReason::size_measured, "size_measured"},
    EnumName{CoverageReason::counters_busy, "counters_busy"},
    EnumName{CoverageReason::gpu_busy, "gpu_busy"},
};

// CUpti_ActivityMemcpyKind's numbers, with memory sets beside them.
enum class Direction : std::int64_t {
  unknown = 0,
  host_to_device = 1,
  device_to_host = 2,
  host_to_array = 3,
  array_to_host = 4,
  array_to_array = 5,
  array_to_device = 6,
  device_to_array = 7,
  device_to_device = 8,
  host_to_host = 9,
  peer_to_peer = 10,
  set = 100,
};
inline constexpr std::array kDirectionNames{
    EnumName{Direction::unknown, "unknown"},
    EnumName{Direction::host_to_device, "host_to_device"},
    EnumName{Direction::device_to_host, "device_to_host"},
    EnumName{Direction::host_to_array, "host_to_array"},
    EnumName{Direction::array_to_host, "array_to_host"},
    EnumName{Direction::array_to_array, "array_to_array"},
    EnumName{Direction::array_to_device, "array_to_device"},
    EnumName{Direction::device_to_array, "device_to_array"},
    EnumName{Direction::device_to_device, "device_to_device"},
    EnumName{Direction::host_to_host, "host_to_host"},
    EnumName{Direction::peer_to_peer, "peer_to_peer"},
    EnumName{Direction::set, "set"},
};

// CUpti_ActivityMemoryKind's numbers.
enum class MemoryKind : std::int64_t {
  unknown = 0,
  pageable = 1,
  pinned = 2,
  device = 3,
  array = 4,
  managed = 5,
  device_static = 6,
  managed_static = 7,
};
inline constexpr std::array kMemoryKindNames{
    EnumName{MemoryKind::unknown, "unknown"},
    EnumName{MemoryKind::pageable, "pageable"},
    EnumName{MemoryKind::pinned, "pinned"},
    EnumName{MemoryKind::device, "device"},
    EnumName{MemoryKind::array, "array"},
    EnumName{MemoryKind::managed, "managed"},
    EnumName{MemoryKind::device_static, "device_static"},
    EnumName{MemoryKind::managed_static, "managed_static"},
};
[[nodiscard]] constexpr bool is_host_memory(MemoryKind kind) {
  return kind == MemoryKind::pinned || kind == MemoryKind::pageable;
}

enum class Severity : std::int64_t { info = 0, data_loss = 1, error = 2 };
inline constexpr std::array kSeverityNames{
    EnumName{Severity::info, "info"},
    EnumName{Severity::data_loss, "data_loss"},
    EnumName{Severity::error, "error"},
};

// What is known of an instruction's place in the source.
enum class SourceState : std::int64_t { unresolved = 0, resolved = 1, no_line_info = 2 };
inline constexpr std::array kSourceStateNames{
    EnumName{SourceState::unresolved, "unresolved"},
    EnumName{SourceState::resolved, "resolved"},
    EnumName{SourceState::no_line_info, "no_line_info"},
};

// What an instruction does, by its code.
enum class MemoryOperation : std::int64_t {
  global_load = 0,
  global_store = 1,
  generic_load = 2,  // where its address lies is known at run time only
  generic_store = 3,
  shared_load = 4,
  shared_store = 5,
  local_load = 6,
  local_store = 7,
  atomic = 8,  // with a result
  reduction = 9,
  shared_atomic = 10,
  async_copy = 11,
};
inline constexpr std::array kMemoryOperationNames{
    EnumName{MemoryOperation::global_load, "global_load"},
    EnumName{MemoryOperation::global_store, "global_store"},
    EnumName{MemoryOperation::generic_load, "generic_load"},
    EnumName{MemoryOperation::generic_store, "generic_store"},
    EnumName{MemoryOperation::shared_load, "shared_load"},
    EnumName{MemoryOperation::shared_store, "shared_store"},
    EnumName{MemoryOperation::local_load, "local_load"},
    EnumName{MemoryOperation::local_store, "local_store"},
    EnumName{MemoryOperation::atomic, "atomic"},
    EnumName{MemoryOperation::reduction, "reduction"},
    EnumName{MemoryOperation::shared_atomic, "shared_atomic"},
    EnumName{MemoryOperation::async_copy, "async_copy"},
};

// `measured` marks a figure without a closed form: a point of a curve.
enum class Verdict : std::int64_t { pass = 0, fail = 1, skipped = 2, measured = 3 };
inline constexpr std::array kVerdictNames{
    EnumName{Verdict::pass, "pass"},
    EnumName{Verdict::fail, "fail"},
    EnumName{Verdict::skipped, "skipped"},
    EnumName{Verdict::measured, "measured"},
};

template <class Enum, std::size_t N>
constexpr std::string_view name_in(const std::array<EnumName<Enum>, N>& names, Enum value) {
  for (const auto& entry : names)
    if (entry.value == value) return entry.name;
  return "unknown";
}

constexpr std::string_view name_of(Phase value) {
  return name_in(kPhaseNames, value);
}
constexpr std::string_view name_of(CoverageReason value) {
  return name_in(kCoverageReasonNames, value);
}
constexpr std::string_view name_of(Direction value) {
  return name_in(kDirectionNames, value);
}
constexpr std::string_view name_of(MemoryKind value) {
  return name_in(kMemoryKindNames, value);
}
constexpr std::string_view name_of(Severity value) {
  return name_in(kSeverityNames, value);
}
constexpr std::string_view name_of(SourceState value) {
  return name_in(kSourceStateNames, value);
}
constexpr std::string_view name_of(Verdict value) {
  return name_in(kVerdictNames, value);
}

}  // namespace coalescope::model
