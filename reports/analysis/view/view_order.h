#pragma once
// What each key means for each table.

#include "reports/analysis/report.h"

namespace coalescope::analysis {

// Worst first: most time, launches or bytes, the lowest degree; names by the alphabet. Rows without the
// number come last, and rows that are equal keep their order. A table to which a key means nothing keeps its
// own.
void sort_rows(Report& report, SortKey key);

}  // namespace coalescope::analysis
