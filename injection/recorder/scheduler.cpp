#include "injection/recorder/scheduler.h"

#include <algorithm>

namespace coalescope::recorder {
namespace {

using model::Phase;

// A kernel launched once gets one answer: the degree is the headline, the lines come next, then its own time.
constexpr std::array kOrder{Phase::bytes, Phase::lines, Phase::trace, Phase::traffic, Phase::hits};

// Measured on an H100: Disable, Enable, SetConfig and the first Start after it.
constexpr std::int64_t kConfigureNs = 250'000'000;
// So many launches in a row without use for the configured phase: what follows will not want it either.
constexpr std::int64_t kIdleLaunches = 4;
// A window thrown away twice will be thrown away a third time.
constexpr int kMostDiscarded = 2;

constexpr bool is_range(Phase phase) {
  return phase == Phase::bytes || phase == Phase::traffic || phase == Phase::hits;
}

}  // namespace

bool Scheduler::lacks(const GroupNeeds& group, Phase phase) const {
  const auto i = index_of(phase);
  if (phase == Phase::trace) return group.taken[i] < 1;  // all later launches are timed anyway
  return options_.enabled[i] && group.taken[i] < options_.samples && group.discarded[i] < kMostDiscarded;
}

bool Scheduler::satisfied(const GroupNeeds& group) const {
  return std::none_of(kOrder.begin(), kOrder.end(), [&](Phase phase) { return lacks(group, phase); });
}

bool Scheduler::affordable(std::int64_t cost_ns, std::int64_t now_ns) const {
  if (!options_.budget_share) return true;
  const auto earned = static_cast<std::int64_t>(*options_.budget_share * static_cast<double>(now_ns));
  return spent_ns_ + cost_ns <= options_.budget_grant_ns + earned;
}

std::int64_t Scheduler::expected_ns(const GroupNeeds& group, Phase phase) const {
  const auto configure = is_range(phase) && phase != configured_ ? kConfigureNs : 0;
  return configure + group.cost_ns[index_of(phase)];
}

bool Scheduler::may_configure(Phase phase) const {
  return configured_ == Phase::trace || configured_ == phase || launches_since_served_ >= kIdleLaunches ||
         !options_.enabled[index_of(configured_)];
}

Phase Scheduler::choose(GroupNeeds& group, std::int64_t now_ns) {
  const bool wants_configured = is_range(configured_) && lacks(group, configured_);
  launches_since_served_ = wants_configured ? 0 : launches_since_served_ + 1;

  // Fewest samples first, so that a kernel launched seldom has a little of everything.
  std::optional<Phase> best;
  for (const Phase phase : kOrder) {
    if (!lacks(group, phase)) continue;
    if (is_range(phase) && !may_configure(phase)) continue;
    if (phase != Phase::trace && !affordable(expected_ns(group, phase), now_ns)) {
      group.refused_for_budget = true;
      continue;
    }
    if (!best || group.taken[index_of(phase)] < group.taken[index_of(*best)]) best = phase;
  }
  return best.value_or(Phase::trace);
}

bool Scheduler::must_close(Phase chosen, const GroupNeeds& group) const {
  if (open_ == Phase::trace || chosen == open_) return false;
  if (lacks(group, Phase::trace)) return true;  // it runs natively, for its time
  // A launch that needs nothing costs 46 us in a hardware window, but closing and starting it again costs
  // 12-43 ms: keep it until the phase has gone unused for a while. A patched window makes every launch slow.
  const bool hardware = open_ == Phase::traffic || open_ == Phase::hits;
  return !(hardware && chosen == Phase::trace && launches_since_served_ < kIdleLaunches);
}

void Scheduler::opened(Phase phase) {
  open_ = phase;
  if (is_range(phase)) {
    if (configured_ != phase) launches_since_served_ = 0;
    configured_ = phase;
  }
}

void Scheduler::closed() {
  open_ = Phase::trace;
}

}  // namespace coalescope::recorder
