#pragma once
// Times and losses added up along the stacks: by call site, by file, by kernel, by the program's own ranges.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

enum class SumBy { call_site, module, kernel, range };
// Their names on the command line, in the order of the enumeration.
[[nodiscard]] const std::vector<std::string>& sum_names();
[[nodiscard]] std::optional<SumBy> sum_by(std::string_view name);

// Times are of the GPU. A call counts once for each row, however often its stack has it.
struct SumRow {
  std::string name;
  std::optional<std::int64_t> exclusive_ns;  // of what it called itself; nullopt: there is no such thing
  std::int64_t inclusive_ns = 0;             // with all that was called on its behalf
  std::int64_t wait_ns = 0;                  // of the host, inclusive
  std::int64_t lost_ns = 0;                  // that repairs would save, inclusive: as the verdict counts them
};

// Recorded with --modules: a module is then one of PyTorch's.
[[nodiscard]] bool has_torch_modules(const Report& report);

// Most inclusive time first. By call site the author's own frames, or all where there are none; a module is
// one of PyTorch's where the capture has them, with what belongs to none in a row of its own, else a Python
// file, or a program or library. Call sites of other processes are other calls at the same place.
[[nodiscard]] std::vector<SumRow> sums(const Report& report, SumBy by);

}  // namespace coalescope::analysis
