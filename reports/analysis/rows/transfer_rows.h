#pragma once
// Classes of transfers, with what pinned memory would have reached in their place.

#include <span>
#include <string>
#include <vector>

#include "core/capture/views.h"
#include "reports/analysis/machine/machine.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

// Of a copy.
[[nodiscard]] double mean_bytes(const TransferRow& row);

// Most time first; `share` is left for whoever knows the run's time.
[[nodiscard]] std::vector<TransferRow> transfer_rows(std::span<const capture::TransferView> views,
                                                     const Machines& machines);

// "pageable host memory to device, up to 64 MiB".
[[nodiscard]] std::string transfer_class_name(const TransferRow& row);

}  // namespace coalescope::analysis
