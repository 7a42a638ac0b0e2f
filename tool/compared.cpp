#include "tool/compared.h"

#include "core/profile/sources.h"
#include "reports/analysis/analyse.h"

namespace coalescope::tool {

base::Result<analysis::Report> report_of(const std::string& capture,
                                         const analysis::CodeOwnership& ownership) {
  analysis::AnalyseOptions options{{}, profile::profile_folder(), {}, ownership};
  options.sources.shown = false;
  return analysis::analyse(capture, options);
}

}  // namespace coalescope::tool
