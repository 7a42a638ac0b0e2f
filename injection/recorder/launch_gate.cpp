#include "injection/recorder/launch_gate.h"

#include <thread>

namespace coalescope::recorder {

bool LaunchGate::enter_native() {
  // Count first, look afterwards: shut() sets the flag first and counts afterwards, so one of the two sees
  // the other. Sequential consistency is what makes that true.
  in_flight_.fetch_add(1, std::memory_order_seq_cst);
  if (!shut_.load(std::memory_order_seq_cst)) return true;
  exit_native();
  return false;
}

bool LaunchGate::shut(std::chrono::nanoseconds owner_patience, std::chrono::nanoseconds launch_patience) {
  const auto now = std::chrono::steady_clock::now;
  {
    std::unique_lock lock(mutex_);
    if (!freed_.wait_until(lock, now() + owner_patience, [this] { return !owned_; })) return false;
    owned_ = true;
  }
  const auto deadline = now() + launch_patience;
  shut_.store(true, std::memory_order_seq_cst);
  while (in_flight_.load(std::memory_order_seq_cst) != 0) {
    if (now() > deadline) {
      release();
      return false;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(5));
  }
  return true;
}

void LaunchGate::release() {
  shut_.store(false, std::memory_order_seq_cst);
  {
    const std::lock_guard lock(mutex_);
    owned_ = false;
  }
  freed_.notify_one();
}

void LaunchGate::release_into_native() {
  in_flight_.fetch_add(1, std::memory_order_seq_cst);
  release();
}

}  // namespace coalescope::recorder
