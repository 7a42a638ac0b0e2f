#include "injection/recorder/launch_gate.h"

#include <thread>

namespace coalescope::recorder {
namespace {

// A launch takes some microseconds, and to sleep takes 50 more than one asks for.
constexpr std::chrono::microseconds kAwake{50};
constexpr std::chrono::microseconds kAsleep{5};

}  // namespace

bool LaunchGate::enter_native() {
  // Count first, look afterwards: shut() sets the flag first and counts afterwards, so one of the two sees
  // the other. Sequential consistency is what makes that true.
  in_flight_.fetch_add(1, std::memory_order_seq_cst);
  if (!shut_.load(std::memory_order_seq_cst)) return true;
  exit_native();
  return false;
}

bool LaunchGate::pass(std::chrono::nanoseconds patience) {
  if (enter_native()) return true;
  std::unique_lock lock(mutex_);
  ++passing_;
  const bool open =
      freed_.wait_until(lock, std::chrono::steady_clock::now() + patience, [this] { return !owned_; });
  if (open) in_flight_.fetch_add(1, std::memory_order_seq_cst);
  --passing_;
  lock.unlock();
  freed_.notify_all();
  return open;
}

bool LaunchGate::shut(std::chrono::nanoseconds owner_patience, std::chrono::nanoseconds launch_patience) {
  const auto now = std::chrono::steady_clock::now;
  {
    std::unique_lock lock(mutex_);
    if (!freed_.wait_until(lock, now() + owner_patience, [this] { return !owned_ && passing_ == 0; }))
      return false;
    owned_ = true;
  }
  const auto began = now();
  shut_.store(true, std::memory_order_seq_cst);
  while (in_flight_.load(std::memory_order_seq_cst) != 0) {
    const auto waited = now() - began;
    if (waited > launch_patience) {
      release();
      return false;
    }
    if (waited < kAwake)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(kAsleep);
  }
  return true;
}

void LaunchGate::release() {
  shut_.store(false, std::memory_order_seq_cst);
  {
    const std::lock_guard lock(mutex_);
    owned_ = false;
  }
  freed_.notify_all();
}

void LaunchGate::release_into_native() {
  in_flight_.fetch_add(1, std::memory_order_seq_cst);
  release();
}

}  // namespace coalescope::recorder
