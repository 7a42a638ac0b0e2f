#pragma once
// The findings for tools of code review: SARIF 2.1.0. A rule a rule of ours, with its page as help; a result
// a finding.

#include <string>
#include <string_view>

#include "reports/analysis/report.h"

namespace coalescope::sarif {

// `version` is coalescope's own.
[[nodiscard]] std::string to_sarif(const analysis::Report& report, std::string_view version);

}  // namespace coalescope::sarif
