#pragma once
// What a repair would save, predicted from traffic and bandwidths. The model, its assumptions and its error
// on the reference kernels are in docs/model.md.

#include <cstdint>
#include <optional>
#include <string>

#include "reports/analysis/machine.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

// A predicted saving over all launches; without a figure `basis` says what was missing.
struct Cost {
  std::optional<std::int64_t> lost_ns;
  std::string basis;
};

enum class Operation { load, store };

// What the surplus sectors of one operation of a kernel cost.
[[nodiscard]] Cost surplus_cost(const KernelRow& kernel, Operation operation, const Machine& machine);

// What a class of transfers loses against the same bytes at the row's reference bandwidth.
[[nodiscard]] Cost slow_transfer_cost(const TransferRow& row);

// What many small transfers lose against the same bytes in batches.
[[nodiscard]] Cost small_transfer_cost(const TransferRow& row, const Machine& machine);

// What bytes lose that cross the bus to the host more often than they were asked for.
[[nodiscard]] Cost repeated_crossing_cost(const KernelRow& kernel, const Machine& machine);

// The share of an operation's sectors that its bytes need: exact from its instructions, else the best that
// the kernel's counters allow.
[[nodiscard]] std::optional<double> needed_share(const Access& access);

}  // namespace coalescope::analysis
