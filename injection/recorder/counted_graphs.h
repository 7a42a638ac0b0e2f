#pragma once
// Graph launches whose kernels were counted where the launch was made. Their records tell times only, and may
// come many seconds late.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace coalescope::recorder {

class CountedGraphs {
 public:
  // Of any thread.
  void add(std::uint32_t correlation) { slot(correlation).store(correlation, std::memory_order_release); }
  [[nodiscard]] bool contains(std::uint32_t correlation) {
    return correlation != 0 && slot(correlation).load(std::memory_order_acquire) == correlation;
  }

 private:
  static constexpr std::size_t kSlots = std::size_t{1} << 18;

  [[nodiscard]] std::atomic<std::uint32_t>& slot(std::uint32_t correlation) {
    return slots_[correlation % kSlots];
  }

  std::array<std::atomic<std::uint32_t>, kSlots> slots_{};
};

}  // namespace coalescope::recorder
