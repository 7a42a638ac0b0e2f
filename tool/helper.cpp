#include "tool/helper.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/scope_exit.h"

namespace coalescope::tool {

namespace {

using base::ErrorCode;
using base::failure;
using Clock = std::chrono::steady_clock;
using Deadline = std::optional<Clock::time_point>;

// Without the prefix of our own messages, for the line becomes part of another one.
std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const std::size_t newline = text.rfind('\n');
  std::string line = newline == std::string::npos ? text : text.substr(newline + 1);
  for (const std::string_view prefix : {"coalescope: error: ", "coalescope: fatal: "})
    if (line.starts_with(prefix)) return line.substr(prefix.size());
  return line;
}

// A helper takes no part in the signals that coalescope holds back, so ^C ends one that takes too long.
pid_t spawn(const std::filesystem::path& program, std::vector<char*>& pointers, int output, int errors,
            int& code) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  base::ScopeExit free_actions([&] { posix_spawn_file_actions_destroy(&actions); });
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  base::ScopeExit free_attributes([&] { posix_spawnattr_destroy(&attributes); });
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t child = -1;
  code = ::posix_spawn(&child, program.c_str(), &actions, &attributes, pointers.data(), environ);
  return child;
}

// poll()'s, for what is left until then; negative: without end.
int milliseconds_until(const Deadline& deadline) {
  if (!deadline) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now()).count();
  return static_cast<int>(std::max<std::int64_t>(left, 0));
}

// False: the pipe has ended.
bool read_some(int descriptor, std::string& text) {
  std::array<char, 4096> buffer{};
  const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  if (text.size() < kMostHelperBytes) text.append(buffer.data(), static_cast<std::size_t>(count));
  return count > 0;
}

// Until both pipes have ended; false: the time was up before.
bool read_both(int output, int errors, HelperAnswer& answer, const Deadline& deadline) {
  std::array<pollfd, 2> pipes{{{output, POLLIN, 0}, {errors, POLLIN, 0}}};
  const std::array texts{&answer.output, &answer.errors};
  while (pipes[0].fd >= 0 || pipes[1].fd >= 0) {
    const int ready = ::poll(pipes.data(), pipes.size(), milliseconds_until(deadline));
    if (ready == 0) return false;
    if (ready < 0 && errno != EINTR) return true;
    for (std::size_t i = 0; ready > 0 && i < pipes.size(); ++i)
      if (pipes[i].revents != 0 && !read_some(pipes[i].fd, *texts[i])) pipes[i].fd = -1;
  }
  return true;
}

// Its pipes may have ended before it does.
bool wait_for(pid_t child, int& status, const Deadline& deadline) {
  if (!deadline) return ::waitpid(child, &status, 0) == child;
  constexpr useconds_t kPauseUs = 1000;
  for (;;) {
    if (::waitpid(child, &status, WNOHANG) != 0) return true;
    if (Clock::now() >= *deadline) return false;
    ::usleep(kPauseUs);
  }
}

struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe() { (void)::pipe2(ends.data(), O_CLOEXEC); }
  ~Pipe() {
    for (const int end : ends)
      if (end >= 0) ::close(end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_input() {
    ::close(ends[1]);
    ends[1] = -1;
  }
};

}  // namespace

base::Result<HelperAnswer> ask_helper(const std::filesystem::path& program, const HelperArguments& arguments,
                                      std::optional<std::chrono::milliseconds> limit) {
  // Whole: a Python tells by it which environment is its own.
  std::vector<char*> pointers{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);

  Pipe output, errors;
  if (output.ends[0] < 0 || errors.ends[0] < 0)
    return failure(ErrorCode::failed, fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  int code = 0;
  const pid_t child = spawn(program, pointers, output.ends[1], errors.ends[1], code);
  output.close_input();
  errors.close_input();
  if (code != 0)
    return failure(ErrorCode::failed,
                   fmt::format("cannot run '{}': {}", program.filename().string(), std::strerror(code)));

  HelperAnswer answer;
  const Deadline deadline = limit ? Deadline(Clock::now() + *limit) : std::nullopt;
  int status = 0;
  answer.timed_out =
      !read_both(output.ends[0], errors.ends[0], answer, deadline) || !wait_for(child, status, deadline);
  if (answer.timed_out) {
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
  }
  if (WIFEXITED(status)) answer.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) answer.signal = WTERMSIG(status);
  return answer;
}

std::string why_not_done(const HelperAnswer& answer) {
  if (answer.timed_out) return "did not end in time";
  if (answer.signal) return fmt::format("was ended by signal {}", *answer.signal);
  return fmt::format("ended with status {}", answer.status.value_or(-1));
}

base::Result<void> run_helper(const std::filesystem::path& program, const HelperArguments& arguments) {
  const auto answer = ask_helper(program, arguments);
  if (!answer) return base::relay(answer);
  if (answer->done()) return {};
  if (const std::string text = last_line(answer->errors); !text.empty())
    return failure(ErrorCode::failed, text);
  return failure(ErrorCode::failed,
                 fmt::format("'{}' {}", program.filename().string(), why_not_done(*answer)));
}

}  // namespace coalescope::tool
