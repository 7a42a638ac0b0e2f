#pragma once
// What the caller gave to the program that it started, and what is therefore the target's: how signals are
// treated, timers, limits. coalescope lives by its own rules while the target runs, and hands all of it on.

#include <array>
#include <csignal>
#include <cstdint>
#include <sys/resource.h>
#include <sys/time.h>

namespace coalescope::tool {

// Our own rules, from before the start of the target until its capture is written:
//  - every signal is held back, for it is meant for the target. Those still waiting at the end are dropped.
//    Faults of our own end us all the same, and so does SIGKILL;
//  - our limits are as high as they may be set: the caller's are for the target.
class Inheritance {
 public:
  Inheritance();
  ~Inheritance();
  Inheritance(const Inheritance&) = delete;
  Inheritance& operator=(const Inheritance&) = delete;

  // As the caller had it, in a child between fork and exec: only async-signal-safe calls.
  void hand_on() const;

 private:
  void restore() const;

  std::uint64_t mask_ = 0;
  struct sigaction child_action_ {};
  std::array<itimerval, 3> timers_{};
  std::array<rlimit, RLIM_NLIMITS> limits_{};
};

// The next signal that was held back; negative if there is none before something else interrupts the wait.
[[nodiscard]] int next_signal(siginfo_t& info);

// Sends it to `child` with all that came with it.
void pass_on(const siginfo_t& info, pid_t child);

// Has the signal do to us what it does by default, once: end us, unless this is the first process of a
// container, or stop us until we are continued.
void undergo(int signal);

}  // namespace coalescope::tool
