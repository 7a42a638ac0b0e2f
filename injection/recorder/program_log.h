#pragma once
// What the program did beside launches and copies: allocations, parameters that are pointers, L2 windows. The
// target's threads add to it in their callbacks, the writer thread makes rows of it. Seldom used calls, so
// one lock is enough; it is never taken by the launch of a kernel that is known already.

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_set>
#include <variant>
#include <vector>

#include "core/model/memory.h"
#include "injection/recorder/allocation_table.h"
#include "injection/recorder/diagnostics.h"
#include "injection/recorder/host_memory.h"
#include "injection/recorder/nvtx_ranges.h"

namespace coalescope::recorder {

class PartFile;

class ProgramLog {
 public:
  // `host_memory` is told of the program's, and must live as long as this.
  explicit ProgramLog(HostMemory& host_memory) : host_memory_(host_memory) {}

  void allocated(const model::Allocation& allocation);
  // Before the memory is given back: afterwards another thread may be handed the same address. Whether the
  // allocation is listed.
  bool freed(std::uint64_t address, std::int64_t time_ns);
  // The call has returned for which freed() said at `freed_ns` that its memory is listed.
  void free_returned(std::uint64_t address, std::int64_t freed_ns, const FreeCall& call);
  void add(const model::GroupPointer& pointer) { push(pointer); }
  void add(const model::L2Setting& setting) { push(setting); }
  // One that a launch carries is kept once for each group that it differs in.
  void add(const model::L2Window& l2_window);

  // On the writer thread, before a commit.
  void write(PartFile& file, Diagnostics& diagnostics, std::int64_t started_unix_ns, bool last);

 private:
  struct Freed {
    std::int64_t address = 0;
    std::int64_t time_ns = 0;
  };
  struct FreeReturned {
    Freed freed;
    FreeCall call;
  };
  using Event = std::variant<model::Allocation, Freed, FreeReturned, model::GroupPointer, model::L2Window,
                             model::L2Setting>;

  [[nodiscard]] bool has_room();  // for one more; if not, it is counted
  void push(const Event& event);
  void write_ranges(PartFile& file, Diagnostics& diagnostics, std::int64_t started_unix_ns, bool last);
  template <class Row>
  void write_setting(PartFile& file, Row& row, std::int64_t& last);

  HostMemory& host_memory_;
  std::int64_t small_listed_ = 0;
  std::mutex mutex_;
  std::vector<Event> events_;
  std::size_t limited_events_ = 0;  // of these
  std::int64_t dropped_ = 0;
  std::int64_t small_dropped_ = 0;
  std::unordered_set<std::int64_t> listed_;  // addresses: what is freed and not here is nobody's business
  std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t, double, std::int64_t, std::int64_t>>
      launch_l2_windows_;

  // The writer thread's.
  AllocationTable allocations_;
  std::int64_t last_l2_window_ = 0;
  std::int64_t last_setting_ = 0;
  std::int64_t last_range_ = 0;
  std::int64_t settings_dropped_ = 0;
};

}  // namespace coalescope::recorder
