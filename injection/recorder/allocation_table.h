#pragma once
// Pairs what was allocated with when it was given back. Used by the writer thread; a row is written once it
// is complete, or at the next commit, and then again when it ends.

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/model/memory.h"

namespace coalescope::recorder {

// A call that gave memory back.
struct FreeCall {
  std::int64_t ns = 0;  // how long it took
  std::optional<model::CallSiteId> site;
};

class AllocationTable {
 public:
  // Without an id. An address that is in use already was given back without our seeing it.
  void allocated(const model::Allocation& row);
  void freed(std::int64_t address, std::int64_t time_ns);
  // The call has returned that gave memory back at `freed_ns`. Another allocation may have the address by
  // now.
  void free_returned(std::int64_t address, std::int64_t freed_ns, const FreeCall& call);
  // Of the one that begins there now; nullopt: none that is listed.
  [[nodiscard]] std::optional<model::AllocationId> at(std::int64_t address) const;

  struct Changed {
    std::vector<model::Allocation> rows;  // to be replaced
    std::int64_t dropped = 0;             // beyond the limit, since the last call
  };
  [[nodiscard]] Changed take_changed();

 private:
  struct Live {
    model::Allocation row;
    bool written = false;
  };

  std::unordered_map<std::int64_t, Live> live_;                        // by address
  std::vector<std::int64_t> unwritten_;                                // addresses
  std::map<std::pair<std::int64_t, std::int64_t>, Live> being_freed_;  // by address and `freed_ns`
  std::vector<model::Allocation> ended_;
  std::int64_t last_id_ = 0;
  std::int64_t dropped_ = 0;
};

}  // namespace coalescope::recorder
