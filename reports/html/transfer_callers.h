#pragma once
// Transfers by the line that called them: the classes of transfers, divided by their call sites and added up
// by line, direction and kind of memory.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::html {

struct TransferCaller {
  std::string caller;          // "train.py:51 step()"; empty: not known
  std::string callers;         // the stack around it
  analysis::TransferRow ends;  // direction, kinds of memory and manner: its other members are not used
  std::int64_t transfers = 0, bytes = 0;
  std::int64_t smallest_bytes = 0, largest_bytes = 0;  // of the classes
  std::optional<std::int64_t> gpu_ns;                  // nullopt: of copies through the host
  std::optional<double> reference_ns;  // at the reference's bandwidth; nullopt: not known of all
};

// Most GPU time first.
std::vector<TransferCaller> transfer_callers(const analysis::Report& report);

}  // namespace coalescope::html
