#pragma once
// Runs the target as if the shell had: environment, start, signals, job control, and the way it ended.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "tool/inheritance.h"
#include "tool/settings.h"

namespace coalescope::tool {

// Descriptors 0 to 2 that the caller closed would be given to the next file that is opened, and messages
// would land in a capture. They are filled with /dev/null until the target has them closed again.
void occupy_standard_descriptors();

// The caller's environment with `settings` in it and `library` last in LD_PRELOAD.
[[nodiscard]] std::vector<std::string> target_environment(char* const* inherited, const Settings& settings,
                                                          const std::string& library);

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

// Starts the target and waits for its end. Fails only if it could not be started: with ErrorCode::failed for
// want of room (processes, memory), where become_target() may still succeed.
[[nodiscard]] base::Result<Ending> run_target(const Target& target, const Inheritance& inheritance);

// Runs the target in coalescope's place, with the environment of the caller. Returns only if that fails.
[[nodiscard]] base::Error become_target(const Target& target);

// Ends coalescope as the target ended: by the same signal (without a core file of its own) or status.
[[noreturn]] void end_like(const Ending& ending);

}  // namespace coalescope::tool
