#pragma once
// `coalescope calibrate`: records the reference kernels, compares what was counted with the closed forms,
// times the experiments without the recorder, and keeps verdicts and curves in the capture and in the machine
// profile.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/answers/expected.h"
#include "kernels/curves/experiment.h"

namespace coalescope::tool {

struct CalibrateOptions {
  std::optional<std::string> output;  // the capture, or the folder of the twins; see output_of()
  std::vector<std::string> families;  // "A3", or "A" for all that begin with it; empty: all
  bool quick = false;                 // fewer launches, points and repetitions: under 20 s
  bool twins = false;                 // time and record pairs of programs with and without a fault
  bool list = false;                  // name what would run, and run nothing
  bool force = false;                 // replace files of another kind
  std::optional<std::string> html;    // write the page of the capture here
};

[[nodiscard]] std::string output_of(const CalibrateOptions& options);

// Compares a capture of these cases with their answers, adds the results and what was measured natively to
// it, and prints them: the exit status of the subcommand.
int judge(const std::string& capture_path, std::span<const kernels::Case* const> cases,
          std::span<const kernels::Measurement> measurements = {});

// Takes the machine profile from the capture's calibration rows and stores it in the user's data folder. A
// quick calibration does not replace what a whole one has measured.
void keep_profile(const std::string& capture_path, bool quick);

// The subcommand: its exit status.
int run(const CalibrateOptions& options);

}  // namespace coalescope::tool
