#pragma once
// `coalescope recover`: makes a capture of what a killed recording has left.

#include <filesystem>
#include <optional>
#include <string>

namespace coalescope::tool {

struct RecoverOptions {
  std::optional<std::string> folder;  // nullopt: all that lie in the current folder
  std::optional<std::string>
      output;          // nullopt: the name that the recording was to have, or that with a number
  bool force = false;  // replace a file that is no capture
};

// The subcommand: its exit status.
int run(const RecoverOptions& options);

// Says in a line that a killed recording has left something in `folder`, and how it is recovered.
void mention_leftovers(const std::filesystem::path& folder);

}  // namespace coalescope::tool
