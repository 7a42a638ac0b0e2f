#pragma once
// Waits for all work of a context, with a limit: a kernel may itself wait for this thread, which is about to
// set a flag or to launch another kernel.
//
// cuCtxSynchronize has no limit. An event that covers the whole context (cuCtxRecordEvent) can be polled
// instead: that takes 0.7 to 1.1 us while the GPU is idle, and delays no other work (seen on an H100).

#include <chrono>
#include <cstdint>
#include <cuda.h>
#include <functional>
#include <map>
#include <mutex>

#include "core/base/error.h"
#include "injection/cupti/driver_api.h"

namespace coalescope::cupti {

// Polls an event until it is complete; error `busy`: it is not within `patience`.
[[nodiscard]] base::Result<void> wait_for_event(const std::function<CUresult()>& query,
                                                std::chrono::nanoseconds patience);

class GpuWait {
 public:
  explicit GpuWait(const DriverApi& driver) : driver_(driver) {}

  // Where the driver can mark (DriverApi::can_mark). Error `busy`: work still goes on. `uid` tells contexts
  // apart, whose handles may be used again. Never while a stream captures: that would lose the stream
  // capture.
  [[nodiscard]] base::Result<void> wait(CUcontext context, std::uint32_t uid,
                                        std::chrono::nanoseconds patience);

 private:
  struct Mark {
    CUevent event = nullptr;  // ends with its context
    bool pending = false;     // when it was last polled
  };
  [[nodiscard]] Mark& mark_of(std::uint32_t uid);

  const DriverApi& driver_;
  std::mutex mutex_;
  std::map<std::uint32_t, Mark> marks_;  // each is used by one thread at a time, which owns the launch gate
};

}  // namespace coalescope::cupti
