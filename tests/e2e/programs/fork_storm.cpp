// Forks three generations of processes, each of which starts a program, and prints how many came to a good
// end.
#include <array>
#include <cstdio>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

int start_true() {
  std::array<char, 5> name{"true"};
  std::array<char*, 2> arguments{name.data(), nullptr};
  pid_t child = -1;
  if (posix_spawnp(&child, name.data(), nullptr, nullptr, arguments.data(), environ) != 0) return 0;
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? 1 : 0;
}

// How many processes from this one on ended well.
int storm(int generations) {
  int good = start_true();
  if (generations == 0) return good;
  std::array<pid_t, 4> children{};
  for (pid_t& child : children) {
    child = fork();
    if (child == 0) _exit(storm(generations - 1));
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    good += WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  }
  return good;
}

}  // namespace

int main() {
  std::printf("%d\n", storm(3));
}
