#pragma once
// Which launches of a thread are timed. A full stream makes room for many launches at once, so that one in
// many waits for long and the others do not wait at all. Therefore runs of launches are timed. They do not
// come at regular intervals, because programs repeat themselves.

#include <cstdint>

namespace coalescope::recorder {

class TimedLaunches {
 public:
  static constexpr std::uint32_t kFirst = 1024;  // are all timed
  static constexpr std::uint32_t kRun = 64;
  static constexpr std::uint32_t kOneIn = 16;  // after the first

  // How many launches the next one stands for; 0: it is not timed.
  std::uint32_t next() {
    if (left_ == 0) skip_and_run();
    --left_;
    if (left_ >= run_) return 0;
    return weight_;
  }

 private:
  void skip_and_run() {
    weight_ = kOneIn;
    run_ = kRun;
    left_ = kRun + random_below(2 * kRun * (kOneIn - 1) + 1);
  }

  std::uint32_t random_below(std::uint32_t limit) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return state_ % limit;
  }

  std::uint32_t weight_ = 1;
  std::uint32_t run_ = kFirst;   // timed at the end of what is left
  std::uint32_t left_ = kFirst;  // until the next run is planned
  std::uint32_t state_ = 2463534242;
};

}  // namespace coalescope::recorder
