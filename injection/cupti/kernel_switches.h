#pragma once
// When kernel records were off in a long run. Seen on an H200 (driver 580.159, CUPTI 13.0): when records are
// switched off, those of the last graphs have an end that is 71 to 73 ms too late. Such records give no time.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <mutex>

namespace coalescope::cupti {

// By any thread. All times are of CUPTI's clock, and come in order.
class KernelSwitches {
 public:
  // Call it before the records are switched off.
  void switched_off(std::uint64_t at);
  // Call it after they are switched on again.
  void switched_on(std::uint64_t at);
  // Whether they were off at any time from `start` to `end`.
  [[nodiscard]] bool were_off(std::uint64_t start, std::uint64_t end);

 private:
  // Of some ten hours. No record comes that late.
  static constexpr std::size_t kMost = 4096;
  struct Off {
    std::uint64_t from = 0, to = std::numeric_limits<std::uint64_t>::max();
  };
  std::mutex mutex_;
  std::deque<Off> all_;
};

}  // namespace coalescope::cupti
