// Plays a terminal and the shell in it: starts a job, stops it with ^Z, brings it back to the foreground,
// ends it with ^C, and prints what it saw. The same lines must come out with and without coalescope.
#include <array>
#include <csignal>
#include <cstdio>
#include <pty.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace {

// The shell: puts the job into a group of its own, gives it the terminal, and says how it changes.
[[noreturn]] void run_shell(char** command) {
  signal(SIGTTOU, SIG_IGN);
  const pid_t job = fork();
  setpgid(job, 0);
  if (job == 0) {
    tcsetpgrp(STDIN_FILENO, getpid());
    signal(SIGTTOU, SIG_DFL);
    execvp(command[0], command);
    _exit(127);
  }
  int status = 0;
  while (waitpid(job, &status, WUNTRACED) == job && WIFSTOPPED(status)) {
    std::printf("shell: stopped by %d\n", WSTOPSIG(status));
    std::fflush(stdout);
    tcsetpgrp(STDIN_FILENO, job);
    kill(-job, SIGCONT);
  }
  if (WIFSIGNALED(status))
    std::printf("shell: ended by %d\n", WTERMSIG(status));
  else
    std::printf("shell: exit %d\n", WEXITSTATUS(status));
  std::fflush(stdout);
  _exit(0);
}

// Reads what appears on the terminal until `text` was there; false at its end.
bool wait_for(int terminal, std::string& seen, const std::string& text) {
  std::array<char, 256> buffer{};
  while (seen.find(text) == std::string::npos) {
    const ssize_t count = read(terminal, buffer.data(), buffer.size());
    if (count <= 0) {
      std::printf("saw no '%s' in: %s\n", text.c_str(), seen.c_str());
      return false;
    }
    seen.append(buffer.data(), static_cast<std::size_t>(count));
  }
  seen.erase(0, seen.find(text) + text.size());
  std::printf("saw: %s\n", text.c_str());
  return true;
}

void press(int terminal, char key) {
  [[maybe_unused]] const ssize_t written = write(terminal, &key, 1);
}

}  // namespace

// terminal COMMAND: the command prints "ready", and "again" once it was continued.
int main(int argc, char** argv) {
  if (argc < 2) return 2;
  alarm(30);  // a job that nobody brings back must not hang the test
  int terminal = -1;
  const pid_t shell = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (shell == 0) run_shell(argv + 1);
  std::string seen;
  if (!wait_for(terminal, seen, "ready")) return 1;
  press(terminal, 'Z' - '@');
  if (!wait_for(terminal, seen, "shell: stopped by 20")) return 1;
  if (!wait_for(terminal, seen, "again")) return 1;
  press(terminal, 'C' - '@');
  return wait_for(terminal, seen, "shell: ended by 2") ? 0 : 1;
}
