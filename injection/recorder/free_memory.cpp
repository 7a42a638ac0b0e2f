#include "injection/recorder/free_memory.h"

namespace coalescope::recorder {
namespace {

// Other processes may take memory meanwhile: with less than this free, the driver is asked each time.
constexpr std::int64_t kPlentyBytes = std::int64_t{4} << 30;
constexpr std::int64_t kHoldsNs = 100'000'000;

}  // namespace

std::optional<std::int64_t> FreeMemory::before(std::int64_t bytes, std::optional<model::DeviceId> device,
                                               std::int64_t now_ns, const Ask& ask) {
  if (!device) return ask();
  {
    const std::lock_guard lock(mutex_);
    const auto known = answers_.find(device->value);
    if (known != answers_.end() && now_ns - known->second.told_ns < kHoldsNs &&
        known->second.bytes - bytes >= kPlentyBytes) {
      known->second.bytes -= bytes;
      return known->second.bytes + bytes;
    }
  }
  const auto told = ask();
  const std::lock_guard lock(mutex_);
  if (told)
    answers_[device->value] = {*told - bytes, now_ns};
  else
    answers_.erase(device->value);
  return told;
}

}  // namespace coalescope::recorder
