// Sends each signal to a program, under COMMAND if there is one, and prints how it ended. The same lines must
// come out with and without coalescope.
//   every_signal [COMMAND...]         a word with %s in it gets a name for each run
//   every_signal --target KIND SIGNAL the program: dies of the signal, catches it, or ignores it
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <string>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

constexpr int kHighest = 64;
constexpr int kSurvived = 70;       // exit status: the signal did nothing, and input ended
constexpr int kAtOnce = 16;         // runs beside each other
constexpr int kPatienceMs = 20000;  // a busy machine
constexpr int kSettleMs = 100;      // for signals to be passed on, where nothing tells that they were
constexpr std::array kKinds{"dies", "catches", "ignores"};

// As the kernel has them: the C library hides signals 32 and 33.
void block(int signal) {
  const std::uint64_t set = std::uint64_t{1} << (signal - 1);
  syscall(SYS_rt_sigprocmask, SIG_BLOCK, &set, nullptr, sizeof set);
}
void ignore(int signal) {
  const std::array<std::uint64_t, 4> action{reinterpret_cast<std::uint64_t>(SIG_IGN), 0, 0, 0};
  syscall(SYS_rt_sigaction, signal, action.data(), nullptr, sizeof(std::uint64_t));
}
int wait_for(int signal) {
  const std::uint64_t set = std::uint64_t{1} << (signal - 1);
  return static_cast<int>(syscall(SYS_rt_sigtimedwait, &set, nullptr, nullptr, sizeof set));
}

// Says its number when it is ready, and ends at the latest when its input does.
int be_target(const std::string& kind, int signal) {
  if (kind == "catches") block(signal);
  if (kind == "ignores") ignore(signal);
  std::printf("%d\n", getpid());
  std::fflush(stdout);
  if (kind == "catches") return wait_for(signal) == signal ? signal : kSurvived + 1;
  char byte = 0;
  while (read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR) {
  }
  return kSurvived;
}

struct Run {
  std::string name, kind;
  int signal = 0;
  pid_t pid = -1, target = -1;
  int input = -1, output = -1;
};

void start(Run& run, const std::string& self, const std::vector<std::string>& command) {
  std::vector<std::string> words = command;
  for (std::string& word : words)
    if (const auto mark = word.find("%s"); mark != std::string::npos) word.replace(mark, 2, run.name);
  for (const std::string& word : {self, std::string("--target"), run.kind, std::to_string(run.signal)})
    words.push_back(word);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  std::array<int, 2> in{}, out{};
  if (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0) std::abort();
  run.pid = fork();
  if (run.pid == 0) {
    setpgid(0, 0);  // a group of its own, or nothing would stop at a stop signal
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    execvp(pointers[0], pointers.data());
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  run.input = in[1];
  run.output = out[0];
}

std::string read_line(int descriptor) {
  std::string line;
  for (char byte = 0; line.find('\n') == std::string::npos;) {
    pollfd ready{descriptor, POLLIN, 0};
    if (poll(&ready, 1, kPatienceMs) != 1 || read(descriptor, &byte, 1) != 1) break;
    line += byte;
  }
  return line;
}

// The status when it changes; 0 after so many milliseconds without.
int change_within(pid_t pid, int milliseconds) {
  int status = 0;
  for (; milliseconds > 0; milliseconds -= 5) {
    if (waitpid(pid, &status, WNOHANG | WUNTRACED) == pid) return status == 0 ? -1 : status;
    usleep(5000);
  }
  return 0;
}

bool is_gone(pid_t pid) {
  for (int i = 0; i < 200; ++i, usleep(5000))
    if (kill(pid, 0) != 0) return true;
  return false;
}

// What the kernel does of itself with a program that neither catches nor ignores the signal.
bool ends_it(const Run& run) {
  if (run.kind != "dies") return run.kind == "catches";
  for (const int harmless : {SIGCHLD, SIGCONT, SIGURG, SIGWINCH, SIGTSTP, SIGTTIN, SIGTTOU})
    if (run.signal == harmless) return false;
  return true;
}

void finish(Run& run) {
  std::string said;
  int status = change_within(run.pid, ends_it(run) ? kPatienceMs : 5);
  if (WIFSTOPPED(status) && status != -1) {
    said = " stopped by " + std::to_string(WSTOPSIG(status)) + ",";
    kill(run.pid, SIGCONT);
    status = 0;
  }
  close(run.input);
  if (status == 0) status = change_within(run.pid, kPatienceMs);
  if (status == 0) {
    kill(-run.pid, SIGKILL);
    said += " hung";
  } else if (status != -1 && WIFSIGNALED(status)) {
    said += " signal " + std::to_string(WTERMSIG(status));
  } else {
    said += " exit " + std::to_string(status == -1 ? 0 : WEXITSTATUS(status));
  }
  if (run.target > 0 && !is_gone(run.target)) said += ", and the program was left behind";
  std::printf("%d %s:%s\n", run.signal, run.kind.c_str(), said.c_str());
  close(run.output);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::strcmp(argv[1], "--target") == 0) return be_target(argv[2], std::atoi(argv[3]));
  const std::vector<std::string> command(argv + 1, argv + argc);
  std::vector<Run> runs;
  for (int signal = 1; signal <= kHighest; ++signal)
    for (const char* kind : kKinds)
      if (signal != SIGKILL && signal != SIGSTOP)
        runs.push_back({"signal-" + std::to_string(signal) + '-' + kind, kind, signal});
  for (std::size_t first = 0; first < runs.size(); first += kAtOnce) {
    const std::size_t last = std::min(runs.size(), first + kAtOnce);
    for (std::size_t i = first; i < last; ++i) start(runs[i], argv[0], command);
    for (std::size_t i = first; i < last; ++i) runs[i].target = std::atoi(read_line(runs[i].output).c_str());
    for (std::size_t i = first; i < last; ++i) kill(runs[i].pid, runs[i].signal);
    usleep(kSettleMs * 1000);
    for (std::size_t i = first; i < last; ++i) finish(runs[i]);
  }
}
