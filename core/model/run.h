#pragma once
// Rows about the run as a whole: the capture and its processes.

#include <cstdint>
#include <optional>
#include <string>

#include "core/model/ids.h"

namespace coalescope::model {

// One row a file. Times in other tables are nanoseconds since `started_unix_ns`.
struct Capture {
  std::int64_t id = 1;
  std::string tool_version;
  std::string command;  // the target and its arguments as a JSON array: quoting loses nothing
  std::string options;  // the recorder's settings as a JSON object
  std::string working_directory;
  std::int64_t started_unix_ns = 0;
  std::optional<std::int64_t> duration_ns;  // NULL: `record` did not see the end
  std::optional<std::int64_t> exit_status;
  std::optional<std::int64_t> exit_signal;
  bool clean = false;  // the target ended, its processes were merged, nothing was cut off
};

// One row a process that initialised CUDA.
struct Process {
  ProcessId id;
  std::int64_t pid = 0;
  std::int64_t parent_pid = 0;
  std::string host;
  std::string executable;
  std::int64_t began_ns = 0;
  std::optional<std::int64_t> ended_ns;  // NULL: killed, or left by _exit
  std::optional<std::int64_t> driver_version;
  std::optional<std::int64_t> cupti_version;
  bool clean = false;                // everything that was recorded had been written when it ended
  std::int64_t run = 0;              // 0: the program's first run; it may be run again for more readings
  std::optional<std::int64_t> rank;  // of a parallel program (MPI, torchrun); NULL: not told
  std::optional<std::int64_t> local_rank;           // the same on this machine
  std::optional<std::int64_t> recorder_cost_ns;     // what the recorder measured that it cost
  std::optional<std::int64_t> recorder_peak_bytes;  // its own memory
  std::optional<std::string> cupti_path;            // of the libcupti that it was recorded with
  std::optional<std::int64_t> measuring_cost_ns;    // of recorder_cost_ns, what the budget limits
  std::optional<std::int64_t> launch_wait_ns;       // how long launches waited for the GPU
};

}  // namespace coalescope::model
