// The library's way in: what the loader and the driver call, and nothing else.
//
//   1. The loader preloads us into every program of the run. The constructor only tells the driver and NVTX
//      where we are; a program that never uses CUDA pays for two environment variables.
//   2. The driver, in cuInit, loads what CUDA_INJECTION64_PATH names and calls InitializeInjection.
//   3. NVTX, at its first use, loads what NVTX_INJECTION64_PATH names and calls InitializeInjectionNvtx2.
//   4. fork: the child's copy of the recording is dead.

#include <atomic>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include "injection/cupti/injection.h"
#include "injection/cupti/nvtx_injection.h"

namespace {

constexpr const char* kDriverVariable = "CUDA_INJECTION64_PATH";
constexpr const char* kNvtxVariable = "NVTX_INJECTION64_PATH";

__attribute__((constructor)) void point_the_driver_here() {
  Dl_info self{};
  if (dladdr(reinterpret_cast<const void*>(&point_the_driver_here), &self) == 0 || self.dli_fname == nullptr)
    return;
  // Each variable has room for one tool: another that holds it keeps it, and `coalescope record` says so.
  setenv(kDriverVariable, self.dli_fname, 0);
  setenv(kNvtxVariable, self.dli_fname, 0);
}

void watch_forks() {
  static std::atomic<bool> watching{false};
  if (watching.exchange(true)) return;
  pthread_atfork(nullptr, nullptr, [] {
    coalescope::cupti::abandon_in_child();
    coalescope::cupti::silence_nvtx();
  });
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjection(void) noexcept {
  static std::atomic<bool> begun{false};
  if (begun.exchange(true)) return 1;
  coalescope::cupti::begin_injection();
  watch_forks();
  return 1;
}

// Called once for each copy of NVTX in the process.
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    const void* (*get_export_table)(unsigned int)) noexcept {
  coalescope::cupti::begin_nvtx(get_export_table);
  watch_forks();
  return 1;
}
