#pragma once
// Plays a script alone and under `coalescope record`, and compares the capture with what the script says.

#include <map>
#include <string>
#include <vector>

#include "core/model/activity.h"
#include "core/model/call_site.h"
#include "core/model/diagnostic.h"
#include "core/model/enums.h"
#include "core/model/instruction.h"
#include "core/model/kernel.h"
#include "core/model/launch.h"
#include "core/model/memory.h"
#include "core/model/run.h"
#include "core/model/transfer.h"
#include "tests/standin/code.h"

namespace standin {

// How a program ended, and what it printed.
struct Ending {
  std::string end;  // "exit 3", "signal 6", or "hung"
  std::string out;
  std::string err;
};

// The rows of a capture that the tests look at.
struct Rows {
  coalescope::model::Capture capture;
  std::vector<coalescope::model::Process> processes;
  std::vector<coalescope::model::Kernel> kernels;
  std::vector<coalescope::model::KernelGroup> groups;
  std::vector<coalescope::model::ParameterValues> parameter_values;
  std::vector<coalescope::model::Launch> launches;
  std::vector<coalescope::model::LaunchTotal> launch_totals;
  std::vector<coalescope::model::TransferTotal> transfer_totals;
  std::vector<coalescope::model::TraceGap> trace_gaps;
  std::vector<coalescope::model::SynchronizationTotal> waits;
  std::vector<coalescope::model::PhaseWindow> windows;
  std::vector<coalescope::model::Coverage> coverage;
  std::vector<coalescope::model::MetricUsed> metrics;
  std::vector<coalescope::model::Reading> readings;
  std::vector<coalescope::model::Instruction> instructions;
  std::vector<coalescope::model::InstructionReading> instruction_readings;
  std::vector<coalescope::model::Transfer> transfers;
  std::vector<coalescope::model::TransferSite> transfer_sites;
  std::vector<coalescope::model::CallSite> call_sites;
  std::vector<coalescope::model::Allocation> allocations;
  std::vector<coalescope::model::UnifiedMemory> unified_memory;
  std::vector<coalescope::model::Diagnostic> diagnostics;
};

struct Recorded {
  std::string script;
  Ending alone, under;
  bool opens = false;         // the capture is there and can be read
  bool came_to_pass = false;  // something that the script wants to go wrong
  Rows rows;
  std::map<std::int64_t, std::string> group_names;  // the kernel of each group

  [[nodiscard]] std::string kernel_of(coalescope::model::GroupId group) const;
  [[nodiscard]] std::int64_t launches_of(const std::string& kernel) const;
  // Launches whose readings of a phase are in the capture.
  [[nodiscard]] std::int64_t measured(const std::string& kernel, coalescope::model::Phase phase) const;
  [[nodiscard]] bool has_reason(const std::string& kernel, coalescope::model::Phase phase,
                                coalescope::model::CoverageReason reason) const;
  [[nodiscard]] bool says(std::string_view words) const;  // in a diagnostic's code or text
  [[nodiscard]] std::string diagnostics_text() const;
};

// Under the stand-in's CUPTI, or that of the folder STANDIN_CUPTI; empty: the recorder has to find one.
// `flags`: of `record`; "--budget none" where nothing else is said.
[[nodiscard]] Recorded record(const std::string& script,
                              const std::vector<std::string>& flags = {"--budget", "none"});

// What the script launches, by kernel; a launch in a stream capture counts when its graph is launched.
[[nodiscard]] std::map<std::string, std::int64_t> launches_in(const std::string& script);
[[nodiscard]] std::vector<CodeKernel> all_kernels(const std::string& script);

// The target behaved as if coalescope were not there, and the capture can be read.
void expect_unharmed(const Recorded& recorded);
// Whatever number the capture holds is the script's: times, readings, instructions, lines.
void expect_no_wrong_number(const Recorded& recorded);
// Every launch is there, once.
void expect_every_launch(const Recorded& recorded);
// A program that ended suddenly loses the last buffer, which has at most twice the room of the one before.
void expect_all_but_the_last_buffer(const Recorded& recorded, const std::string& kernel,
                                    std::int64_t launched);
// The coverage of each group says how many launches it had.
void expect_coverage_counts(const Recorded& recorded);
// All of this, and nothing amiss: no window thrown away, no diagnostic, a clean end.
void expect_exact(const Recorded& recorded);
// A launch of the kernel was measured in bytes, lines, traffic and hits each.
void expect_all_phases(const Recorded& recorded, const std::string& kernel);

}  // namespace standin
