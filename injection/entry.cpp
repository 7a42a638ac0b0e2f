// The library's way in: what the driver, NVTX and the preloaded library call, and nothing else. A program
// that uses none of them never loads it.
//
//   1. The driver, in cuInit, loads what CUDA_INJECTION64_PATH names and calls InitializeInjection.
//   2. NVTX, at its first use, loads what NVTX_INJECTION64_PATH names and calls InitializeInjectionNvtx2.
//   3. fork: the child's copy of the recording is dead. A child that is forked before there is one has its
//   own.
//   4. When the program uses CUPTI itself, cupti/target_calls.cpp calls coalescope_target_called.
//   5. Under `record --modules` Python calls coalescope_enter_module and coalescope_leave_modules: see
//      injection/modules/sitecustomize.py.
//   6. Under `record --allocations pytorch` PyTorch calls coalescope_torch_block_taken and
//      coalescope_torch_block_given_back, through the same hook.

#include <atomic>
#include <pthread.h>

#include "injection/cupti/guarded.h"
#include "injection/cupti/injection.h"
#include "injection/cupti/nvtx_injection.h"
#include "injection/recorder/module_stack.h"

namespace {

void watch_forks() {
  static std::atomic<bool> watching{false};
  if (watching.exchange(true)) return;
  const auto before = [] { coalescope::cupti::hold_nvtx(); };
  const auto in_parent = [] { coalescope::cupti::release_nvtx(); };
  const auto in_child = [] {
    coalescope::cupti::release_nvtx();
    if (!coalescope::cupti::abandon_in_child()) return coalescope::cupti::forget_nvtx();
    coalescope::cupti::silence_nvtx();
    coalescope::recorder::ModuleStack::silence();
  };
  pthread_atfork(before, in_parent, in_child);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjection(void) noexcept {
  static std::atomic<bool> begun{false};
  if (begun.exchange(true)) return 1;
  watch_forks();  // another thread may fork meanwhile
  coalescope::cupti::begin_injection();
  return 1;
}

// Called once for each copy of NVTX in the process.
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    const void* (*get_export_table)(unsigned int)) noexcept {
  watch_forks();
  coalescope::cupti::begin_nvtx(get_export_table);
  return 1;
}

extern "C" __attribute__((visibility("default"))) void coalescope_target_called(
    const coalescope::cupti::TargetCallInfo* info) noexcept {
  if (!coalescope::cupti::Inside::already()) coalescope::cupti::target_called(*info);
}

extern "C" __attribute__((visibility("default"))) void coalescope_enter_module(const char* name) noexcept {
  coalescope::cupti::guarded("modules", [&] { coalescope::recorder::ModuleStack::enter(name); });
}

extern "C" __attribute__((visibility("default"))) void coalescope_leave_modules(unsigned int depth) noexcept {
  coalescope::recorder::ModuleStack::leave(depth);
}

// With PyTorch's own thread inside of its allocator, which holds no lock.
extern "C" __attribute__((visibility("default"))) void coalescope_torch_block_taken(
    unsigned long long address) noexcept {
  coalescope::cupti::torch_block(address, true);
}

extern "C" __attribute__((visibility("default"))) void coalescope_torch_block_given_back(
    unsigned long long address) noexcept {
  coalescope::cupti::torch_block(address, false);
}
