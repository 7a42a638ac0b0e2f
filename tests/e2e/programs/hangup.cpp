// Runs a command as the first process of a session on a terminal of its own, as ssh -t does, hangs up, and
// prints how it ended. The same must come out with and without coalescope.
#include <array>
#include <csignal>
#include <cstdio>
#include <pty.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

// hangup COMMAND: the command prints "ready PID" of the process that must not outlive it.
int main(int argc, char** argv) {
  if (argc < 2) return 2;
  alarm(30);  // a command that nothing ends must not hang the test
  int terminal = -1;
  const pid_t leader = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (leader == 0) {
    execvp(argv[1], argv + 1);
    _exit(127);
  }
  std::string seen;
  std::array<char, 256> buffer{};
  while (seen.find("ready") == std::string::npos || seen.back() != '\n') {
    const ssize_t count = read(terminal, buffer.data(), buffer.size());
    if (count <= 0) return 1;
    seen.append(buffer.data(), static_cast<std::size_t>(count));
  }
  const pid_t target = std::stoi(seen.substr(seen.find("ready") + 5));
  close(terminal);
  int status = 0;
  waitpid(leader, &status, 0);
  bool left = true;
  for (int i = 0; left && i < 200; ++i, usleep(5000)) left = kill(target, 0) == 0;
  std::printf("signal %d%s\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0,
              left ? ", and it was left behind" : "");
}
