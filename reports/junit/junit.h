#pragma once
// The gate's answer as tests, for what shows JUnit's XML: a test case a violation, and one a kernel that has
// none. What is suppressed is skipped.

#include <string>

#include "reports/gate/gate.h"

namespace coalescope::junit {

[[nodiscard]] std::string to_junit(const gate::Result& result);

}  // namespace coalescope::junit
