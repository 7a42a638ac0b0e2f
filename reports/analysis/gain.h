#pragma once
// What a repair would save, predicted from traffic and bandwidths. The model and its assumptions are in
// docs/model.md, its error on the twins in docs/accuracy.md.

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "reports/analysis/kernel_bounds.h"
#include "reports/analysis/machine.h"
#include "reports/analysis/report.h"
#include "reports/analysis/subjects.h"

namespace coalescope::analysis {

// A predicted saving over all launches; without a figure `basis` says what was missing.
struct Cost {
  std::optional<std::int64_t> lost_ns;
  std::string basis;
  std::optional<std::int64_t> of_ns = {};  // the time that it is a part of, where that is not the subject's
};
[[nodiscard]] Cost unknown_cost(std::string basis);

// What the surplus sectors of one operation of a kernel cost.
[[nodiscard]] Cost surplus_cost(const KernelRow& kernel, Operation operation, const Machine& machine);

// What traffic of local memory costs, were it none.
[[nodiscard]] Cost local_cost(const KernelRow& kernel, const Machine& machine);

// What bank conflicts cost: wavefronts beyond those that the same requests take without.
[[nodiscard]] Cost conflict_cost(const KernelRow& kernel, const Machine& machine);

// What atomics on so few addresses cost, were they added up in a warp or block before; and what it costs that
// atomics return a value.
[[nodiscard]] Cost contention_cost(const KernelRow& kernel, const Access& atomics, double addresses,
                                   const Machine& machine);
[[nodiscard]] Cost returning_cost(const KernelRow& kernel, const Machine& machine);

// What elements of a few bytes cost against the widest, and `lanes` of a warp at work against full warps.
[[nodiscard]] Cost narrow_cost(const KernelRow& kernel, double element_bytes, const Machine& machine);
[[nodiscard]] Cost idle_lanes_cost(const KernelRow& kernel, double lanes, const Machine& machine);

// What constant loads at several addresses of a warp cost against loads at one.
[[nodiscard]] Cost divergent_constant_cost(const KernelRow& kernel, const Machine& machine);

// What loads of one word for a whole warp cost in L1.
[[nodiscard]] Cost broadcast_cost(const KernelRow& kernel, double broadcast_loads, const Machine& machine);

// What a kernel of few warps loses by waiting for each tile.
[[nodiscard]] Cost exposed_latency_cost(const KernelRow& kernel, const Machine& machine);

// What reading `footprint_bytes` from DRAM more than once costs.
[[nodiscard]] Cost reread_cost(const KernelRow& kernel, std::int64_t footprint_bytes, const Machine& machine);

// The GPU time of kernels, as far as they use a window.
[[nodiscard]] double gpu_ns_of(const KernelUse& use);
[[nodiscard]] std::int64_t gpu_ns_of(std::span<const KernelUse> uses);

// What it costs that more is to persist than was set aside.
struct Persisting {
  double window = 0;  // bytes of a kernel's own window
  double wanted = 0;  // bytes that are to persist, in all windows
  bool of_several =
      false;  // streams; a launch is measured alone, so that its counters do not show the others
};
[[nodiscard]] Cost thrashing_cost(std::span<const KernelUse> users, const Persisting& bytes,
                                  const Machine& machine);

// What lines that nobody gave back cost the kernels after them, were they given back before each of their
// launches; after a part of these the window is used again.
[[nodiscard]] Cost left_lines_cost(std::span<const KernelUse> later, double left_bytes,
                                   double times_fetched_again, const Machine& machine);

// What a class of transfers loses against the same bytes at the row's reference bandwidth.
[[nodiscard]] Cost slow_transfer_cost(const TransferRow& row);

// What copies between two GPUs lose by going through the host.
[[nodiscard]] Cost peer_detour_cost(const TransferRow& row, const Machine& machine);

// What many small transfers lose against the same bytes in batches.
[[nodiscard]] Cost small_transfer_cost(const TransferRow& row, const Machine& machine);

// What a kernel loses that works in the host's memory, where each byte that it asks for crosses so often:
// against a copy of `host_bytes` to the device before each launch (std::nullopt: which memory it works in is
// not known), or against the same bytes side by side, each crossing once; the better of both.
struct Crossings {
  double times = 1;
  std::optional<std::int64_t> host_bytes;
};
[[nodiscard]] Cost repeated_crossing_cost(const KernelRow& kernel, const Crossings& crossings,
                                          const Machine& machine);
// Whether that is the copy.
[[nodiscard]] bool copy_is_better(const KernelRow& kernel, const Crossings& crossings,
                                  const Machine& machine);

// The share of an operation's sectors that its bytes need: exact from its instructions, else the best that
// the kernel's counters allow.
[[nodiscard]] std::optional<double> needed_share(const Access& access);

}  // namespace coalescope::analysis
