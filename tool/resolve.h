#pragma once
// `coalescope resolve`: looks source lines up again in a capture that has kept its code for it.

#include <string>

namespace coalescope::tool {

struct ResolveOptions {
  std::string capture;
};

// The subcommand: its exit status.
int run(const ResolveOptions& options);

}  // namespace coalescope::tool
