#pragma once
// Which launches of a thread are timed. A full stream makes room for many launches at once, so one launch
// waits for long and the many behind it do not wait. A sample would find few of these waits, so all launches
// are timed at first, and behind one that waited. Of the others a sample is timed, at random distances
// because programs repeat themselves.

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
  static constexpr std::uint32_t kAll = 4096;  // four times what a stream has room for
  static constexpr std::uint32_t kOneIn = 16;  // of the others

  // How many launches the next one stands for; 0: it is not timed.
  std::uint32_t next() {
    if (all_ > 0) {
      --all_;
      return 1;
    }
    if (--left_ > 0) return 0;
    left_ = 1 + random_below(2 * kOneIn - 1);
    return kOneIn;
  }

  // A launch that was timed took longer than usual.
  void waited() { all_ = kAll; }

 private:
  std::uint32_t random_below(std::uint32_t limit) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return state_ % limit;
  }

  std::uint32_t all_ = kAll;
  std::uint32_t left_ = kOneIn;  // until the next one of the sample
  std::uint32_t state_ = 2463534242;
};

}  // namespace coalescope::recorder
