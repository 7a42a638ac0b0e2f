#pragma once
// How much memory GPUs have free. Asking the driver for it at each allocation would slow down a program that
// allocates again and again, so where there is plenty an answer holds for a while.

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "core/model/ids.h"

namespace coalescope::recorder {

class FreeMemory {
 public:
  using Ask = std::function<std::optional<std::int64_t>()>;

  // The bytes that are free before an allocation of `bytes`, which count as taken from then on. nullopt:
  // `ask` did not tell. By any thread.
  [[nodiscard]] std::optional<std::int64_t> before(std::int64_t bytes, std::optional<model::DeviceId> device,
                                                   std::int64_t now_ns, const Ask& ask);

 private:
  struct Answer {
    std::int64_t bytes = 0;
    std::int64_t told_ns = 0;
  };
  std::mutex mutex_;
  std::unordered_map<std::int64_t, Answer> answers_;  // by the device
};

}  // namespace coalescope::recorder
