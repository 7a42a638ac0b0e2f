#pragma once
// `coalescope record`: runs a program with the injected library, once unless told otherwise, and leaves one
// capture.

#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "tool/process.h"

namespace coalescope::tool {

struct RecordOptions {
  std::vector<std::string> command;  // the target and its arguments
  // nullopt: NAME-YYYYmmdd-HHMMSS.coal in the current folder; see expand_name() for the marks in it.
  std::optional<std::string> output;
  bool force = false;      // replace a file that is no capture
  bool no_source = false;  // keep source lines out of the capture
  bool no_code = false;    // and machine code
  bool rerun = false;      // run the program again for each thing to measure; see tool/rerun.h
  Settings settings;       // for the injected library; see core/model/options.h
};

struct RecordOutcome {
  Ending ending;
  std::optional<std::string> capture_path;  // nullopt: it could not be written, and a warning said why
};

// Fails only if the target was not started; ErrorCode::not_found and not_permitted are about the program,
// failed about want of room beside it, everything else about us.
[[nodiscard]] base::Result<RecordOutcome> record(const RecordOptions& options);

// The subcommand: returns only if the target was not started, else ends as the target did.
int run(const RecordOptions& options);

// Where all that record() lacked is room, the program takes coalescope's place, and a warning says so.
// Returns why nothing was started.
[[nodiscard]] base::Error without_recording(const RecordOptions& options, const base::Error& why);

// Says why nothing was started; the exit status that belongs to it.
int not_started(const base::Error& error);

}  // namespace coalescope::tool
