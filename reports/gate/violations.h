#pragma once
// Everything that a policy could object to, before suppressions.

#include <vector>

#include "reports/gate/gate.h"

namespace coalescope::gate {

[[nodiscard]] std::vector<Violation> violations_of(const analysis::Report& report,
                                                   const comparison::Comparison* comparison,
                                                   const Policy& policy);

}  // namespace coalescope::gate
