#pragma once
// Which addresses are those of memory that the GPU shares with the host: pinned, registered and managed. A
// kernel reads it at another speed than its own memory, so it distinguishes launches.

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
  // Most programs have little of it: what lies outside of all of it takes no lock.
  [[nodiscard]] bool holds(std::uint64_t address) const;

 private:
  mutable std::shared_mutex mutex_;
  std::map<std::uint64_t, std::uint64_t> ends_;  // by where it begins
  std::atomic<std::uint64_t> lowest_{UINT64_MAX};
  std::atomic<std::uint64_t> highest_{0};  // of all that there ever was
};

}  // namespace coalescope::recorder
