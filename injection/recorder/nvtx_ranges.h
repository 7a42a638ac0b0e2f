#pragma once
// The ranges that the program names through NVTX, as they begin and end. It may use NVTX before it uses CUDA,
// or without ever using it: nothing here needs a recording, and what nobody fetches is bounded.
//
// Order of events:
//   1. domain(), text(): names become numbers; they are few
//   2. push() and pop() nest on a thread, per domain; start() and end() may be called by any two threads
//   3. the writer thread fetches finished ranges with take()
//   4. at any time a launch asks inside_selected_range(), which takes no lock

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/model/activity.h"

namespace coalescope::recorder {

class NvtxRanges {
 public:
  using Clock = std::int64_t (*)();  // Unix time in nanoseconds
  explicit NvtxRanges(Clock clock = &unix_time_ns) : clock_(clock) {}
  // That of the process; never destroyed.
  static NvtxRanges& instance();
  static std::int64_t unix_time_ns();

  // "NAME", or "NAME@DOMAIN": the ranges that inside_selected_range() asks for. Before the first one begins.
  void select(std::string_view range);

  // Numbers for names, the same for the same name. 0 is the default domain. Domains in which libraries mark
  // their own calls, hundreds of thousands of times, are left out, because call stacks say who made these
  // calls: such a domain gets kLeftOut, or 0 if its library can do without. With a selected range all are
  // kept.
  static constexpr std::uint32_t kLeftOut = 0xfffffffe;
  [[nodiscard]] std::uint32_t domain(std::string_view name);
  [[nodiscard]] std::uint32_t text(std::string_view text);

  // The depth of the range in its domain on this thread, as NVTX defines it; -1: there is none to end.
  int push(std::uint32_t domain, std::uint32_t text);
  int pop(std::uint32_t domain);
  [[nodiscard]] std::uint64_t start(std::uint32_t domain, std::uint32_t text);
  void end(std::uint64_t range);

  // Is this thread inside a selected range, or is a selected start/end range open in the process?
  [[nodiscard]] bool inside_selected_range() const;

  struct Taken {
    std::vector<model::RangeName> names;  // those not taken before
    std::vector<model::Range> ranges;     // without ids
    std::int64_t dropped = 0;             // ranges that were not kept
  };
  // Finished ranges since the last call; `last`: also those that are open, as far as this thread can see
  // them.
  [[nodiscard]] Taken take(std::int64_t started_unix_ns, bool last);

  // Around a fork: a mutex that another thread holds would be locked in the child for ever.
  void hold() { mutex_.lock(); }
  void release() { mutex_.unlock(); }
  // In a forked child: what its parent has done is not its own.
  void forget();
  // In a forked child: nothing is kept or locked from here on.
  void silence() { silent_.store(true, std::memory_order_release); }

 private:
  struct Finished {
    std::uint32_t domain = 0;
    std::uint32_t text = 0;
    model::RangeKind kind = model::RangeKind::push_pop;
    std::int64_t thread = 0;
    std::int64_t depth = 0;
    std::int64_t start_ns = 0;
    std::optional<std::int64_t> end_ns;
  };
  [[nodiscard]] bool selects(std::uint32_t domain, std::uint32_t text) const;
  void keep(const Finished& range);
  [[nodiscard]] model::RangeNameId name_id(const Finished& range, Taken& taken);
  [[nodiscard]] std::uint32_t number(std::string_view name);

  const Clock clock_;
  std::atomic<bool> silent_{false};
  // What is selected, as numbers; 0: nothing. A domain of kAnyDomain: all of them.
  std::atomic<std::uint32_t> selected_text_{0};
  std::atomic<std::uint32_t> selected_domain_{0};
  std::atomic<std::int64_t> selected_open_{0};  // start/end ranges
  mutable std::mutex mutex_;
  std::deque<std::string> strings_{
      "(other names)"};  // by number; the first stands for those beyond the limit
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
  std::map<std::uint64_t, Finished> open_;  // start/end ranges
  std::uint64_t last_range_ = 0;
  std::vector<Finished> finished_;
  std::int64_t kept_ = 0;
  std::int64_t dropped_ = 0;
  std::map<std::pair<std::uint32_t, std::uint32_t>, model::RangeNameId> names_;
};

}  // namespace coalescope::recorder
