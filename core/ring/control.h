#pragma once
// Where processes that begin to record find a ring of their own. `record` makes it before the target starts;
// its name travels in the environment. The writer process keeps a few rings on offer; a process takes one by
// one compare-and-swap, and needs nobody's help for it.

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>

#include "core/base/error.h"
#include "core/ring/segment.h"

namespace coalescope::ring {

// Processes that record at the same time.
inline constexpr std::size_t kMostRings = 1024;

class Control {
 public:
  [[nodiscard]] static base::Result<Control> create();
  // On another machine, or in a container of its own, there is none of this name.
  [[nodiscard]] static base::Result<Control> attach(std::string_view name);

  // "<segment>:<random>": the second part tells that a segment of this number is this one.
  [[nodiscard]] std::string name() const;

  // A process's side. Waits so long for a ring on offer.
  [[nodiscard]] base::Result<Segment> claim(std::chrono::milliseconds patience);
  // Whether others that record now have asked this of the same GPU, too; from now on they know of this one.
  // After claim(); two GPUs may be taken for one.
  [[nodiscard]] bool shares_gpu(std::string_view uuid);
  void detach() noexcept { segment_.detach(); }

  // The writer process's side; a slot is offered, claimed, and cleared once its process has ended.
  void offer(std::size_t slot, int ring_id);
  void clear(std::size_t slot);
  [[nodiscard]] bool is_claimed(std::size_t slot) const;
  void close();                                // takes back what nobody has claimed, and offers nothing more
  void beat() { block().beats.fetch_add(1); }  // it is alive and at work
  [[nodiscard]] std::uint64_t beats() const { return block().beats.load(); }

 private:
  // nullopt: none is on offer. An error: one is, and cannot be mapped.
  [[nodiscard]] std::optional<base::Result<Segment>> try_claim(std::uint64_t pid);

  struct Block {
    std::array<std::uint64_t, 2> token;
    std::atomic<std::uint64_t> beats;
    std::atomic<std::uint64_t> closed;
    // 0: empty. Else the ring's id + 1 in the upper half, and who claimed it in the lower.
    std::array<std::atomic<std::uint64_t>, kMostRings> slots;
    // The GPUs that the slot's process measures on, a bit each.
    std::array<std::atomic<std::uint64_t>, kMostRings> gpus;
  };
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

  explicit Control(Segment segment) : segment_(std::move(segment)) {}
  [[nodiscard]] Block& block() const { return *static_cast<Block*>(segment_.data()); }

  Segment segment_;
  std::size_t slot_ = 0;  // that this process claimed
};

}  // namespace coalescope::ring
