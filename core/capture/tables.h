#pragma once
// The schema of a capture, declared once: DDL, INSERT, binding, reading, merging and docs/schema.md all
// follow from the tables listed here. A change of any of them is a change of kSchemaVersion (schema.h).

#include <cstddef>
#include <tuple>
#include <type_traits>

#include "core/capture/activity_tables.h"
#include "core/capture/call_site_tables.h"
#include "core/capture/kernel_tables.h"
#include "core/capture/lookup_tables.h"
#include "core/capture/memory_tables.h"
#include "core/capture/reading_tables.h"
#include "core/capture/run_tables.h"
#include "core/capture/source_tables.h"

namespace coalescope::capture {

// In the order in which they are created, documented and merged: a table comes after those it refers to.
using Tables = std::tuple<
    model::Capture, model::Process, model::Device, model::Module, model::Kernel, model::KernelGroup,
    model::PhaseWindow, model::Launch, model::LaunchTotal, model::TraceGap, model::Coverage,
    model::MetricUsed, model::Reading, model::Instruction, model::InstructionReading, model::Calibration,
    model::Diagnostic, model::CallSite, model::Transfer, model::TransferTotal, model::Allocation,
    model::GroupPointer, model::ParameterValues, model::UnifiedMemory, model::L2Window, model::L2Setting,
    model::RangeName, model::Range, model::Synchronization, model::SynchronizationTotal, model::SourceFile,
    model::SourceLine, model::LaunchSite, model::TransferSite, model::SynchronizationSite>;
inline constexpr std::size_t kTableCount = std::tuple_size_v<Tables>;

// A row struct's place in the list; one that is not a table does not compile.
template <class Row, std::size_t index = 0>
constexpr std::size_t table_index() {
  if constexpr (std::is_same_v<Row, std::tuple_element_t<index, Tables>>)
    return index;
  else
    return table_index<Row, index + 1>();
}

}  // namespace coalescope::capture
