// Ends in the way that its argument names, after 40 launches.
#include <signal.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "work.cuh"

__global__ void trap() {
  __trap();
}

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "return";
  if (how == "fork_before" && fork() == 0) _exit(7);
  Work work;
  for (int i = 0; i < 40; ++i) work.launch(nullptr);
  CHECK(cudaDeviceSynchronize());
  std::puts(work.right() ? "right" : "WRONG");
  std::fflush(stdout);
  if (how == "sleep_then_kill") {
    sleep(2);  // what was committed by now must be found
    kill(getpid(), SIGKILL);
  }
  if (how == "exit") std::exit(42);
  if (how == "_exit") _exit(43);
  if (how == "abort") std::abort();
  if (how == "exception") throw std::runtime_error("uncaught");
  if (how == "cuda_error") {
    trap<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize());
  }
  if (how == "fork_after") {
    const pid_t child = fork();
    if (child == 0) std::exit(5);  // runs the exit handlers that it inherited
    int status = 0;
    waitpid(child, &status, 0);
    std::printf("child %d\n", WEXITSTATUS(status));
  }
  if (how == "fork_before") wait(nullptr);
  if (how == "reset") CHECK(cudaDeviceReset());
  return 0;
}
