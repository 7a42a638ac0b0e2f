#pragma once
// The report for a comment on a change, a summary of a CI job, or a wiki: Markdown as GitHub renders it.

#include <string>

#include "reports/analysis/report.h"

namespace coalescope::markdown {

[[nodiscard]] std::string to_markdown(const analysis::Report& report);

}  // namespace coalescope::markdown
