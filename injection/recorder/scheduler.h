#pragma once
// Decides for each launch whether it is measured, and in which phase. A pure state machine: launches and a
// clock in, a decision out; it calls nothing. Times are nanoseconds of one steady clock.
//
// A window of the range profiler (bytes, traffic, hits) takes 6 to 46 ms to enter and to leave, a launch that
// it measures 40 us or more, and all other launches nothing. So a window stays open while kernels may still
// come that need it. lines and replay have a window of their own for each launch, also while another one is
// open.
//
// What is left of the budget goes where the time goes: a measurement may take a part of it in proportion to
// the share of the kernels' time that it is for. Opening a window counts for all kernels that need it. While
// the budget is four times what everything known to be missing costs, anything may be measured. Windows of
// hardware counters are the exception while new kernels come: they cost most, and the many kernels of a
// program's start would use them up.

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/enums.h"
#include "core/model/setting_values.h"

namespace coalescope::recorder {

inline constexpr std::size_t kPhaseCount = model::kPhaseNames.size();
// Changed under the launch gate only; the writer thread reads them for the coverage at any time.
using PhaseCounts = std::array<std::atomic<int>, kPhaseCount>;
// Of a run that goes on meanwhile; `replay` repeats launches.
inline constexpr std::array kMeasuredPhases{model::Phase::bytes, model::Phase::lines, model::Phase::traffic,
                                            model::Phase::hits};
// What `replay` reads of each launch.
inline constexpr std::array kReplayed{model::Phase::bytes, model::Phase::traffic, model::Phase::hits};
constexpr std::size_t index_of(model::Phase phase) {
  return static_cast<std::size_t>(phase);
}

// What one of several groups has had, all have: shapes of nearly the same size, of a function that has many,
// or variants of one shape that do the same.
struct SharedNeeds {
  bool of_sizes = false;
  std::atomic<std::int64_t> native_ns{0};  // of the last timed launch; 0: none yet
  PhaseCounts taken{};                     // launches measured
  std::atomic<std::int64_t> gpu_ns{0};     // of all timed launches
  std::int64_t looked_at = 0;              // when the scheduler last added up what is missing
};

// What one kernel group has had. Kept by the group table, changed only under the launch gate but for its
// times, which the writer thread learns from the trace.
struct GroupNeeds {
  std::atomic<SharedNeeds*> shared{nullptr};  // nullptr: with no other
  std::atomic<int> rest{0};                   // launches to let pass after the budget refused one
  std::atomic<bool> refused_for_budget{false};
  std::atomic<bool> refused_by_selection{false};
  std::atomic<bool> refused_while_timed{false};
  std::atomic<bool> mixed{false};                   // its launches differ, and no parameter says how
  std::atomic<std::int64_t> native_ns{0};           // of its last timed launch; 0: none yet
  std::atomic<std::int64_t> gpu_ns{0};              // of all its timed launches
  PhaseCounts taken{};                              // launches measured
  PhaseCounts discarded{};                          // windows thrown away
  std::array<std::int64_t, kPhaseCount> cost_ns{};  // what measuring one launch of it last cost
  // That the warps of a launch executed, as if they were on all multiprocessors; 0: not counted.
  std::int64_t instructions = 0;
  std::int64_t launches = 0;              // of it so far, as its last launch behind the gate found them
  std::int64_t shape = 0;                 // which of its function's: 0 came first
  std::int64_t* last_shape = nullptr;     // of its function, that came to the scheduler; nullptr: not known
  std::atomic<std::int64_t> measured{0};  // of those
  std::int64_t last_asked = 0;            // among all launches that came to the scheduler, its last one
  std::atomic<int> overdue{0};            // times that a launch had not ended when the wait for it did
  bool comes_again = false;               // after launches of others: it is part of something that repeats
  bool returned = false;                  // after a launch of another shape of its function
  bool listed = false;                    // among those that are expected
  bool known = false;                     // to the scheduler
  std::int64_t first_ns = 0;              // when it first came, and last
  std::int64_t last_ns = 0;
  std::int64_t longest_away_ns = 0;  // from one of its launches to the next

