#pragma once
// Tables that the analysis has made ready, as the page shows them: short ones at once, longer ones folded.

#include <span>
#include <string_view>

#include "reports/analysis/view/program_tables.h"
#include "reports/html/markup.h"

namespace coalescope::html {

enum class Fold { long_ones, all };

// Those of the program's tables that have one of these ids, in their order.
Html plain_tables(const analysis::Report& report, std::span<const std::string_view> ids,
                  Fold fold = Fold::long_ones);

}  // namespace coalescope::html
