#pragma once
// When kernel records were off in a long run. Seen on an H200 (driver 580.159, CUPTI 13.0): the last graphs
// that are launched before they are switched off have records whose end is 71 to 73 ms too late. Such records
// tell no time.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <mutex>

namespace coalescope::cupti {

// By any thread. All times are of CUPTI's clock, and come in order.
class KernelSwitches {
 public:
  // The call that does so begins.
  void switched_off(std::uint64_t at);
  // The call that does so has ended.
  void switched_on(std::uint64_t at);
  // Whether they were off at any time from `start` to `end`.
  [[nodiscard]] bool were_off(std::uint64_t start, std::uint64_t end);

 private:
  // Some ten hours, and more than any record is late.
  static constexpr std::size_t kMost = 4096;
  struct Off {
    std::uint64_t from = 0, to = std::numeric_limits<std::uint64_t>::max();
  };
  std::mutex mutex_;
  std::deque<Off> all_;
};

}  // namespace coalescope::cupti
