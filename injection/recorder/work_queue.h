#pragma once
// The way from callbacks to the writer thread: bounded, never waits. When it is full the item is refused and
// the caller counts a diagnostic.

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <utility>

namespace coalescope::recorder {

template <class Item>
class WorkQueue {
 public:
  explicit WorkQueue(std::size_t capacity) : capacity_(capacity) {}

  [[nodiscard]] bool push(Item item) {
    {
      const std::lock_guard lock(mutex_);
      if (refusable_ >= capacity_) return false;
      ++refusable_;
      items_.push_back(std::move(item));
    }
    wake_.notify_one();
    return true;
  }

  // For the few that others refer to, and of which the caller keeps a copy anyway: never refused.
  void push_always(Item item) {
    {
      const std::lock_guard lock(mutex_);
      items_.push_back(std::move(item));
    }
    wake_.notify_one();
  }

  // All that waits, in order; empty after `patience` or when woken.
  [[nodiscard]] std::deque<Item> take(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, patience, [&] { return !items_.empty() || woken_; });
    woken_ = false;
    refusable_ = 0;
    return std::exchange(items_, {});
  }

  void wake() {
    {
      const std::lock_guard lock(mutex_);
      woken_ = true;
    }
    wake_.notify_one();
  }

 private:
  const std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Item> items_;
  std::size_t refusable_ = 0;  // of them, those that the capacity is for
  bool woken_ = false;
};

}  // namespace coalescope::recorder
