// Order of events: hold signals, fork, restore in the child, exec; then wait. While waiting
//  - a signal from the terminal has reached the target already, for it is in our process group: nothing to
//  do;
//  - a signal that somebody sent to us alone is passed on;
//  - when the target stops at a stop signal that reached us too (^Z), we stop, so that the shell sees its job
//    stop. A stop that was meant for the target alone is not followed: who ends it may not know of us;
//  - when we are continued, so is the target.
#include "tool/process.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "core/base/scope_exit.h"

namespace coalescope::tool {

namespace {

using base::ErrorCode;
using base::failure;

constexpr std::array kHeldSignals{SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM,
                                  SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, SIGCHLD, SIGPIPE};

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (const std::string& string : strings) result.push_back(const_cast<char*>(string.c_str()));
  result.push_back(nullptr);
  return result;
}

// Runs in the child; returns only if it could not become the target. Only async-signal-safe calls.
int become(const char* path, char* const* arguments, char* const* script_arguments,
           char* const* environment) {
  ::execve(path, arguments, environment);
  if (errno != ENOEXEC) return errno;
  ::execve("/bin/sh", script_arguments, environment);  // a script without a #! line, as a shell runs it
  return errno;
}

// In the child, too.
void discard_stdout() {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) ::dup2(nowhere, STDOUT_FILENO);
}

base::Error start_error(const std::string& path, int code) {
  if (code == ENOENT)
    return {ErrorCode::not_found, fmt::format("cannot run '{}': its interpreter or loader is missing", path),
            "check its first line, or 'file' on it"};
  if (code == E2BIG)
    return {ErrorCode::not_permitted,
            fmt::format("cannot run '{}': arguments and environment are too long", path), "shorten them"};
  return {ErrorCode::not_permitted, fmt::format("cannot run '{}': {}", path, std::strerror(code)), {}};
}

bool is_stopped(pid_t child) {
  siginfo_t info{};
  const int flags = WSTOPPED | WNOHANG | WNOWAIT;
  return ::waitid(P_PID, static_cast<id_t>(child), &info, flags) == 0 && info.si_pid == child;
}

// Raising a held signal and then letting it through once: one that the terminal sent us as well merges with
// it.
void stop_like(int signal) {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  struct sigaction standard {};
  struct sigaction before {};
  standard.sa_handler = SIG_DFL;
  ::sigaction(signal, &standard, &before);
  ::raise(signal);
  ::sigprocmask(SIG_UNBLOCK, &one, nullptr);
  ::sigprocmask(SIG_BLOCK, &one, nullptr);
  ::sigaction(signal, &before, nullptr);
}

// How the child ended, if it has. A stop is left as it is, for is_stopped() to find.
std::optional<Ending> ending_of(pid_t child) {
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG) != 0 || info.si_pid != child)
    return std::nullopt;
  Ending ending;
  (info.si_code == CLD_EXITED ? ending.exit_status : ending.signal) = info.si_status;
  return ending;
}

// The terminal signals the whole process group, and what the target sent to its group it has had itself. An
// alarm is the exception: it was set for the program that would run here, and it does not survive a fork.
bool has_reached(pid_t child, int signal, const siginfo_t& info) {
  return (info.si_code == SI_KERNEL && signal != SIGALRM) || info.si_pid == child;
}

Ending wait_for(pid_t child, const sigset_t& held) {
  int stop_signal = 0;  // asked of us, and not yet obeyed: the target decides whether it stops
  for (;;) {
    siginfo_t info{};
    const int signal = ::sigwaitinfo(&held, &info);
    if (signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU) stop_signal = signal;
    if (signal == SIGCONT) {
      stop_signal = 0;
      if (is_stopped(child)) ::kill(child, SIGCONT);
    } else if (signal > 0 && signal != SIGCHLD && signal != SIGPIPE && !has_reached(child, signal, info)) {
      ::kill(child, signal);
    }
    if (const std::optional<Ending> ending = ending_of(child)) return *ending;
    if (stop_signal != 0 && is_stopped(child)) stop_like(std::exchange(stop_signal, 0));
  }
}

}  // namespace

