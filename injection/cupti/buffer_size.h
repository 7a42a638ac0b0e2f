#pragma once
// How much room the next activity buffer has. CUPTI hands over full buffers only, so the more records come,
// the larger a buffer may be: one should be full within half a second.

#include <chrono>
#include <cstddef>

namespace coalescope::cupti {

class BufferSize {
 public:
  using Time = std::chrono::steady_clock::time_point;

  static constexpr std::size_t kLeast = std::size_t{1} << 13;  // some 40 kernels
  static constexpr std::size_t kMost = std::size_t{1} << 17;   // some 600

  // In bytes. CUPTI asks for a buffer when the one before is full: soon after it had asked for that one if
  // there are many records, and then the next buffer is twice as large; late if there are few, and then half
  // as large.
  [[nodiscard]] std::size_t next(Time now);

 private:
  std::size_t bytes_ = kLeast;
  Time asked_{};
};

}  // namespace coalescope::cupti
