#pragma once
// What the program times itself: the launches between two events of which it later asks the time. A program
// that chooses between kernels by their times (an autotuner) must choose as it does alone, so that these
// launches are left alone where others can be measured.
//
//   1. recorded(): an event that keeps time is recorded into a stream: a pair opens, or the stream's pair
//   closes
//   2. read(): the program asks for the time between two events, which tells what each of them is for
// Until the first read() it is a guess that an event opens a pair: many programs use events only to wait.

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <unordered_map>

namespace coalescope::recorder {

class EventPairs {
 public:
  void created(std::uint64_t event, bool keeps_time);
  void destroyed(std::uint64_t event);
  void recorded(std::uint64_t event, std::uint64_t stream);
  // How many measured launches the time between the two events contains.
  [[nodiscard]] std::int64_t read(std::uint64_t start, std::uint64_t end);
  // A launch was measured.
  void measured();

  // The open pair, of several the youngest; 0: none is open.
  [[nodiscard]] std::uint64_t open() const { return open_.load(std::memory_order_acquire); }

 private:
  struct Event {
    bool keeps_time = true;
    bool starts = false;        // some time was read from it
    bool ends = false;          // some time was read up to it
    std::int64_t measured = 0;  // launches in the pair that it closed last
  };
  struct Pair {
    std::uint64_t number = 0;
    std::int64_t measured = 0;
  };
  void close(std::uint64_t stream, Event& event);
  void find_youngest();

  std::mutex mutex_;
  std::unordered_map<std::uint64_t, Event> events_;
  std::map<std::uint64_t, Pair> pairs_;  // the open ones, by stream
  std::uint64_t last_number_ = 0;
  std::int64_t unread_ = 0;  // events recorded before the first read()
  bool any_read_ = false;
  std::atomic<std::uint64_t> open_{0};
};

}  // namespace coalescope::recorder
