#pragma once
// What the instructions of a kernel group add up to.

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>

#include "core/capture/views.h"
#include "core/model/ids.h"

namespace coalescope::analysis {

// Instruction counts of a group over its windows of phase lines. An instruction counts as what it
// executed as: a load, a store or an atomic, never two of them.
struct InstructionSums {
  struct Operation {
    std::int64_t sectors = 0, ideal_sectors = 0, needed_sectors = 0;
    std::optional<std::int64_t> requests, threads;
    double lines = 0;        // of 128 bytes
    double width_bytes = 0;  // of one lane, times the requests, where all instructions tell theirs
    bool has_widths = true;
  };
  std::int64_t launches = 0;
  std::optional<std::int64_t> code_crc;         // of the cubin
  std::int64_t sectors = 0, ideal_sectors = 0;  // of all memory instructions
  Operation load, store, atomic, reduction;
  std::optional<std::int64_t> shared_requests, shared_wavefronts, shared_ideal_wavefronts;
  std::int64_t surplus_wavefronts = 0;
};
using InstructionSumsByGroup = std::unordered_map<model::GroupId, InstructionSums>;

// `groups` have the shapes of their blocks.
[[nodiscard]] InstructionSumsByGroup sum_instructions(std::span<const capture::InstructionView> instructions,
                                                      std::span<const capture::GroupView> groups = {});

}  // namespace coalescope::analysis
