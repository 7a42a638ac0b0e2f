#pragma once
// `coalescope calibrate`: records the reference kernels, compares what was counted with the closed forms, and
// keeps the verdicts and the bandwidths of this machine in the capture.

#include <span>
#include <string>
#include <vector>

#include "kernels/expected.h"

namespace coalescope::tool {

struct CalibrateOptions {
  std::string output = "calibration.coal";
  std::vector<std::string> families;  // "A3", or "A" for all that begin with it; empty: all
};

// Compares a capture of these cases with their answers, adds the results to it and prints them: the exit
// status of the subcommand.
int judge(const std::string& capture_path, std::span<const kernels::Case* const> cases);

// The subcommand: its exit status.
int run(const CalibrateOptions& options);

}  // namespace coalescope::tool
