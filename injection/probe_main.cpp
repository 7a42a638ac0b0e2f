// coalescope_probe QUESTION [ARGUMENTS]: see probe.h. It ends with whoever asked, and asks no other tool in.
// Exit status: 0 answered, with an error perhaps; 1 a fault of its own; 2 usage.

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <sys/prctl.h>
#include <vector>

#include "injection/cupti/probe.h"

namespace {

using Words = std::vector<std::string>;

bool ask(const Words& words) {
  using namespace coalescope::cupti;
  const std::string& question = words.front();
  const Words rest(words.begin() + 1, words.end());
  if (question == "driver") return probe_driver(), true;
  if (question == "cupti") return probe_cupti(rest), true;
  if (question == "pythons") return probe_pythons(), true;
  if (question == "metrics") return probe_metrics(rest.empty() ? "" : rest.front()), true;
  if (question != "counters" || rest.empty()) return false;
  return probe_counters(std::atoi(rest.front().c_str()), {rest.begin() + 1, rest.end()}), true;
}

}  // namespace

int main(int argc, char** argv) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const char* variable : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"}) ::unsetenv(variable);
  try {
    if (argc >= 2 && ask(Words(argv + 1, argv + argc))) return std::fflush(stdout) == 0 ? 0 : 1;
    std::fputs("coalescope: error: coalescope_probe wants a question; it is for 'coalescope doctor'\n",
               stderr);
    return 2;
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "coalescope: fatal: %s\n", exception.what());
    return 1;
  }
}