  // True, and one launch less, while it rests.
  [[nodiscard]] bool rests() {
    return rest.load(std::memory_order_relaxed) > 0 && rest.fetch_sub(1, std::memory_order_relaxed) > 0;
  }
  // From now on what it has had and gets counts for all with these needs.
  void join(SharedNeeds& others) {
    others.gpu_ns += gpu_ns;
    for (std::size_t phase = 0; phase < kPhaseCount; ++phase) others.taken[phase] += taken[phase];
    shared = &others;
  }
  // Of a launch that its thread waited for; a record of its time is better.
  void took(std::int64_t ns) {
    std::int64_t unknown = 0;
    native_ns.compare_exchange_strong(unknown, ns);
    unknown = 0;
    if (SharedNeeds* with_others = shared) with_others->native_ns.compare_exchange_strong(unknown, ns);
  }
  void count(model::Phase phase, int more) {
    taken[index_of(phase)] += more;
    if (SharedNeeds* with_others = shared) with_others->taken[index_of(phase)] += more;
  }
};

using model::Budget;

struct SchedulerOptions {
  int samples = 2;  // of each phase; of bytes and lines, which patch the kernel, half as many
  // trace cannot be switched off; replay stands for bytes, traffic and hits, and only the user switches it
  // on.
  std::array<bool, kPhaseCount> enabled{true, true, true, true, true, false};
  std::optional<Budget> budget = model::kDefaultBudget;  // nullopt: no limit
};

// A window that has measured nothing for so long is not waited for. What it has read is lost if the program
// is killed.
inline constexpr std::int64_t kLongestUnusedNs = 500'000'000;

// Whether a phase has a window that stays open over many launches, and not one for each launch.
[[nodiscard]] bool sweeps(model::Phase phase);
// Whether it counts by patching the kernel, which then takes many times as long.
[[nodiscard]] bool is_patched(model::Phase phase);

class Scheduler {
 public:
  explicit Scheduler(const SchedulerOptions& options);

  // Does the group still lack anything that is switched on?
  [[nodiscard]] bool satisfied(const GroupNeeds& group) const;
  [[nodiscard]] bool lacks(const GroupNeeds& group, model::Phase phase) const;

  // In which phase the launch is measured; nullopt: it runs natively; trace: it does, and its thread waits
  // for it, because only its time tells whether its kernel may be patched. `group` must stay where it is;
  // `context` tells contexts apart; `all_gpu_ns`: of the timed launches of all groups.
  [[nodiscard]] std::optional<model::Phase> decide(GroupNeeds& group, std::uint64_t context,
                                                   std::int64_t now_ns, std::int64_t all_gpu_ns);

  void opened(model::Phase phase, std::uint64_t context, std::int64_t now_ns);
  void closed() { open_.reset(); }
  // Of the budget, for what has been measured at least once and for what has not; called by any thread.
  [[nodiscard]] std::int64_t left_ns(std::int64_t now_ns) const;
  [[nodiscard]] std::int64_t left_for_first_ns(std::int64_t now_ns) const;
  // What happened took this long beyond a native launch.
  void charge(std::int64_t cost_ns) { spent_ns_.fetch_add(cost_ns, std::memory_order_relaxed); }
  // A launch was measured, for which its thread took this long beyond a native one.
  void charge_launch(GroupNeeds& group, model::Phase phase, std::int64_t cost_ns, std::int64_t now_ns);
  // The most that a launch of the group, measured in the phase, should take on the GPU.
  [[nodiscard]] std::int64_t longest_ns(const GroupNeeds& group, model::Phase phase) const;
  // The phase cannot work in this process: never choose it again.
  void disable(model::Phase phase) { options_.enabled[index_of(phase)] = false; }
  // Others hold what the phase needs: it, and all that need the same, are not tried again before then.
  void postpone(model::Phase phase, std::int64_t until_ns);
  // The range profiler's object is gone (its context ended): the next configuration is a first one.
  void forget_configuration() { configured_.reset(); }

  [[nodiscard]] std::optional<model::Phase> open() const { return open_; }
  // Read by the writer thread, too.
  [[nodiscard]] std::int64_t spent_ns() const { return spent_ns_.load(std::memory_order_relaxed); }

