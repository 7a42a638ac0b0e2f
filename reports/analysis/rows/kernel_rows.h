#pragma once
// Kernel groups as rows of the report: means a launch, ratios, and a reason for each number that is missing.

#include <array>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/capture/views.h"
#include "core/model/launch.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

using ReadingsByGroup = std::unordered_map<model::GroupId, capture::GroupReadings>;

// Instruction counts of a group over its windows of phase lines. An instruction counts as what it
// executed as: a load, a store or an atomic, never two of them.
struct InstructionSums {
  struct Operation {
    std::int64_t sectors = 0, ideal_sectors = 0, needed_sectors = 0;
    std::optional<std::int64_t> requests, threads;
    double lines = 0;  // of 128 bytes
  };
  std::int64_t launches = 0;
  std::optional<std::int64_t> code_crc;         // of the cubin
  std::int64_t sectors = 0, ideal_sectors = 0;  // of all memory instructions
  Operation load, store, atomic, reduction;
  std::optional<std::int64_t> shared_requests, shared_wavefronts, shared_ideal_wavefronts;
  std::int64_t surplus_wavefronts = 0;
};
using InstructionSumsByGroup = std::unordered_map<model::GroupId, InstructionSums>;

// The member that counts a phase's launches; nullptr for the trace, which has its own.
[[nodiscard]] Samples KernelRow::*samples_of(model::Phase phase);

// `groups` have the shapes of their blocks.
[[nodiscard]] InstructionSumsByGroup sum_instructions(std::span<const capture::InstructionView> instructions,
                                                      std::span<const capture::GroupView> groups = {});

// Most GPU time first; `share` and the worst line are left for whoever knows the rest.
[[nodiscard]] std::vector<KernelRow> kernel_rows(std::span<const capture::GroupView> groups,
                                                 const ReadingsByGroup& readings,
                                                 const InstructionSumsByGroup& instructions,
                                                 std::span<const model::Coverage> coverage);

// Whether much of what it reads and writes lies in host memory: more than the background that every kernel
// has.
[[nodiscard]] bool works_in_host_memory(const KernelRow& row);

// Names of variants end with their number: "add<float> [2]". After kernel_families().
void number_variants(std::vector<KernelRow>& rows);

}  // namespace coalescope::analysis
