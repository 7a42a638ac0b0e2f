#pragma once
// What is counted of a launch, as one row a count: adding one is adding a line to the table.

#include <optional>
#include <span>
#include <string_view>

#include "reports/analysis/report.h"
#include "reports/comparison/match.h"

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

// Of all launches of these rows together. nullopt: it is missing for more than a few of them.
[[nodiscard]] std::optional<double> per_launch(
    const RowPair::Side& rows, std::optional<std::int64_t> (*value)(const analysis::KernelRow&));

// The same where it may be missing for many, which then count nothing: it is this much or more.
[[nodiscard]] std::optional<double> at_least(
    const RowPair::Side& rows, std::optional<std::int64_t> (*value)(const analysis::KernelRow&));

// How much of it those few may change, if they do what one of the others does.
[[nodiscard]] double missing_noise(const RowPair::Side& rows,
                                   std::optional<std::int64_t> (*value)(const analysis::KernelRow&));

// All that their accesses touch, in sectors, per launch.
[[nodiscard]] double sectors_of(const RowPair::Side& rows);

// The least difference of this count that says something about the rows.
[[nodiscard]] double least_change(const RowCount& count, const RowPair::Side& rows);

}  // namespace coalescope::comparison
