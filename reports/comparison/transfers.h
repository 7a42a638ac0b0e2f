#pragma once
// Transfers, memory and the run of both captures.

#include <string>
#include <vector>

#include "reports/analysis/report.h"
#include "reports/comparison/comparison.h"

namespace coalescope::comparison {

// "host to device". A copy that becomes asynchronous, or of another size, is no other class.
[[nodiscard]] std::string class_of(const analysis::TransferRow& row);
// "transfers: memory set": what a row of transfers is about.
[[nodiscard]] std::string transfers_subject(const RowChange& row);

[[nodiscard]] std::vector<RowChange> compare_transfers(const analysis::Report& before,
                                                       const analysis::Report& after);
// The most bytes at one time of each kind of memory.
[[nodiscard]] std::vector<RowChange> compare_memory(const analysis::Report& before,
                                                    const analysis::Report& after);
// Times only: advice.
[[nodiscard]] RowChange compare_run(const analysis::Report& before, const analysis::Report& after);

}  // namespace coalescope::comparison
