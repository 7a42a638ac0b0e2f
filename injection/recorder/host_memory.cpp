#include "injection/recorder/host_memory.h"

#include <algorithm>
#include <iterator>
#include <mutex>

namespace coalescope::recorder {

void HostMemory::add(std::uint64_t address, std::uint64_t bytes) {
  if (bytes == 0) return;
  const std::unique_lock lock(mutex_);
  ends_[address] = address + bytes;
  lowest_ = std::min(lowest_.load(), address);
  highest_ = std::max(highest_.load(), address + bytes);
}

void HostMemory::remove(std::uint64_t address) {
  const std::unique_lock lock(mutex_);
  ends_.erase(address);
}

bool HostMemory::holds(std::uint64_t address) const {
  if (address < lowest_.load(std::memory_order_relaxed) ||
      address >= highest_.load(std::memory_order_relaxed))
    return false;
  const std::shared_lock lock(mutex_);
  const auto after = ends_.upper_bound(address);
  return after != ends_.begin() && address < std::prev(after)->second;
}

}  // namespace coalescope::recorder
