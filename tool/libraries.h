#pragma once
// The libraries that record, where they lie, and who is told of them.

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/model/diagnostic.h"
#include "tool/settings.h"

namespace coalescope::tool {

struct Libraries {
  std::string preloaded;  // by the loader, into every program of the run
  std::string injected;   // by the driver and by NVTX, into programs that use them
};

[[nodiscard]] base::Result<Libraries> find_libraries();

// The variables that name the injected library to the driver and to NVTX. Each has room for one tool: another
// one that holds it in the caller's environment keeps it.
[[nodiscard]] Settings injection_settings(const std::string& injected);

// Where a setting needs the hook in Python: PYTHONPATH with the hook's folder in front, which takes it out
// again.
[[nodiscard]] base::Result<Settings> hook_settings(const Settings& chosen);

// What the capture says of another tool that holds the driver's variable.
[[nodiscard]] std::vector<model::Diagnostic> remark_on_other_tool(const std::string& injected);

}  // namespace coalescope::tool
