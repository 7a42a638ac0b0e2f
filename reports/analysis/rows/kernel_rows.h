#pragma once
// Kernel groups as rows of the report: means a launch, ratios, and a reason for each number that is missing.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/capture/views.h"
#include "core/model/launch.h"
#include "reports/analysis/machine/machine.h"
#include "reports/analysis/report.h"
#include "reports/analysis/rows/instruction_sums.h"

namespace coalescope::analysis {

using ReadingsByGroup = std::unordered_map<model::GroupId, capture::GroupReadings>;

// The member that counts a phase's launches; nullptr for the trace, which has its own.
[[nodiscard]] Samples KernelRow::*samples_of(model::Phase phase);

// Most GPU time first; `share` and the worst line are left for whoever knows the rest.
[[nodiscard]] std::vector<KernelRow> kernel_rows(std::span<const capture::GroupView> groups,
                                                 const ReadingsByGroup& readings,
                                                 const InstructionSumsByGroup& instructions,
                                                 std::span<const model::Coverage> coverage,
                                                 const Machines& machines);

// Of a launch, by the lanes of all its requests. nullopt: not all were counted, as where TMA moves data.
[[nodiscard]] std::optional<std::int64_t> asked_bytes(const KernelRow& row);

// To global memory, per launch; those that were not counted add nothing.
[[nodiscard]] double memory_requests(const KernelRow& row);

// Whether something of what it reads and writes lies in host memory. The counter has no background: 2,929 of
// 2,935 kernels have none of these sectors, and the other six use zero-copy (H100 and H200).
[[nodiscard]] bool works_in_host_memory(const KernelRow& row);

// Names of variants end with their number: "add<float> [2]". After kernel_families().
void number_variants(std::vector<KernelRow>& rows);

}  // namespace coalescope::analysis
