// Order of events: hold signals, fork, hand on in the child what the caller gave us, exec; then wait. While
// waiting
//  - a signal from the terminal has reached the target already, for it is in our process group: nothing to
//  do;
//  - a signal that somebody sent to us alone is passed on, whichever it is;
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

#include "tool/shared_memory.h"

namespace coalescope::tool {

namespace {

using base::ErrorCode;

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (const std::string& string : strings) result.push_back(const_cast<char*>(string.c_str()));
  result.push_back(nullptr);
  return result;
}

// All that exec wants, made before a fork: after it there are only async-signal-safe calls.
class Image {
 public:
  Image(const Target& target, char* const* environment)
      : path_(target.path.c_str()), arguments_(pointers(target.arguments)), environment_(environment) {
    script_arguments_ = arguments_;
    script_arguments_.front() = const_cast<char*>(path_);
    script_arguments_.insert(script_arguments_.begin(), const_cast<char*>("sh"));
  }

  // Returns only if this process could not become the target.
  [[nodiscard]] int become() const {
    ::execve(path_, arguments_.data(), environment_);
    if (errno != ENOEXEC) return errno;
    ::execve("/bin/sh", script_arguments_.data(), environment_);  // without a #! line, as a shell runs it
    return errno;
  }

 private:
  const char* path_;
  std::vector<char*> arguments_;
  std::vector<char*> script_arguments_;
  char* const* environment_;
};

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

// What the caller left may do for the target, and not for coalescope beside it.
base::Error no_room(int code) {
  return {ErrorCode::failed, fmt::format("cannot start a process to record: {}", std::strerror(code)),
          code == EAGAIN  ? "allow more processes ('ulimit -u')"
          : code == E2BIG ? "shorten its arguments or the environment"
                          : "allow more memory ('ulimit -v')"};
}

bool is_want_of_room(int code) {
  return code == E2BIG || code == ENOMEM || code == EAGAIN;
}

bool is_stopped(pid_t child) {
  siginfo_t info{};
  const int flags = WSTOPPED | WNOHANG | WNOWAIT;
  return ::waitid(P_PID, static_cast<id_t>(child), &info, flags) == 0 && info.si_pid == child;
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

// What the kernel sends is about ourselves, or the terminal's and has reached the whole process group: but
// for a hang-up, of which it tells the first process of the session alone. What the target sent to its group
// it has had itself; what we sent to ourselves (a write to a closed pipe) is ours.
bool is_for_target(pid_t child, const siginfo_t& info) {
  if (info.si_code > 0) return info.si_signo == SIGHUP && ::getsid(0) == ::getpid();
  return info.si_pid != child && info.si_pid != ::getpid();
}

Ending wait_for(pid_t child) {
  int stop_signal = 0;  // asked of us, and not yet obeyed: the target decides whether it stops
  bool has_stopped = false;
  for (;;) {
    siginfo_t info{};
    const int signal = next_signal(info);
    if (signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU) stop_signal = signal;
    if (signal == SIGCONT) {
      stop_signal = 0;
      // A shell that brings a job back continues all of it.
      const bool reached_all = std::exchange(has_stopped, false);
      if (is_stopped(child) || (!reached_all && is_for_target(child, info))) pass_on(info, child);
    } else if (signal > 0 && is_for_target(child, info)) {
      pass_on(info, child);
    }
    if (const std::optional<Ending> ending = ending_of(child)) return *ending;
    if (stop_signal != 0 && is_stopped(child)) {
      has_stopped = true;
      undergo(std::exchange(stop_signal, 0));
    }
  }
}

// One coalescope may run under another: the library must not come twice. What the caller preloads stays in
// front: sanitizers end a program in which they are not the first.
std::string preloaded_behind(std::string_view others, std::string_view library) {
  if (others.substr(others.find_last_of(": ") + 1) == library) return std::string(others);
  return others.empty() ? std::string(library) : fmt::format("{}:{}", others, library);
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
      preload = preloaded_behind(entry.substr(name.size() + 1), library);
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

base::Result<Ending> run_target(const Target& target, const Inheritance& inheritance) {
  const std::vector<char*> environment = pointers(target.environment);
  const Image image(target, environment.data());
  const SharedMemory<int> failure_code;  // where the child says why it could not become the target
  if (failure_code.get() == nullptr) return base::failure(no_room(ENOMEM));
  const auto started = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  if (child == 0) {
    inheritance.hand_on();
    if (target.discard_output) discard_stdout();
    *failure_code.get() = image.become();
    ::_exit(127);
  }
  if (child < 0) return base::failure(no_room(errno));
  Ending ending = wait_for(child);
  if (const int code = *failure_code.get(); code != 0)
    return base::failure(is_want_of_room(code) ? no_room(code) : start_error(target.path, code));
  ending.duration = std::chrono::steady_clock::now() - started;
  return ending;
}

base::Error become_target(const Target& target) {
  return start_error(target.path, Image(target, environ).become());
}

void end_like(const Ending& ending) {
  if (!ending.signal) ::_exit(ending.exit_status.value_or(1));
  ::prctl(PR_SET_DUMPABLE, 0);  // a core file would be ours, not the target's
  const rlimit none{};
  ::setrlimit(RLIMIT_CORE, &none);
  undergo(*ending.signal);
  ::_exit(128 + *ending.signal);  // the first process of a container cannot die by its own signal
}

}  // namespace coalescope::tool
