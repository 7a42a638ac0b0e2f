#include "tool/apart.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/log.h"
#include "tool/shared_memory.h"

namespace coalescope::tool {

namespace {

struct Answer {
  std::size_t size = 0;
  std::array<char, 4096> text{};
};

[[noreturn]] void answer_and_exit(Answer& answer, const std::function<std::string()>& work) {
  int status = 1;
  try {
    const std::string text = work();
    answer.size = std::min(text.size(), answer.text.size());
    std::memcpy(answer.text.data(), text.data(), answer.size);
    status = 0;
  } catch (const std::exception& exception) {
    base::log_fatal("{}", exception.what());
  }
  std::fflush(nullptr);
  ::_exit(status);  // the exit handlers are our caller's
}

}  // namespace

base::Result<std::string> run_apart(const std::function<std::string()>& work) {
  const SharedMemory<Answer> answer;
  std::fflush(nullptr);  // or both would write what is waiting
  const pid_t child = answer.get() == nullptr ? -1 : ::fork();
  if (child == 0) answer_and_exit(*answer.get(), work);
  if (child < 0) return work();
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return std::string(answer.get()->text.data(), answer.get()->size);
  return base::failure(base::ErrorCode::failed, WIFSIGNALED(status)
                                                    ? fmt::format("signal {} ended it", WTERMSIG(status))
                                                    : "it ended without an answer");
}

}  // namespace coalescope::tool
