#pragma once
// What is counted of a launch, as one row a count: adding one is adding a line to the table.

#include <optional>
#include <span>
#include <string_view>

#include "reports/analysis/report.h"

namespace coalescope::comparison {

// `itself`: no sectors of the same launches say how much it differs, either.
enum class Scale { sectors, bytes, requests, itself };

struct RowCount {
  std::string_view key, label;
  analysis::Show show;
  Scale scale;  // a change that is small beside all of the kernel's is none
  std::optional<std::int64_t> (*value)(const analysis::KernelRow&);
};

// Those that every recording of one program shares; accesses first.
[[nodiscard]] std::span<const RowCount> row_counts();
// Those that caches and other work on the GPU change, with the noise of each: advice.
struct NoisyCount {
  RowCount count;
  double noise;
};
[[nodiscard]] std::span<const NoisyCount> noisy_counts();

// All that the row's accesses touch, in sectors, per launch.
[[nodiscard]] double sectors_of(const analysis::KernelRow& row);

// The least difference of this count that says something about the row.
[[nodiscard]] double least_change(const RowCount& count, const analysis::KernelRow& row);

}  // namespace coalescope::comparison
