#pragma once
// The gate's answer for the comment on a change.

#include <string>

#include "reports/gate/gate.h"

namespace coalescope::markdown {

[[nodiscard]] std::string to_markdown(const gate::Result& result);

}  // namespace coalescope::markdown
