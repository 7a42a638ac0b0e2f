#pragma once
// Tells the processes of a run apart in as few words as that takes.

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/model/run.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

// One a process: "rank 1"; without ranks "process 4711"; with more where that would stand for two.
[[nodiscard]] std::vector<std::string> process_names(std::span<const model::Process> processes);

using NamesOfProcesses = std::unordered_map<std::int64_t, std::string>;  // by Process::id
[[nodiscard]] NamesOfProcesses names_of_processes(std::span<const model::Process> processes);

// Where more than one process launched kernels, each row's name begins with its process: "rank 1:
// transpose<32>".
void name_processes(std::vector<KernelRow>& kernels, std::span<const model::Process> processes);

}  // namespace coalescope::analysis
