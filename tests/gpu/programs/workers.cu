// Processes that use CUDA, in the ways in which they come to be:
//   before   two workers are forked before CUDA starts, and use it as their parent does
//   after    two workers are forked after CUDA has started, and compute on the host alone (the DataLoader's
//   way) spawn    two workers are started anew after CUDA has started, and use it exec     the program
//   replaces itself, and begins again once     one worker's work, and no more
#include <chrono>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "work.cuh"

namespace {

void work_once() {
  Work work;
  for (int i = 0; i < 40; ++i) work.launch(nullptr);
  CHECK(cudaDeviceSynchronize());
  if (!work.right()) std::exit(8);
}

int sum_of_statuses(const std::vector<pid_t>& children) {
  int sum = 0;
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    sum += WIFEXITED(status) ? WEXITSTATUS(status) : 100;
  }
  return sum;
}

template <class Body>
std::vector<pid_t> forked(const Body& body) {
  std::vector<pid_t> children;
  for (int n = 0; n < 2; ++n) {
    const pid_t child = fork();
    if (child == 0) {
      body();
      std::exit(3);
    }
    children.push_back(child);
  }
  return children;
}

int sum_on_host() {
  std::vector<int> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), 0);
  return std::accumulate(numbers.begin(), numbers.end(), 0);
}

std::vector<pid_t> spawned(char* program) {
  std::vector<pid_t> children(2);
  char once[] = "once";
  char* arguments[] = {program, once, nullptr};
  for (pid_t& child : children)
    if (posix_spawn(&child, program, nullptr, nullptr, arguments, environ) != 0) std::exit(7);
  return children;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "once";
  std::vector<pid_t> children;
  if (how == "before") children = forked(work_once);
  work_once();
  if (how == "after")
    children = forked([] {
      if (sum_on_host() != 499500) std::exit(6);
    });
  if (how == "spawn") children = spawned(argv[0]);
  if (how == "exec") {
    // Nobody tells a library that its program is about to be replaced: what was written by now is kept.
    std::this_thread::sleep_for(std::chrono::seconds(2));
    char once[] = "once";
    char* arguments[] = {argv[0], once, nullptr};
    execv(argv[0], arguments);
    return 5;
  }
  const int sum = sum_of_statuses(children);
  std::printf("%s: children %zu, statuses %d\n", how.c_str(), children.size(), sum);
  return 0;
}
