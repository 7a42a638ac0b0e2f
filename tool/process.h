#pragma once
// Runs the target as if the shell had: environment, start, signals, job control, and the way it ended.

#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "tool/settings.h"

namespace coalescope::tool {

// Descriptors 0 to 2 that the caller closed would be given to the next file that is opened, and messages
// would land in a capture. They are filled with /dev/null until the target has them closed again.
void occupy_standard_descriptors();

// The caller's environment with `settings` in it and `library` first in LD_PRELOAD.
[[nodiscard]] std::vector<std::string> target_environment(char* const* inherited, const Settings& settings,
                                                          const std::string& library);

// Holds back the signals that a person or a job scheduler sends, from before the start of the target until
// its capture is written: they are for the target. Those still waiting at the end are dropped.
class SignalHold {
 public:
  SignalHold();
  ~SignalHold();
  SignalHold(const SignalHold&) = delete;
  SignalHold& operator=(const SignalHold&) = delete;

  const sigset_t& held() const { return held_; }
  void restore() const;  // what the caller had set: for a child between fork and exec

 private:
  sigset_t held_{};
  sigset_t mask_{};
  struct sigaction child_action_ {};
};

// How the target ended: exactly one of the two.
struct Ending {
  std::optional<int> exit_status;
  std::optional<int> signal;
  std::chrono::nanoseconds duration{};
};

struct Target {
  std::string path;                    // see find_program()
  std::vector<std::string> arguments;  // with the program's name as it was typed
  std::vector<std::string> environment;
  bool discard_output = false;  // what it writes to stdout goes nowhere
};

// Starts the target and waits for its end. Fails only if it could not be started.
[[nodiscard]] base::Result<Ending> run_target(const Target& target, const SignalHold& hold);

// Ends coalescope as the target ended: by the same signal (without a core file of its own) or status.
[[noreturn]] void end_like(const Ending& ending);

}  // namespace coalescope::tool
