#pragma once
// Joins rows with the call sites that caused them: who launched a kernel, asked for a class of transfers, or
// waited; and adds up what each site cost.

#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

// What the tables hold, of the processes of the first run.
struct SiteTables {
  std::vector<model::CallSite> sites;
  std::vector<model::LaunchSite> launches;
  std::vector<model::TransferSite> transfers;
  std::vector<model::SynchronizationSite> waits;
};

// Fills the call sites of kernels, transfers and waits, and TransferRow::waited_for where the same place
// waits for each copy.
void take_call_sites(Report& report, const SiteTables& tables);

// Fills the times of Report::call_sites, once it is known which kernels are a tool's: as in shares of the
// run, their time does not count.
void add_up_call_sites(Report& report);

}  // namespace coalescope::analysis
