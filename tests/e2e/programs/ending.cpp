// Writes how a program ended to a file: "exit 3" or "signal 11". A shell cannot tell the second from "exit
// 139".
#include <cstdio>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  pid_t child = -1;
  if (posix_spawnp(&child, argv[2], nullptr, nullptr, argv + 2, environ) != 0) return 2;
  int status = 0;
  if (waitpid(child, &status, 0) != child) return 2;
  std::FILE* file = std::fopen(argv[1], "w");
  if (file == nullptr) return 2;
  if (WIFSIGNALED(status))
    std::fprintf(file, "signal %d\n", WTERMSIG(status));
  else
    std::fprintf(file, "exit %d\n", WEXITSTATUS(status));
  std::fclose(file);
}
