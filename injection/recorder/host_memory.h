#pragma once
// Which addresses are those of memory that the GPU shares with the host: pinned, registered and managed. A
// kernel reads it at another speed than its own memory, so it distinguishes launches.

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <shared_mutex>

namespace coalescope::recorder {

// By any thread.
class HostMemory {
 public:
  void add(std::uint64_t address, std::uint64_t bytes);
  void remove(std::uint64_t address);
  // Takes no lock for nearly all addresses of the GPU's own memory, though they lie among the host's.
  [[nodiscard]] bool holds(std::uint64_t address) const;
  // How often it changed what it holds.
  [[nodiscard]] std::uint64_t changes() const { return changes_.load(std::memory_order_acquire); }

 private:
  // A bit for each block of addresses, by its number modulo theirs: set if memory of the host ever was there.
  static constexpr std::uint64_t kBlockBits = 21, kBlocks = std::uint64_t{1} << 16, kWordBits = 64;

  mutable std::shared_mutex mutex_;
  std::map<std::uint64_t, std::uint64_t> ends_;  // by where it begins
  std::atomic<std::uint64_t> lowest_{UINT64_MAX};
  std::atomic<std::uint64_t> highest_{0};  // of all that there ever was
  std::atomic<std::uint64_t> changes_{0};
  std::array<std::atomic<std::uint64_t>, kBlocks / kWordBits> blocks_{};
};

}  // namespace coalescope::recorder
