#pragma once
// A table that the analysis made, of cells that are ready to print: short ones stand open, longer ones are
// folded.

#include "reports/analysis/view/program_tables.h"
#include "reports/html/markup.h"

namespace coalescope::html {

Html plain_table(const analysis::PlainTable& plain);

}  // namespace coalescope::html
