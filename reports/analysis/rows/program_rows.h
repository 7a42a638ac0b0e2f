#pragma once
// From the tables of the capture to the rows of program.h.

#include <span>
#include <unordered_map>
#include <vector>

#include "core/base/error.h"
#include "core/capture/reader.h"
#include "reports/analysis/report.h"
#include "reports/analysis/rows/call_stacks.h"
#include "reports/analysis/rows/kernel_rows.h"
#include "reports/analysis/rows/site_uses.h"

namespace coalescope::analysis {

// What the tables hold, of the processes of the first run.
struct ProgramTables {
  std::vector<model::Allocation> allocations;
  SiteTables sites;
  std::vector<model::GroupPointer> pointers;
  std::vector<model::ParameterValues> parameter_values;
  std::vector<model::UnifiedMemory> unified_memory;
  std::vector<model::L2Window> set_l2_windows;
  std::vector<model::L2Setting> l2_settings;
  std::vector<model::RangeName> range_names;
  std::vector<model::Range> ranges;
  std::vector<model::Synchronization> waits;
  std::vector<model::SynchronizationTotal> wait_totals;
  std::vector<model::KernelGroup> groups;
  std::vector<model::Diagnostic> diagnostics;
  // Read only where there are ranges, or managed memory moved.
  std::vector<model::Launch> launches;
  std::vector<model::LaunchTotal> launch_totals;
};

[[nodiscard]] base::Result<ProgramTables> read_program(capture::Reader& reader,
                                                       std::span<const model::Process> processes);
[[nodiscard]] Program program_of(const ProgramTables& tables, std::span<const KernelRow> kernels,
                                 const ReadingsByGroup& readings, const CallStacks& stacks);

}  // namespace coalescope::analysis
