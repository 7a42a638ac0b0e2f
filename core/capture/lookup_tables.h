#pragma once
// The tables that give an enumeration's numbers their names, for readers in an SQL shell; and which table
// each type of id belongs to.

#include <string_view>
#include <tuple>

#include "core/capture/columns.h"
#include "core/model/activity.h"
#include "core/model/call_site.h"
#include "core/model/enums.h"
#include "core/model/ids.h"
#include "core/model/memory_enums.h"
#include "core/model/metric.h"

namespace coalescope::capture {

template <>
struct Lookup<model::Phase> {
  static constexpr std::string_view kName = "phase";
  static constexpr std::string_view kDoc =
      "A way of measuring; all but trace slow the launches down that they measure.";
  static constexpr const auto& kEntries = model::kPhaseNames;
};

template <>
struct Lookup<model::CoverageReason> {
  static constexpr std::string_view kName = "coverage_reason";
  static constexpr std::string_view kDoc = "Why a group has no, or fewer, measurements of a phase.";
  static constexpr const auto& kEntries = model::kCoverageReasonNames;
};

template <>
struct Lookup<model::Direction> {
  static constexpr std::string_view kName = "direction";
  static constexpr std::string_view kDoc =
      "From where to where a transfer went; numbers up to 10 are CUPTI's.";
  static constexpr const auto& kEntries = model::kDirectionNames;
};

template <>
struct Lookup<model::MemoryKind> {
  static constexpr std::string_view kName = "memory_kind";
  static constexpr std::string_view kDoc = "A kind of memory; the numbers are CUPTI's.";
  static constexpr const auto& kEntries = model::kMemoryKindNames;
};

template <>
struct Lookup<model::Severity> {
  static constexpr std::string_view kName = "severity";
  static constexpr std::string_view kDoc = "How much a diagnostic takes from the report.";
  static constexpr const auto& kEntries = model::kSeverityNames;
};

template <>
struct Lookup<model::MemoryOperation> {
  static constexpr std::string_view kName = "memory_operation";
  static constexpr std::string_view kDoc = "What an instruction does, by its code.";
  static constexpr std::int64_t kSince = 8;
  static constexpr const auto& kEntries = model::kMemoryOperationNames;
};

template <>
struct Lookup<model::SourceState> {
  static constexpr std::string_view kName = "source_state";
  static constexpr std::string_view kDoc = "What is known of an instruction's place in the source.";
  static constexpr const auto& kEntries = model::kSourceStateNames;
};

template <>
struct Lookup<model::Verdict> {
  static constexpr std::string_view kName = "verdict";
  static constexpr std::string_view kDoc =
      "What a comparison with a closed form gave; measured: there is none.";
  static constexpr const auto& kEntries = model::kVerdictNames;
};

template <>
struct Lookup<model::AllocationKind> {
  static constexpr std::string_view kName = "allocation_kind";
  static constexpr std::string_view kDoc = "Kind of memory requested.";
  static constexpr std::int64_t kSince = 2;
  static constexpr const auto& kEntries = model::kAllocationKindNames;
};

template <>
struct Lookup<model::UnifiedMemoryEvent> {
  static constexpr std::string_view kName = "unified_memory_event";
  static constexpr std::string_view kDoc = "What unified memory did; the numbers are CUPTI's.";
  static constexpr std::int64_t kSince = 2;
  static constexpr const auto& kEntries = model::kUnifiedMemoryEventNames;
};

template <>
struct Lookup<model::L2WindowTarget> {
  static constexpr std::string_view kName = "window_target";
  static constexpr std::string_view kDoc = "To what an L2 window was attached.";
  static constexpr std::int64_t kSince = 2;
  static constexpr const auto& kEntries = model::kL2WindowTargetNames;
};

template <>
struct Lookup<model::AccessProperty> {
  static constexpr std::string_view kName = "access_property";
  static constexpr std::string_view kDoc = "How L2 is to treat accesses; numbers up to 2 are CUDA's.";
  static constexpr std::int64_t kSince = 2;
  static constexpr const auto& kEntries = model::kAccessPropertyNames;
};

template <>
struct Lookup<model::L2Action> {
  static constexpr std::string_view kName = "l2_action";
  static constexpr std::string_view kDoc = "What was asked of L2.";
  static constexpr std::int64_t kSince = 2;
  static constexpr const auto& kEntries = model::kL2ActionNames;
};

template <>
struct Lookup<model::RangeKind> {
  static constexpr std::string_view kName = "range_kind";
  static constexpr std::string_view kDoc = "How a range was marked: nested on a thread, or free of any.";
  static constexpr std::int64_t kSince = 2;
  static constexpr const auto& kEntries = model::kRangeKindNames;
};

template <>
struct Lookup<model::SynchronizationKind> {
  static constexpr std::string_view kName = "synchronization_kind";
  static constexpr std::string_view kDoc = "What was waited for; the numbers below 100 are CUPTI's.";
  static constexpr std::int64_t kSince = 2;
  static constexpr const auto& kEntries = model::kSynchronizationKindNames;
};

template <>
struct Lookup<model::FrameKind> {
  static constexpr std::string_view kName = "frame_kind";
  static constexpr std::string_view kDoc =
      "What kind of frame a call site is; torch_module (since schema 6): PyTorch calls a module there.";
  static constexpr std::int64_t kSince = 5;
  static constexpr const auto& kEntries = model::kFrameKindNames;
};

template <>
struct Lookup<model::SiteRole> {
  static constexpr std::string_view kName = "site_role";
  static constexpr std::string_view kDoc =
      "What a call site did with a kernel: launched it, launched a graph with it, or put it into a graph.";
  static constexpr std::int64_t kSince = 5;
  static constexpr const auto& kEntries = model::kSiteRoleNames;
};

using Lookups =
    std::tuple<model::Phase, model::CoverageReason, model::Direction, model::MemoryKind, model::Severity,
               model::SourceState, model::MemoryOperation, model::Verdict, model::AllocationKind,
               model::UnifiedMemoryEvent, model::L2WindowTarget, model::AccessProperty, model::L2Action,
               model::RangeKind, model::SynchronizationKind, model::FrameKind, model::SiteRole>;

template <>
inline constexpr std::string_view kIdTable<model::ProcessId> = "process";
template <>
inline constexpr std::string_view kIdTable<model::DeviceId> = "device";
template <>
inline constexpr std::string_view kIdTable<model::ModuleId> = "module";
template <>
inline constexpr std::string_view kIdTable<model::KernelId> = "kernel";
template <>
inline constexpr std::string_view kIdTable<model::GroupId> = "kernel_group";
template <>
inline constexpr std::string_view kIdTable<model::LaunchId> = "launch";
template <>
inline constexpr std::string_view kIdTable<model::WindowId> = "phase_window";
template <>
inline constexpr std::string_view kIdTable<model::InstructionId> = "instruction";
template <>
inline constexpr std::string_view kIdTable<model::SourceFileId> = "source_file";
template <>
inline constexpr std::string_view kIdTable<model::AllocationId> = "allocation";
template <>
inline constexpr std::string_view kIdTable<model::CallSiteId> = "call_site";
template <>
inline constexpr std::string_view kIdTable<model::RangeNameId> = "nvtx_name";
template <>
inline constexpr std::string_view kIdTable<model::MetricId> = "metric";

}  // namespace coalescope::capture
