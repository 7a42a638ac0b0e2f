#pragma once
// Whose launch callbacks are timed, of a thread's launches: the first ones, which are all that a short
// program makes, and later some at random distances, because programs repeat themselves.

#include <cstdint>

namespace coalescope::recorder {

class TimedLaunches {
 public:
  static constexpr std::uint32_t kFirst = 1024;  // are all timed
  static constexpr std::uint32_t kOneIn = 16;    // after the first

  // How many launches the next one stands for; 0: it is not timed.
  std::uint32_t next() {
    if (first_ > 0) return --first_ > 0 ? 1 : plan_next(1);
    return --left_ == 0 ? plan_next(kOneIn) : 0;
  }

 private:
  std::uint32_t plan_next(std::uint32_t stands_for) {
    left_ = 1 + random_below(2 * kOneIn - 1);
    return stands_for;
  }

  std::uint32_t random_below(std::uint32_t limit) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return state_ % limit;
  }

  std::uint32_t first_ = kFirst;
  std::uint32_t left_ = 0;  // until one is timed
  std::uint32_t state_ = 2463534242;
};

}  // namespace coalescope::recorder
