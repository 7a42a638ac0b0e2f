#pragma once
// Decides for each launch in which phase it is measured, if in any. A pure state machine: launches and a
// clock in, a phase out; it calls nothing. Times are nanoseconds of one steady clock.
//
// bytes, traffic and hits are passes of one range profiler, whose first configuration is dear; to go from one
// to another takes some 20 ms, so launches of several groups share a window. lines is armed for a single
// launch at little cost beside any of them.

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/enums.h"
#include "core/model/options.h"

namespace coalescope::recorder {

inline constexpr std::size_t kPhaseCount = model::kPhaseNames.size();
// Changed under the launch gate only; the writer thread reads them for the coverage at any time.
using PhaseCounts = std::array<std::atomic<int>, kPhaseCount>;
constexpr std::size_t index_of(model::Phase phase) {
  return static_cast<std::size_t>(phase);
}

// What one kernel group has had. Kept by the group table, changed only under the launch gate but for its
// times, which the writer thread learns from the trace.
struct GroupNeeds {
  PhaseCounts taken{};                              // launches measured
  PhaseCounts discarded{};                          // windows thrown away
  std::array<std::int64_t, kPhaseCount> cost_ns{};  // what measuring one launch of it last cost
  std::atomic<bool> refused_for_budget{false};
  std::atomic<bool> refused_by_selection{false};
  std::atomic<bool> refused_while_timed{false};
  std::atomic<std::int64_t> native_ns{0};  // of its last timed launch; 0: none yet
  std::atomic<std::int64_t> gpu_ns{0};     // of all its timed launches
  std::atomic<int> rest{0};                // launches to let pass after the budget refused one
  std::int64_t launches = 0;               // of it so far, as its last launch behind the gate found them
  std::atomic<std::int64_t> measured{0};   // of those, in windows
  std::int64_t beyond_need = 0;            // of those, in windows whose phase it did not lack

  // True, and one launch less, while it rests.
  [[nodiscard]] bool rests() {
    return rest.load(std::memory_order_relaxed) > 0 && rest.fetch_sub(1, std::memory_order_relaxed) > 0;
  }
};

// How much longer the run may take: `grant_ns`, and a share of its time so far.
struct Budget {
  double share = model::kDefaultBudgetShare;
  std::int64_t grant_ns = model::kBudgetGrantNs;  // pays the first configuration: 0.2 to 0.7 s on an H100
};

struct SchedulerOptions {
  int samples = 2;  // of each phase; of bytes and lines, which patch the kernel, half as many
  // trace cannot be switched off; replay stands for bytes, traffic and hits, and only the user switches it
  // on.
  std::array<bool, kPhaseCount> enabled{true, true, true, true, true, false};
  std::optional<Budget> budget = Budget{};  // nullopt: no limit
};

class Scheduler {
 public:
  explicit Scheduler(const SchedulerOptions& options);

  // Does the group still lack anything that is switched on?
  [[nodiscard]] bool satisfied(const GroupNeeds& group) const;
  [[nodiscard]] bool lacks(const GroupNeeds& group, model::Phase phase) const;

  // The phase for this launch; trace: run it natively. `all_gpu_ns`: of the timed launches of all groups.
  [[nodiscard]] model::Phase choose(GroupNeeds& group, std::int64_t now_ns, std::int64_t all_gpu_ns);
  // Whether an open window must be closed before a launch that `choose` sent elsewhere.
  [[nodiscard]] bool must_close(model::Phase chosen, const GroupNeeds& group) const;

  void opened(model::Phase phase);
  void closed() { open_ = model::Phase::trace; }
  // What happened took this long beyond a native launch.
  void charge(std::int64_t cost_ns) { spent_ns_.fetch_add(cost_ns, std::memory_order_relaxed); }
  // A launch has run in the open window and took this long beyond a native one.
  void charge_launch(GroupNeeds& group, std::int64_t cost_ns);
  // The phase cannot work in this process: never choose it again.
  void disable(model::Phase phase) { options_.enabled[index_of(phase)] = false; }
  // Others hold what the phase needs: it, and all that need the same, are not tried again before then.
  void postpone(model::Phase phase, std::int64_t until_ns);
  // The range profiler's object is gone (its context ended): the next configuration is a first one.
  void forget_configuration() { configured_ = false; }

  [[nodiscard]] model::Phase open() const { return open_; }
  // Read by the writer thread, too.
  [[nodiscard]] std::int64_t spent_ns() const { return spent_ns_.load(std::memory_order_relaxed); }

 private:
  [[nodiscard]] int wanted(model::Phase phase) const;
  [[nodiscard]] bool affordable(const GroupNeeds& group, model::Phase phase, std::int64_t now_ns,
                                bool heavy) const;
  [[nodiscard]] std::int64_t expected_enter_ns(model::Phase phase) const;
  [[nodiscard]] std::int64_t expected_launch_ns(const GroupNeeds& group, model::Phase phase) const;
  [[nodiscard]] bool stays_in_window(const GroupNeeds& group) const;
  [[nodiscard]] bool must_wait(const GroupNeeds& group, model::Phase phase) const;
  [[nodiscard]] bool is_wanted_by_others() const;

  SchedulerOptions options_;
  std::vector<model::Phase> order_;                   // in which a group gets what it lacks
  bool configured_ = false;                           // the range profiler is
  model::Phase open_ = model::Phase::trace;           // trace: no window is open
  std::array<std::int64_t, 2> postponed_until_ns_{};  // lines; the range profiler
  std::int64_t launches_since_wanted_ = 0;            // since a launch last lacked what the open window gives
  const GroupNeeds* last_wanted_by_ = nullptr;
  std::int64_t unwanted_ns_ = 0;  // what launches that lack nothing of it have cost since then
  static constexpr std::size_t kRecent = 64;
  std::array<const GroupNeeds*, kRecent> recent_{};  // groups of the last launches that asked, a ring
  std::size_t asked_ = 0;                            // launches that asked
  int pause_ = 0;                                    // launches before hardware counters are read again
  std::atomic<std::int64_t> spent_ns_{0};
};

}  // namespace coalescope::recorder
