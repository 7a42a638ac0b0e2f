// The C library keeps signals 32 and 33 for itself: it takes them out of every set that it is given. The
// kernel delivers them as any other, and their default is to end the process. So sets are the kernel's here.
#include "tool/inheritance.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace coalescope::tool {

namespace {

using SignalSet = std::uint64_t;  // bit n - 1 stands for signal n

constexpr SignalSet kEverySignal = ~SignalSet{0};
constexpr std::array kTimers{ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};

constexpr SignalSet only(int signal) {
  return SignalSet{1} << (signal - 1);
}

void change_mask(int how, SignalSet set, SignalSet* before = nullptr) {
  ::syscall(SYS_rt_sigprocmask, how, &set, before, sizeof set);
}

int take_signal(siginfo_t* info, const timespec* patience) {
  return static_cast<int>(::syscall(SYS_rt_sigtimedwait, &kEverySignal, info, patience, sizeof kEverySignal));
}

// A core file would be ours, not the target's.
bool is_raised(std::size_t limit) {
  return limit != RLIMIT_CORE;
}

}  // namespace

Inheritance::Inheritance() {
  change_mask(SIG_BLOCK, kEverySignal, &mask_);
  // A caller that ignores SIGCHLD would have the kernel throw away how the target ended.
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &standard, &child_action_);
  for (std::size_t i = 0; i < kTimers.size(); ++i) ::getitimer(kTimers[i], &timers_[i]);
  for (std::size_t i = 0; i < limits_.size(); ++i) {
    const auto resource = static_cast<__rlimit_resource>(i);
    ::getrlimit(resource, &limits_[i]);
    const rlimit highest{limits_[i].rlim_max, limits_[i].rlim_max};
    if (is_raised(i)) ::setrlimit(resource, &highest);
  }
}

Inheritance::~Inheritance() {
  constexpr timespec kNow{};
  while (take_signal(nullptr, &kNow) > 0) {
  }
  restore();
}

void Inheritance::hand_on() const {
  // A timer does not survive a fork.
  for (std::size_t i = 0; i < kTimers.size(); ++i) ::setitimer(kTimers[i], &timers_[i], nullptr);
  restore();
}

void Inheritance::restore() const {
  for (std::size_t i = 0; i < limits_.size(); ++i)
    if (is_raised(i)) ::setrlimit(static_cast<__rlimit_resource>(i), &limits_[i]);
  ::sigaction(SIGCHLD, &child_action_, nullptr);
  change_mask(SIG_SETMASK, mask_);
}

int next_signal(siginfo_t& info) {
  return take_signal(&info, nullptr);
}

void pass_on(const siginfo_t& info, pid_t child) {
  siginfo_t copy = info;
  // With its value, as sigqueue() sent it; what kill() sent cannot be sent in another's name.
  const bool queued = info.si_code == SI_QUEUE;
  if (queued && ::syscall(SYS_rt_sigqueueinfo, child, info.si_signo, &copy) == 0) return;
  ::kill(child, info.si_signo);
}

void undergo(int signal) {
  struct sigaction standard {};
  struct sigaction before {};
  standard.sa_handler = SIG_DFL;
  ::sigaction(signal, &standard, &before);
  // First sent and then let through: one that is waiting already merges with it.
  ::syscall(SYS_tgkill, ::getpid(), ::gettid(), signal);
  SignalSet mask = 0;
  change_mask(SIG_UNBLOCK, only(signal), &mask);
  change_mask(SIG_SETMASK, mask);
  ::sigaction(signal, &before, nullptr);
}

}  // namespace coalescope::tool
