#include "injection/cupti/gpu_wait.h"

#include <algorithm>
#include <thread>

namespace coalescope::cupti {
namespace {

using std::chrono::nanoseconds;

// Most kernels are short, and the range of a launch lasts until its end is seen: sleeping adds 1 % at most.
constexpr nanoseconds kSpin = std::chrono::milliseconds(5);
constexpr nanoseconds kLongestSleep = std::chrono::milliseconds(1);
constexpr int kPartOfTheWait = 100;

base::Result<void> still_busy() {
  return base::failure(base::ErrorCode::busy, "the GPU was still busy",
                       "its work may wait for what the program does next");
}

}  // namespace

GpuWait::Mark& GpuWait::mark_of(std::uint32_t uid) {
  const std::lock_guard lock(mutex_);
  return marks_[uid];
}

base::Result<void> GpuWait::wait(CUcontext context, std::uint32_t uid, nanoseconds patience) {
  Mark& mark = mark_of(uid);
  // What it covers still runs: a new event would not be complete either.
  if (mark.pending && patience == nanoseconds::zero() && driver_.query(mark.event) == CUDA_ERROR_NOT_READY)
    return still_busy();
  if (const CUresult code = driver_.mark(context, mark.event); code != CUDA_SUCCESS)
    return waiting_failed(code);
  auto idle = wait_for_event([&] { return driver_.query(mark.event); }, patience);
  mark.pending = !idle && idle.error().code == base::ErrorCode::busy;
  return idle;
}

base::Result<void> wait_for_event(const std::function<CUresult()>& query, nanoseconds patience) {
  const auto began = std::chrono::steady_clock::now();
  for (;;) {
    const CUresult code = query();
    if (code == CUDA_SUCCESS) return {};
    if (code != CUDA_ERROR_NOT_READY) return waiting_failed(code);
    const nanoseconds waited = std::chrono::steady_clock::now() - began;
    if (waited >= patience) return still_busy();
    if (waited >= kSpin)
      std::this_thread::sleep_for(std::min({waited / kPartOfTheWait, kLongestSleep, patience - waited}));
  }
}

}  // namespace coalescope::cupti
