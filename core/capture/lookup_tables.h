#pragma once
// The tables that give an enumeration's numbers their names, for readers in an SQL shell; and which table
// each type of id belongs to.

#include <string_view>
#include <tuple>

#include "core/capture/columns.h"
#include "core/model/enums.h"
#include "core/model/ids.h"
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

using Lookups = std::tuple<model::Phase, model::CoverageReason, model::Direction, model::MemoryKind,
                           model::Severity, model::SourceState, model::Verdict>;

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
inline constexpr std::string_view kIdTable<model::MetricId> = "metric";

}  // namespace coalescope::capture
