#pragma once
// The memory that PyTorch's caching allocator manages. It asks CUDA for segments and gives blocks of them to
// tensors; CUDA, and its callbacks, see the segments only. `record --allocations pytorch` brings a hook into
// Python that tells of each block (injection/modules/sitecustomize.py): then a pointer into a segment has the
// call site of its tensor.

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "core/model/ids.h"

namespace coalescope::recorder {

// Whether the allocator's library is on the calling thread's stack, while it asks CUDA for memory. Programs
// without PyTorch pay nothing for it: some of them allocate all the time.
[[nodiscard]] bool torch_pool_calls();

class TorchPool {
 public:
  // Blocks that live at one time. An answer would be wrong if one were missing: after more there is none.
  static constexpr std::size_t kMostBlocks = 500'000;

  // A block begins at that address, for a tensor made there.
  void block_taken(std::uint64_t address, std::optional<model::CallSiteId> site);
  void block_given_back(std::uint64_t address);
  // Who asked for the block that holds the address; `segment`: where its segment begins.
  [[nodiscard]] std::optional<model::CallSiteId> site_of(std::uint64_t address, std::uint64_t segment) const;

  [[nodiscard]] bool was_told() const;
  [[nodiscard]] bool is_full() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::optional<model::CallSiteId>> blocks_;  // by their beginnings
  bool told_ = false;
  bool full_ = false;
};

}  // namespace coalescope::recorder
