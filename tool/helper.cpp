#include "tool/helper.h"

#include <array>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/scope_exit.h"

namespace coalescope::tool {

namespace {

using base::ErrorCode;
using base::failure;

// A helper that talks without end must not fill our memory.
constexpr std::size_t kMostErrorBytes = 65'536;

std::string read_errors(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t count = 0; (count = ::read(descriptor, buffer.data(), buffer.size())) > 0;)
    if (text.size() < kMostErrorBytes) text.append(buffer.data(), static_cast<std::size_t>(count));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

// Without the prefix of our own messages, for the line becomes part of another one.
std::string last_line(const std::string& text) {
  const std::size_t newline = text.rfind('\n');
  std::string line = newline == std::string::npos ? text : text.substr(newline + 1);
  for (const std::string_view prefix : {"coalescope: error: ", "coalescope: fatal: "})
    if (line.starts_with(prefix)) return line.substr(prefix.size());
  return line;
}

// A helper takes no part in the signals that coalescope holds back, so ^C ends one that takes too long.
pid_t spawn(const std::filesystem::path& program, std::vector<char*>& pointers, int error_pipe, int& code) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  base::ScopeExit free_actions([&] { posix_spawn_file_actions_destroy(&actions); });
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, error_pipe, STDERR_FILENO);
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

}  // namespace

base::Result<void> run_helper(const std::filesystem::path& program,
                              const std::vector<std::string>& arguments) {
  const std::string name = program.filename().string();
  std::vector<char*> pointers{const_cast<char*>(name.c_str())};
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);

  std::array<int, 2> errors{};
  if (::pipe2(errors.data(), O_CLOEXEC) != 0)
    return failure(ErrorCode::failed, fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  int code = 0;
  const pid_t child = spawn(program, pointers, errors[1], code);
  ::close(errors[1]);
  base::ScopeExit close_errors([&] { ::close(errors[0]); });
  if (code != 0)
    return failure(ErrorCode::failed, fmt::format("cannot run '{}': {}", name, std::strerror(code)));

  const std::string text = last_line(read_errors(errors[0]));
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  if (!text.empty()) return failure(ErrorCode::failed, text);
  const std::string end = WIFSIGNALED(status) ? fmt::format("was ended by signal {}", WTERMSIG(status))
                                              : fmt::format("ended with status {}", WEXITSTATUS(status));
  return failure(ErrorCode::failed, fmt::format("'{}' {}", name, end));
}

}  // namespace coalescope::tool
