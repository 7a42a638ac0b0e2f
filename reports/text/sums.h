#pragma once
// The report that adds times up instead of listing kernels: `report --by`.

#include <string>
#include <vector>

#include "reports/analysis/view/sums.h"

namespace coalescope::text {

// A heading and a line a row, at most `most` of them. Without rows, why there are none.
[[nodiscard]] std::vector<std::string> sum_lines(const analysis::Report& report, analysis::SumBy by,
                                                 std::size_t width, std::size_t most);

}  // namespace coalescope::text
