#pragma once
// Which launches of a thread are timed. A full stream makes room for many launches at once, so one launch
// waits for long and the many behind it do not wait. Single launches at a fixed interval may miss all of
// these waits. So runs of launches are timed, at random intervals, because programs repeat themselves.

#include <chrono>
#include <cstdint>

namespace coalescope::recorder {

// Within this a launch returns that finds room in its stream: a loop takes 4.0 to 6.2 us a launch, the
// recorder's callback with it (docs/decisions/010). Python's launches may take longer, as nothing of theirs
// is in the caches.
inline constexpr std::chrono::nanoseconds kUsualLaunch(5'000);

struct TimedLaunch {
  std::chrono::steady_clock::time_point began;  // when it went to the driver
  std::uint32_t stands_for = 0;
};

class TimedLaunches {
 public:
  static constexpr std::uint32_t kFirst = 1024;  // are all timed
  static constexpr std::uint32_t kRun = 64;
  static constexpr std::uint32_t kOneIn = 16;  // after the first

  // How many launches the next one stands for; 0: it is not timed.
  std::uint32_t next() {
    if (left_ == 0) plan_next_run();
    return --left_ < run_ ? weight_ : 0;
  }

 private:
  void plan_next_run() {
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
