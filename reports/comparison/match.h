#pragma once
// Which kernel of one capture is which of the other. From sure to likely, each step with what the ones before
// left over: the same function and block; the same function; the same function with other template arguments
// or another number at its end, as compilers at run time give; another name at the same call site with the
// same shape or at least number of launches; where no call site is known, the only one that is gone and the
// only new one that was launched as often. A step that could pair in two ways pairs nothing.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "reports/analysis/report.h"
#include "reports/comparison/comparison.h"

namespace coalescope::comparison {

struct FamilyPair {
  Match match = Match::same;
  std::optional<std::size_t> before, after;  // places in Report::kernel_families
};

[[nodiscard]] std::vector<FamilyPair> match_families(const analysis::Report& before,
                                                     const analysis::Report& after);

// The rows of a pair that have the same grid and dynamic shared memory: one each, or those of one variant,
// where both sides have the same variants, launched about as often; otherwise all that the shape has. Where
// no shape is the same, and each side has as many, launched as often: those, most GPU time first.
struct RowPair {
  using Side = std::vector<const analysis::KernelRow*>;
  Side before, after;
};
[[nodiscard]] std::int64_t launches_of(const RowPair::Side& side);
using Rows = std::unordered_map<std::int64_t, const analysis::KernelRow*>;  // analysis::kernels_by_id()
[[nodiscard]] std::vector<RowPair> match_rows(const Rows& before, const analysis::KernelFamily& before_family,
                                              const Rows& after, const analysis::KernelFamily& after_family);

// The declaration without what nvcc puts before static functions of programs that are linked for the device:
// a checksum of the file and the number of the compiler's process, which differ from one build to the next.
[[nodiscard]] std::string function_of(const std::string& full_name);

// "transpose<32>(float*)" and "transpose<64>(float*)" are "transpose"; "fusion_12" is "fusion".
[[nodiscard]] std::string base_name(std::string_view declaration);

// "train.py:37 step() > model.py:12 forward()" without the numbers of lines, which edits move.
[[nodiscard]] std::string without_lines(std::string_view call_site);

}  // namespace coalescope::comparison
