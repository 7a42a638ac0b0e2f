#pragma once
// Classes of transfers, with what pinned memory would have reached in their place.

#include <span>
#include <vector>

#include "core/capture/views.h"
#include "reports/analysis/findings.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

// Of a copy.
[[nodiscard]] double mean_bytes(const TransferRow& row);

// Most time first; `share` is left for whoever knows the run's time.
[[nodiscard]] std::vector<TransferRow> transfer_rows(std::span<const capture::TransferView> views,
                                                     const Machines& machines);

}  // namespace coalescope::analysis
