#pragma once
// Locks a mutex unless that takes too long: a thread of the target may be cancelled while it holds one of
// ours. Not a timed_mutex: the thread sanitizer of GCC 12 does not see how that one is locked.

#include <chrono>
#include <mutex>
#include <thread>

namespace coalescope::base {

// Without the mutex: the deadline has passed.
inline std::unique_lock<std::mutex> lock_until(std::mutex& mutex,
                                               std::chrono::steady_clock::time_point deadline) {
  constexpr std::chrono::microseconds kPause{50};
  std::unique_lock lock(mutex, std::try_to_lock);
  while (!lock && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(kPause);
    (void)lock.try_lock();
  }
  return lock;
}

}  // namespace coalescope::base
