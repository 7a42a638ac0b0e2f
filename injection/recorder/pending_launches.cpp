#include "injection/recorder/pending_launches.h"

namespace coalescope::recorder {
namespace {

// Records that CUPTI drops never come.
constexpr std::size_t kMostDisplaced = std::size_t{1} << 18;

std::uint32_t correlation_of(std::uint64_t slot) {
  return static_cast<std::uint32_t>(slot >> 32U);
}

model::GroupId group_of(std::uint64_t slot) {
  return model::GroupId{static_cast<std::int64_t>(slot & 0xFFFF'FFFFU)};
}

}  // namespace

void PendingLaunches::add(std::uint32_t correlation, model::GroupId group) {
  const std::uint64_t launch = std::uint64_t{correlation} << 32U | static_cast<std::uint64_t>(group.value);
  const std::uint64_t before = slots_[correlation % kSlots].exchange(launch, std::memory_order_acq_rel);
  if (before == 0) return;
  const std::lock_guard lock(mutex_);
  if (displaced_.size() < kMostDisplaced) displaced_[correlation_of(before)] = group_of(before);
}

std::optional<model::GroupId> PendingLaunches::take(std::uint32_t correlation) {
  auto& slot = slots_[correlation % kSlots];
  std::uint64_t held = slot.load(std::memory_order_acquire);
  if (held != 0 && correlation_of(held) == correlation && slot.compare_exchange_strong(held, 0))
    return group_of(held);
  const std::lock_guard lock(mutex_);
  const auto found = displaced_.extract(correlation);
  return found.empty() ? std::nullopt : std::optional(found.mapped());
}

}  // namespace coalescope::recorder
