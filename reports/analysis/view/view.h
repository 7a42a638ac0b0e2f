#pragma once
// Which rows of a report its reader wants to see, and in which order. Done once, on the finished report, so
// that every renderer shows the same rows. What is judged and counted does not change by it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/error.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

struct ViewOptions {
  std::optional<SortKey> sort;        // nullopt: each table in an order of its own
  std::optional<std::string> kernel;  // POSIX extended regular expression: kernels, their lines and findings
  std::vector<std::string> rules;     // ids as in Finding::rule; empty: all
  std::optional<std::size_t> limit;   // rows a table
  bool all = false;                   // also what stands aside: Finding::aside, and kernels of tools
};

// The names of the sort keys, in the order of SortKey: "lost", "time" ...
[[nodiscard]] const std::vector<std::string>& sort_key_names();
[[nodiscard]] std::optional<SortKey> sort_key(std::string_view name);

// "by GPU time": the order that the reader asked for, else `usual`.
[[nodiscard]] std::string order_words(const Report& report, std::string_view usual);

// Fails if `kernel` is no regular expression. Rows that are left out go to Report::hidden, and notices say
// how many there are.
[[nodiscard]] base::Result<void> apply_view(Report& report, const ViewOptions& options);

// Shown or hidden: what a finding or a line refers to by KernelRow::id.
[[nodiscard]] std::unordered_map<std::int64_t, const KernelRow*> kernels_by_id(const Report& report);

}  // namespace coalescope::analysis
