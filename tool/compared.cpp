#include "tool/compared.h"

#include <new>

#include "core/base/log.h"
#include "core/base/memory_limit.h"
#include "core/profile/sources.h"
#include "reports/analysis/analyse.h"
#include "tool/exit_status.h"
#include "tool/report.h"

namespace coalescope::tool {

base::Result<analysis::Report> report_of(const std::string& capture,
                                         const analysis::CodeOwnership& ownership) {
  analysis::AnalyseOptions options{{}, profile::profile_folder(), {}, ownership};
  options.sources.shown = false;
  return analysis::analyse(capture, options);
}

int within_memory(const std::function<int()>& work) {
  constexpr std::int64_t kMostMib = 2 * kReportMib;  // two captures
  if (!base::limit_memory(kMostMib)) base::log_warning("the memory of the comparison could not be limited");
  try {
    return work();
  } catch (const std::bad_alloc&) {
    base::log_error("the captures take more than {} MiB of memory", kMostMib);
    return kUnreadable;
  }
}

}  // namespace coalescope::tool
