#pragma once
// A comparison for the comment on a change.

#include <string>

#include "reports/comparison/comparison.h"
#include "reports/comparison/tables.h"

namespace coalescope::markdown {

[[nodiscard]] std::string to_markdown(const comparison::Table& table);
[[nodiscard]] std::string to_markdown(const comparison::Comparison& comparison);

}  // namespace coalescope::markdown
