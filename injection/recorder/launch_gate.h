#pragma once
// Lets native launches pass at the cost of two atomic operations, and lets one thread stop all others'
// launches while a window is entered or left, or a launch is measured. Every wait has a deadline: a launch
// that waited too long runs anyway, and the window that it ran into is discarded.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace coalescope::recorder {

class LaunchGate {
 public:
  // True: go on natively, and call exit_native() afterwards. False: the gate is shut.
  bool enter_native();
  // The same, once whoever has shut it is done; before anybody shuts it again. False: that took too long.
  [[nodiscard]] bool pass(std::chrono::nanoseconds patience);
  void exit_native() { in_flight_.fetch_sub(1, std::memory_order_acq_rel); }

  // Waits until this thread is alone: nobody else holds the gate (a first configuration takes its owner over
  // a second), nobody waits to pass, and then no native launch is in flight.
  [[nodiscard]] bool shut(std::chrono::nanoseconds owner_patience, std::chrono::nanoseconds launch_patience);
  // Ends what shut() began.
  void release();
  // Ends it with a native launch of this thread, which calls exit_native() afterwards: nobody comes between.
  void release_into_native();

  // True while a thread is alone.
  [[nodiscard]] bool is_shut() const { return shut_.load(std::memory_order_seq_cst); }

  // A launch that could not wait any longer goes through; the count tells the window's owner.
  void force() { forced_.fetch_add(1, std::memory_order_acq_rel); }
  [[nodiscard]] std::int64_t forced() const { return forced_.load(std::memory_order_acquire); }

 private:
  std::mutex mutex_;
  std::condition_variable freed_;
  bool owned_ = false;
  int passing_ = 0;  // threads
  std::atomic<bool> shut_{false};
  std::atomic<std::int64_t> in_flight_{0};
  std::atomic<std::int64_t> forced_{0};
};

}  // namespace coalescope::recorder