std::vector<std::string> target_environment(char* const* inherited, const Settings& settings,
                                            const std::string& library) {
  constexpr std::string_view kPreload = "LD_PRELOAD";
  std::vector<std::string> result;
  std::string preload = library;
  for (; *inherited != nullptr; ++inherited) {
    const std::string_view entry = *inherited;
    const std::string_view name = entry.substr(0, entry.find('='));
    if (name == kPreload && name.size() < entry.size()) {
      const std::string_view others = entry.substr(name.size() + 1);
      // One coalescope may run under another: the library must not come twice.
      if (others.substr(0, others.find_first_of(": ")) == library)
        preload = others;
      else if (!others.empty())
        preload.append(":").append(others);
    } else if (!settings.contains(name)) {
      result.emplace_back(entry);
    }
  }
  result.push_back(fmt::format("{}={}", kPreload, preload));
  for (const auto& [name, value] : settings) result.push_back(fmt::format("{}={}", name, value));
  return result;
}

void occupy_standard_descriptors() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    // The lowest free number is taken, and all below this one are in use.
    if (::fcntl(descriptor, F_GETFD) == -1) ::open("/dev/null", O_RDWR | O_CLOEXEC);
  }
}

SignalHold::SignalHold() {
  sigemptyset(&held_);
  for (const int signal : kHeldSignals) sigaddset(&held_, signal);
  ::sigprocmask(SIG_BLOCK, &held_, &mask_);
  // A caller that ignores SIGCHLD would have the kernel throw away how the target ended.
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &standard, &child_action_);
}

SignalHold::~SignalHold() {
  constexpr timespec kNow{};
  while (::sigtimedwait(&held_, nullptr, &kNow) > 0) {
  }
  restore();
}

void SignalHold::restore() const {
  ::sigaction(SIGCHLD, &child_action_, nullptr);
  ::sigprocmask(SIG_SETMASK, &mask_, nullptr);
}

base::Result<Ending> run_target(const Target& target, const SignalHold& hold) {
  const std::vector<char*> arguments = pointers(target.arguments);
  const std::vector<char*> environment = pointers(target.environment);
  std::vector<char*> script_arguments = arguments;
  script_arguments.front() = const_cast<char*>(target.path.c_str());
  script_arguments.insert(script_arguments.begin(), const_cast<char*>("sh"));

  // The child says through this pipe why it could not become the target; success closes it.
  std::array<int, 2> report{};
  if (::pipe2(report.data(), O_CLOEXEC) != 0)
    return failure(ErrorCode::failed, fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  const auto started = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  if (child == 0) {
    hold.restore();
    if (target.discard_output) discard_stdout();
    const int code =
        become(target.path.c_str(), arguments.data(), script_arguments.data(), environment.data());
    [[maybe_unused]] const ssize_t written = ::write(report[1], &code, sizeof code);
    ::_exit(127);
  }
  const int fork_code = errno;
  ::close(report[1]);
  base::ScopeExit close_report([&] { ::close(report[0]); });
  if (child < 0)
    return failure(ErrorCode::failed, fmt::format("cannot start a process: {}", std::strerror(fork_code)));
  int code = 0;
  if (::read(report[0], &code, sizeof code) == sizeof code) {
    ::waitpid(child, nullptr, 0);
    return tl::unexpected(start_error(target.path, code));
  }
  Ending ending = wait_for(child, hold.held());
  ending.duration = std::chrono::steady_clock::now() - started;
  return ending;
}

void end_like(const Ending& ending) {
  if (!ending.signal) ::_exit(ending.exit_status.value_or(1));
  ::prctl(PR_SET_DUMPABLE, 0);  // a core file would be ours, not the target's
  const rlimit none{};
  ::setrlimit(RLIMIT_CORE, &none);
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  ::sigaction(*ending.signal, &standard, nullptr);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, *ending.signal);
  ::sigprocmask(SIG_UNBLOCK, &one, nullptr);
  ::raise(*ending.signal);
  ::_exit(128 + *ending.signal);  // the first process of a container cannot die by its own signal
}

}  // namespace coalescope::tool
