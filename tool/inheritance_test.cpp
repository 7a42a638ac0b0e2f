#include "tool/inheritance.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace coalescope::tool {
namespace {

// In a process of its own: limits, timers and signals belong to all of it.
template <class Test>
int status_of(Test test) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(test() ? 0 : 1);
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

constexpr int kRealTime = 34;  // the first that the C library leaves to programs
constexpr int kLibrarys = 33;  // one of those that it keeps

TEST(Inheritance, HoldsEverySignalBack) {
  for (int signal = 1; signal <= 64; ++signal) {
    if (signal == SIGKILL || signal == SIGSTOP) continue;
    EXPECT_EQ(status_of([&] {
                const Inheritance inheritance;
                ::kill(::getpid(), signal);
                siginfo_t info{};
                return next_signal(info) == signal && info.si_signo == signal;
              }),
              0)
        << "signal " << signal;
  }
}

TEST(Inheritance, DropsWhatIsStillWaiting) {
  EXPECT_EQ(status_of([] {
              {
                const Inheritance inheritance;
                for (const int signal : {SIGTERM, SIGXCPU, kRealTime, kLibrarys}) ::kill(::getpid(), signal);
              }
              return true;
            }),
            0);
}

TEST(Inheritance, RaisesLimitsAndHandsTheCallersOn) {
  EXPECT_EQ(status_of([] {
              rlimit files{};
              ::getrlimit(RLIMIT_NOFILE, &files);
              const rlim_t most = files.rlim_max;
              files.rlim_cur = 20;
              ::setrlimit(RLIMIT_NOFILE, &files);
              const Inheritance inheritance;
              ::getrlimit(RLIMIT_NOFILE, &files);
              if (files.rlim_cur != most) return false;
              inheritance.hand_on();
              ::getrlimit(RLIMIT_NOFILE, &files);
              return files.rlim_cur == 20 && files.rlim_max == most;
            }),
            0);
}

TEST(Inheritance, HandsTimersOn) {
  const int status = status_of([] {
    ::alarm(1);
    const Inheritance inheritance;
    const pid_t target = ::fork();
    if (target == 0) {
      inheritance.hand_on();
      for (;;) ::pause();
    }
    int ended = 0;
    ::waitpid(target, &ended, 0);
    return WIFSIGNALED(ended) && WTERMSIG(ended) == SIGALRM;
  });
  EXPECT_EQ(status, 0);
}

TEST(Inheritance, HandsTheMaskOnWithTheSignalsOfTheCLibrary) {
  EXPECT_EQ(status_of([] {
              const Inheritance inheritance;
              inheritance.hand_on();
              ::kill(::getpid(), kLibrarys);
              return true;  // not reached
            }),
            kLibrarys);
}

TEST(PassOn, KeepsTheValue) {
  EXPECT_EQ(status_of([] {
              const Inheritance inheritance;
              ::sigqueue(::getpid(), kRealTime, sigval{.sival_int = 5});
              siginfo_t info{};
              if (next_signal(info) != kRealTime) return false;
              pass_on(info, ::getpid());
              siginfo_t again{};
              return next_signal(again) == kRealTime && again.si_value.sival_int == 5;
            }),
            0);
}

TEST(Undergo, EndsAsTheSignalDoes) {
  for (const int signal : {SIGTERM, SIGXFSZ, SIGVTALRM, kLibrarys, 64})
    EXPECT_EQ(WTERMSIG(status_of([&] {
                const Inheritance inheritance;
                undergo(signal);
                return true;
              })),
              signal);
}

}  // namespace
}  // namespace coalescope::tool
