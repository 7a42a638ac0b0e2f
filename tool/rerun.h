#pragma once
// `record --rerun`: the program is run again for each thing that is to be measured, so that a kernel that it
// launches once has everything. Which run measures what, and what can be said of how they ended.

#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

#include "core/base/error.h"
#include "core/model/diagnostic.h"
#include "tool/process.h"
#include "tool/settings.h"

namespace coalescope::tool {

// The first run is only traced, because its times, launches and transfers are the capture's; then one run a
// phase, for a launch can be measured in one way only. `environment` holds what was asked for. Measuring
// slows later runs alone, so they have no budget unless one was asked for.
struct Run {
  std::string measures;  // "trace", "bytes", ...
  Settings settings;     // those that differ from the asked ones
};
std::vector<Run> plan_runs(const std::vector<std::string>& environment);

// The program's input, given to each run from its beginning.
class RepeatedInput {
 public:
  // Refuses a pipe or a socket: what the first run has read is gone.
  [[nodiscard]] static base::Result<RepeatedInput> of_stdin();
  void rewind() const;

 private:
  explicit RepeatedInput(off_t start) : start_(start) {}
  off_t start_;  // -1: a terminal or a device, which has no beginning
};

// What one run came to.
struct Ended {
  Run run;
  Ending ending;
};

// The first ending that is not exit status 0, else the first: what the caller sees.
Ending ending_of(const std::vector<Ended>& runs);

// What was done, and each run that ended otherwise than the first.
std::vector<model::Diagnostic> remarks_on(const std::vector<Ended>& runs, std::size_t planned);

}  // namespace coalescope::tool
