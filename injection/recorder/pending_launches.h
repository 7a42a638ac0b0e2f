#pragma once
// The groups of launches whose records have not come. A record knows its launch by the correlation id only,
// and may come many seconds late: CUPTI keeps buffers back (15 s for PyTorch's backward thread).

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "core/model/ids.h"

namespace coalescope::recorder {

class PendingLaunches {
 public:
  // Of any thread. Takes a lock only where another launch still waits in its place.
  void add(std::uint32_t correlation, model::GroupId group);
  // Once a launch; nothing: it was never added.
  [[nodiscard]] std::optional<model::GroupId> take(std::uint32_t correlation);

 private:
  // In each the correlation id, and below it the group's; 0: none. By the correlation id modulo their number.
  static constexpr std::size_t kSlots = std::size_t{1} << 18;

  std::array<std::atomic<std::uint64_t>, kSlots> slots_{};
  std::mutex mutex_;
  std::unordered_map<std::uint32_t, model::GroupId> displaced_;
};

}  // namespace coalescope::recorder
