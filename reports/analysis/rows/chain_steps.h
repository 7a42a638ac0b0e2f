#pragma once
// Kernels as steps of a chain of operations: what each does to its operands, and whether one step may work on
// the result of another.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/capture/views.h"
#include "core/model/memory.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

// Of one number of elements: types have one to eight bytes.
inline constexpr double kMostByType = 8;

struct ChainStep {
  bool elementwise = false, copies = false, reduction = false, softmax = false, product = false;
  double load_bytes = 0, store_bytes = 0;
  std::optional<std::int64_t> result;  // addresses of its first launch
  std::vector<std::int64_t> operands;
  bool compiled = false;            // by XLA, perhaps with others that the same call runs
  std::vector<std::int64_t> sites;  // calls that launched it, in order; of a compiled one
};

// In the order of `groups`.
[[nodiscard]] std::vector<ChainStep> chain_steps(std::span<const KernelRow> kernels,
                                                 std::span<const capture::GroupView> groups,
                                                 std::span<const model::GroupPointer> pointers);

// By how many bytes they load and store, and who called them. `are_first`: both were their kernels' first
// launches, whose addresses are known.
[[nodiscard]] bool is_linked(const ChainStep& from, const ChainStep& to, bool are_first);

}  // namespace coalescope::analysis
