#pragma once
// Spans of time as sets: what belongs to several, and how much of each bin a set covers.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "reports/analysis/time_line.h"

namespace coalescope::analysis {

using TimeSpan = std::pair<std::int64_t, std::int64_t>;  // began, ended

// In the order of time; what overlaps or touches becomes one.
void unite(std::vector<TimeSpan>& spans);

// Whether one of them, which are united, is under way at some time from `from` to `to`.
[[nodiscard]] bool any_between(std::span<const TimeSpan> spans, std::int64_t from, std::int64_t to);

// What is in both. Each must be united.
[[nodiscard]] std::vector<TimeSpan> common(std::span<const TimeSpan> one, std::span<const TimeSpan> other);

// Spans that are united, in bins of `bin_ns` from `began_ns` on: at most two stretches a bin.
[[nodiscard]] std::vector<BusyStretch> stretches_of(std::span<const TimeSpan> spans, std::int64_t began_ns,
                                                    std::int64_t bin_ns);

}  // namespace coalescope::analysis
