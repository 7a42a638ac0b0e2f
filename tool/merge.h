#pragma once
// `coalescope merge`: one capture of several, such as those of the ranks of a job that recorded themselves.

#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/model/run.h"

namespace coalescope::tool {

struct MergeOptions {
  std::string output;
  bool force = false;  // replace a file that is no capture
  std::vector<std::string> captures;
};

// The subcommand: its exit status.
int run(const MergeOptions& options);

// What the captures say together of the run: from the first beginning to the last end; the end that was not
// well, if there is one. They must not be empty.
[[nodiscard]] model::Capture united(const std::vector<model::Capture>& captures);

}  // namespace coalescope::tool
