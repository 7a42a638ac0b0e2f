#pragma once
// Decides for each launch in which phase it is measured, if in any. A pure state machine: launches and a
// clock in, a phase out; it calls nothing. Times are nanoseconds of one steady clock.
//
// bytes, traffic and hits are configurations of one range profiler: to change between them costs about
// 0.2 s, so the configured one is kept until nobody has asked for it for a while. lines is armed for a single
// launch at little cost beside any of them.

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "core/model/enums.h"

namespace coalescope::recorder {

inline constexpr std::size_t kPhaseCount = 5;
// Changed under the launch gate only; the writer thread reads them for the coverage at any time.
using PhaseCounts = std::array<std::atomic<int>, kPhaseCount>;
constexpr std::size_t index_of(model::Phase phase) {
  return static_cast<std::size_t>(phase);
}

// What one kernel group has had. Kept by the group table, changed only under the launch gate.
struct GroupNeeds {
  PhaseCounts taken{};                              // launches measured
  PhaseCounts discarded{};                          // windows thrown away
  std::array<std::int64_t, kPhaseCount> cost_ns{};  // what measuring one launch of it last cost
  std::atomic<bool> refused_for_budget{false};
};

struct SchedulerOptions {
  int samples = 2;
  std::array<bool, kPhaseCount> enabled{true, true, true, true, true};  // trace cannot be switched off
  std::optional<double> budget_share = 0.10;
  std::int64_t budget_grant_ns = 2'000'000'000;  // pays the first configuration, which takes up to 1.4 s
};

class Scheduler {
 public:
  explicit Scheduler(const SchedulerOptions& options) : options_(options) {}

  // Does the group still lack anything that is switched on?
  [[nodiscard]] bool satisfied(const GroupNeeds& group) const;
  [[nodiscard]] bool lacks(const GroupNeeds& group, model::Phase phase) const;

  // The phase for this launch; trace: run it natively.
  [[nodiscard]] model::Phase choose(GroupNeeds& group, std::int64_t now_ns);
  // Whether an open window must be closed before a launch that `choose` sent elsewhere.
  [[nodiscard]] bool must_close(model::Phase chosen, const GroupNeeds& group) const;

  void opened(model::Phase phase);
  void closed();
  // What happened took this long beyond a native launch.
  void charge(std::int64_t cost_ns) { spent_ns_ += cost_ns; }
  // The phase cannot work in this process: never choose it again.
  void disable(model::Phase phase) { options_.enabled[index_of(phase)] = false; }
  // The range profiler's object is gone (its context ended): the next configuration is a first one.
  void forget_configuration() { configured_ = model::Phase::trace; }

  [[nodiscard]] model::Phase open() const { return open_; }
  [[nodiscard]] std::int64_t spent_ns() const { return spent_ns_; }

 private:
  [[nodiscard]] bool affordable(std::int64_t cost_ns, std::int64_t now_ns) const;
  [[nodiscard]] std::int64_t expected_ns(const GroupNeeds& group, model::Phase phase) const;
  [[nodiscard]] bool may_configure(model::Phase phase) const;

  SchedulerOptions options_;
  model::Phase configured_ = model::Phase::trace;  // of the range profiler; trace: none yet
  model::Phase open_ = model::Phase::trace;        // trace: no window is open
  std::int64_t launches_since_served_ = 0;         // since the configured phase was last wanted
  std::int64_t spent_ns_ = 0;
};

}  // namespace coalescope::recorder
