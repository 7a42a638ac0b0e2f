#include "injection/recorder/host_memory.h"

#include <algorithm>
#include <iterator>
#include <mutex>

namespace coalescope::recorder {

void HostMemory::add(std::uint64_t address, std::uint64_t bytes) {
  if (bytes == 0) return;
  const std::unique_lock lock(mutex_);
  ends_[address] = address + bytes;
  const std::uint64_t first = address >> kBlockBits, last = (address + bytes - 1) >> kBlockBits;
  for (std::uint64_t block = first; block <= last && block - first < kBlocks; ++block)
    blocks_[block % kBlocks / kWordBits] |= std::uint64_t{1} << block % kWordBits;
  lowest_ = std::min(lowest_.load(), address);
  highest_ = std::max(highest_.load(), address + bytes);
  ++changes_;
}

void HostMemory::remove(std::uint64_t address) {
  const std::unique_lock lock(mutex_);
  ends_.erase(address);
  ++changes_;
}

bool HostMemory::holds(std::uint64_t address) const {
  if (address < lowest_.load(std::memory_order_relaxed) ||
      address >= highest_.load(std::memory_order_relaxed))
    return false;
  const std::uint64_t block = address >> kBlockBits;
  const std::uint64_t near = blocks_[block % kBlocks / kWordBits].load(std::memory_order_relaxed);
  if ((near >> block % kWordBits & 1) == 0) return false;
  const std::shared_lock lock(mutex_);
  const auto after = ends_.upper_bound(address);
  return after != ends_.begin() && address < std::prev(after)->second;
}

}  // namespace coalescope::recorder
