#pragma once
// `coalescope explain`: the page of a rule in the terminal.

#include <string>

namespace coalescope::tool {

struct ExplainOptions {
  std::string rule;
};

// The subcommand: its exit status.
int run(const ExplainOptions& options);

}  // namespace coalescope::tool
