#pragma once
// Kernels as their author knows them: one function with one block size, in all grids that it was launched
// with and in all processes that launched it. What its shapes have in common is a range over those that were
// measured, never a mean. What was not measured is estimated from the sizes that were.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

// What tells functions apart, families, and the shapes of all families. They point into the row.
using FunctionKey = std::pair<std::string_view, std::int64_t>;
using FamilyKey = std::tuple<std::string_view, std::int64_t, std::array<std::int64_t, 3>>;
using ShapeKey = std::tuple<FamilyKey, std::array<std::int64_t, 3>, std::int64_t>;
[[nodiscard]] FunctionKey function_key(const KernelRow& row);
[[nodiscard]] FamilyKey family_key(const KernelRow& row);
[[nodiscard]] ShapeKey shape_key(const KernelRow& row);

// "dram_bytes"; nullptr: the family has no such total.
[[nodiscard]] const FamilyTotal* find_total(const KernelFamily& family, std::string_view count);

// Most GPU time first; `share` is left for whoever knows the run's time. Of kernels whose names do not yet
// begin with their process.
//
// An estimate adds, for each shape that was not measured, the counts per launch of the sizes next to its own,
// in a straight line over the number of blocks; beyond the sizes measured, in proportion to the blocks. Its
// error is the median of how far such a line misses a measured size that is left out; nullopt: fewer than
// three sizes. There is no estimate whose error is above 5 %, and none of L2 and DRAM where a shape
// is mixed.
[[nodiscard]] std::vector<KernelFamily> kernel_families(std::span<const KernelRow> kernels);

}  // namespace coalescope::analysis
