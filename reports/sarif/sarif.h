#pragma once
// The findings for tools of code review: SARIF 2.1.0. A rule a rule of ours, with its page as help; a result
// a finding.

#include <string>
#include <string_view>

#include "reports/analysis/report.h"
#include "reports/gate/gate.h"

namespace coalescope::sarif {

// `version` is coalescope's own.
// With the gate's answer its violations are the results, as grave as it says; what is suppressed says why.
[[nodiscard]] std::string to_sarif(const analysis::Report& report, std::string_view version,
                                   const gate::Result* gate = nullptr);

}  // namespace coalescope::sarif
