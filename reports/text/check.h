#pragma once
// The gate's answer for a terminal.

#include <string>

#include "reports/gate/gate.h"
#include "reports/text/text.h"

namespace coalescope::text {

[[nodiscard]] std::string to_text(const gate::Result& result, const TextOptions& options);

}  // namespace coalescope::text
