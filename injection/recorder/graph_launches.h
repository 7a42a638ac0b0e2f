#pragma once
// What is known of a graph launch when the records of its kernels come, many seconds later at times: either
// the kernels were counted at the launch, and records tell their times only, or a list has the groups that
// they belong to. By the correlation id.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace coalescope::recorder {

class GraphLaunches {
 public:
  static constexpr std::uint32_t kCounted = 0;  // else the number of a list of groups

  // Of any thread.
  void add(std::uint32_t correlation, std::uint32_t number) {
    slot(correlation).store(std::uint64_t{correlation} << 32U | number, std::memory_order_release);
  }
  [[nodiscard]] std::optional<std::uint32_t> find(std::uint32_t correlation) {
    const std::uint64_t found = slot(correlation).load(std::memory_order_acquire);
    if (correlation == 0 || found >> 32U != correlation) return std::nullopt;
    return static_cast<std::uint32_t>(found);
  }

 private:
  static constexpr std::size_t kSlots = std::size_t{1} << 18U;

  [[nodiscard]] std::atomic<std::uint64_t>& slot(std::uint32_t correlation) {
    return slots_[correlation % kSlots];
  }

  std::array<std::atomic<std::uint64_t>, kSlots> slots_{};
};

}  // namespace coalescope::recorder