 private:
  // Of the groups that are expected to come again: what each phase has yet to measure.
  struct Missing {
    std::array<std::int64_t, kPhaseCount> groups{};
    std::array<std::int64_t, kPhaseCount> gpu_ns{};  // their time so far
    std::array<std::int64_t, kPhaseCount> cost_ns{};
  };

  void learn(GroupNeeds& group, std::int64_t now_ns);
  [[nodiscard]] bool needs_a_time(const GroupNeeds& group) const;
  [[nodiscard]] int wanted(const GroupNeeds& group, model::Phase phase) const;
  [[nodiscard]] SharedNeeds* shared_of(const GroupNeeds& group) const;
  [[nodiscard]] bool is_size_of_many(const GroupNeeds& group) const;
  [[nodiscard]] bool is_speculative(const GroupNeeds& group, model::Phase phase) const;
  [[nodiscard]] bool lacks_own_look(const GroupNeeds& group, model::Phase phase) const;
  [[nodiscard]] int had(const GroupNeeds& group, model::Phase phase) const;
  [[nodiscard]] std::int64_t gpu_ns(const GroupNeeds& group) const;
  [[nodiscard]] std::int64_t native_ns(const GroupNeeds& group) const;
  [[nodiscard]] bool has_unknown_cost(const GroupNeeds& group, model::Phase phase) const;
  [[nodiscard]] bool lacks_first(const GroupNeeds& group, model::Phase phase) const;
  [[nodiscard]] std::int64_t skipped_ns(model::Phase from, model::Phase to) const;
  [[nodiscard]] bool is_open(model::Phase phase) const { return open_ == phase && configured_ == context_; }
  [[nodiscard]] std::int64_t configure_ns(model::Phase phase) const;
  [[nodiscard]] std::int64_t enter_ns(model::Phase phase) const;
  [[nodiscard]] std::int64_t launch_ns(const GroupNeeds& group, model::Phase phase) const;
  [[nodiscard]] std::int64_t worst_ns(const GroupNeeds& group, model::Phase phase) const;
  [[nodiscard]] std::int64_t most_ns(const GroupNeeds& group, model::Phase phase) const;
  [[nodiscard]] bool pays(const GroupNeeds& group, model::Phase phase, std::int64_t now_ns,
                          std::int64_t all_gpu_ns);
  [[nodiscard]] bool new_ones_come() const;
  [[nodiscard]] bool comes_before(const GroupNeeds& group, model::Phase one, model::Phase other) const;
  [[nodiscard]] std::optional<model::Phase> best(GroupNeeds& group, std::int64_t now_ns,
                                                 std::int64_t all_gpu_ns);
  [[nodiscard]] bool is_wanted(const GroupNeeds& group, std::int64_t now_ns);
  [[nodiscard]] const Missing& missing(std::int64_t now_ns);
  void forget_absent(std::int64_t now_ns);

  SchedulerOptions options_;
  std::optional<std::uint64_t> configured_;           // the context that the range profiler is configured for
  std::uint64_t context_ = 0;                         // of the launch that is decided on
  std::optional<model::Phase> open_;                  // the window that sweeps
  model::Phase last_range_ = model::Phase::bytes;     // the last such window
  std::int64_t speculative_ns_ = 0;                   // of windows for shapes that may never come again
  std::int64_t used_ns_ = 0;                          // when it was entered, or last measured a launch
  std::array<std::int64_t, 2> postponed_until_ns_{};  // lines; the range profiler
  std::int64_t asked_ = 0;                            // launches that came here
  std::int64_t newest_ = 0;                           // of those, the last of a new kernel
  std::vector<GroupNeeds*> unsatisfied_;  // groups that are expected to come again, and some that are not
  Missing missing_;
  std::int64_t missing_until_ns_ = 0;
  std::array<std::int64_t, kPhaseCount> least_ns_{};  // that any launch took in the phase; 0: none yet
  std::atomic<std::int64_t> spent_ns_{0};
};

}  // namespace coalescope::recorder
