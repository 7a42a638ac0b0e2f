#include "injection/recorder/scheduler.h"

#include <algorithm>
#include <cstddef>

namespace coalescope::recorder {
namespace {

using model::Phase;

// A kernel launched once gets one answer: the degree is the headline, the lines come next, then its own time,
// then the rest. Where the user has asked for the rest alone, that comes first.
constexpr std::array kMeasured{Phase::bytes, Phase::replay, Phase::lines, Phase::traffic, Phase::hits};
constexpr std::size_t kBeforeItsTime = 2;

std::vector<Phase> order_of(const SchedulerOptions& options) {
  std::vector<Phase> order;
  for (const Phase phase : kMeasured)
    if (options.enabled[index_of(phase)]) order.push_back(phase);
  const auto place = std::min(order.size(), kBeforeItsTime);
  order.insert(order.begin() + static_cast<std::ptrdiff_t>(place), Phase::trace);
  return order;
}

// What a phase is expected to cost before a group has told. All measured on an H100.
struct PhaseCost {
  std::int64_t enter_ns;   // to enter the phase and to leave it again
  std::int64_t launch_ns;  // a launch of a kernel that does next to nothing
  double slowdown;         // of a memory-bound kernel
};
constexpr std::array<PhaseCost, kPhaseCount> kCosts{{
    {0, 0, 1},                    // trace
    {20'000'000, 33'000, 10},     // bytes: behind two skipped passes of hardware counters
    {1'500'000, 300'000, 40},     // lines
    {22'000'000, 46'000, 1},      // traffic
    {22'000'000, 46'000, 1},      // hits
    {1'000'000, 40'000'000, 13},  // replay
}};
constexpr std::int64_t kConfigureNs = 300'000'000;
// Lines cost this much more than bytes, which patch the same instructions for fewer answers.
constexpr std::int64_t kLinesToBytes = 4;

// So many launches in a row without use for an open window: what follows will not want it either.
constexpr std::int64_t kIdleLaunches = 4;
// A window stays open over launches that do not want it, because others will; but not over more than so many
// of a group, unless it has had as many undisturbed ones: they alone have the kernel's own time.
constexpr std::int64_t kSpareLaunches = 8;
// A window that was closed for such a group would be opened again by the next launch, and again: let several
// pass.
constexpr int kPauseLaunches = 32;
// To ask again costs a microsecond and holds other threads up; the budget does not grow that fast.
constexpr int kRestLaunches = 32;
// A window thrown away twice will be thrown away a third time.
constexpr int kMostDiscarded = 2;

// The most costly kernels are served first: groups below this share of the GPU's time leave half of the
// budget to the others. One that has no time yet may be anything.
constexpr double kHeavyShare = 0.01;
constexpr std::int64_t kLightPart = 2;
// One launch takes no more of the budget than this part: a matrix product of 3 ms takes 0.2 s for its lines,
// and would leave a short run little for its other kernels. As a run goes on, its budget grows.
constexpr std::int64_t kLaunchPart = 10;

constexpr bool is_range(Phase phase) {
  return phase != Phase::trace && phase != Phase::lines;
}

constexpr bool is_hardware(Phase phase) {
  return phase == Phase::traffic || phase == Phase::hits;
}

bool needs_its_time(const GroupNeeds& group) {
  return group.beyond_need >= std::max(kSpareLaunches, group.launches - group.measured);
}

// A kernel that was launched once may never come again.
bool came_back(const GroupNeeds& group) {
  return group.measured + group.taken[index_of(Phase::trace)] > 1;
}

bool is_heavy(const GroupNeeds& group, std::int64_t all_gpu_ns) {
  const auto own_ns = group.gpu_ns.load(std::memory_order_relaxed);
  return own_ns == 0 || static_cast<double>(own_ns) >= kHeavyShare * static_cast<double>(all_gpu_ns);
}

}  // namespace

Scheduler::Scheduler(const SchedulerOptions& options) : options_(options), order_(order_of(options)) {}

bool Scheduler::lacks(const GroupNeeds& group, Phase phase) const {
  const auto i = index_of(phase);
  if (phase == Phase::trace) return group.taken[i] < 1;  // all later launches are timed anyway
  return options_.enabled[i] && group.taken[i] < wanted(phase) && group.discarded[i] < kMostDiscarded;
}

// What is counted by patching is exact and by far the dearest: of a matrix product of 3 ms the bytes took 40
// ms and the lines 0.2 s. Half as many do.
int Scheduler::wanted(Phase phase) const {
  const bool patched = phase == Phase::bytes || phase == Phase::lines;
  return patched ? (options_.samples + 1) / 2 : options_.samples;
}

bool Scheduler::satisfied(const GroupNeeds& group) const {
  return std::none_of(order_.begin(), order_.end(), [&](Phase phase) { return lacks(group, phase); });
}

bool Scheduler::affordable(const GroupNeeds& group, Phase phase, std::int64_t now_ns, bool heavy) const {
  if (!options_.budget) return true;
  const auto earned_ns = static_cast<std::int64_t>(options_.budget->share * static_cast<double>(now_ns));
  const auto limit_ns = options_.budget->grant_ns + earned_ns;
  const auto launch_ns = expected_launch_ns(group, phase);
  return launch_ns <= limit_ns / kLaunchPart &&
         spent_ns() + expected_enter_ns(phase) + launch_ns <= (heavy ? limit_ns : limit_ns / kLightPart);
}

std::int64_t Scheduler::expected_enter_ns(Phase phase) const {
  return (phase == open_ ? 0 : kCosts[index_of(phase)].enter_ns) +
         (is_range(phase) && !configured_ ? kConfigureNs : 0);
}

std::int64_t Scheduler::expected_launch_ns(const GroupNeeds& group, Phase phase) const {
  const auto& cost = kCosts[index_of(phase)];
  if (const auto known_ns = group.cost_ns[index_of(phase)]; known_ns > 0) return known_ns;
  const auto native_ns = static_cast<double>(group.native_ns.load(std::memory_order_relaxed));
  auto launch_ns = cost.launch_ns + static_cast<std::int64_t>((cost.slowdown - 1) * native_ns);
  if (phase == Phase::lines)
    launch_ns = std::max(launch_ns, kLinesToBytes * group.cost_ns[index_of(Phase::bytes)]);
  return launch_ns;
}

// A group that has its degree, its lines and its time fills up where it is: a change of window costs more
// than a launch.
bool Scheduler::stays_in_window(const GroupNeeds& group) const {
  const auto has_none = [&](Phase phase) {
    return lacks(group, phase) && group.taken[index_of(phase)] == 0 && group.discarded[index_of(phase)] == 0;
  };
  return open_ != Phase::trace && lacks(group, open_) && !has_none(Phase::bytes) && !has_none(Phase::lines) &&
         !has_none(Phase::trace);
}

// Another pass of the range profiler waits while others use this one: each change costs some 20 ms. The
// degree never waits: a kernel launched once has no other chance.
bool Scheduler::must_wait(const GroupNeeds& group, Phase phase) const {
  return is_range(open_) && is_range(phase) && phase != open_ && phase != Phase::bytes &&
         launches_since_wanted_ < kIdleLaunches && last_wanted_by_ != &group;
}

// By a group that was launched lately. Programs repeat themselves: what lacks something will come again.
bool Scheduler::is_wanted_by_others() const {
  return std::any_of(recent_.begin(), recent_.end(), [&](const GroupNeeds* group) {
    return group != nullptr && came_back(*group) && lacks(*group, open_) &&
           group->rest.load(std::memory_order_relaxed) == 0;
  });
}

Phase Scheduler::choose(GroupNeeds& group, std::int64_t now_ns, std::int64_t all_gpu_ns) {
  recent_[asked_++ % kRecent] = &group;
  if (pause_ > 0) --pause_;
  const bool wanted = open_ != Phase::trace && lacks(group, open_);
  launches_since_wanted_ = wanted ? 0 : launches_since_wanted_ + 1;
  if (wanted) last_wanted_by_ = &group;
  const bool heavy = is_heavy(group, all_gpu_ns);
  bool refused = false;
  const auto pays = [&](Phase phase) {
    if (phase == Phase::trace) return true;
    const bool held_back = now_ns < postponed_until_ns_[is_range(phase) ? 1 : 0];
    if (!held_back && affordable(group, phase, now_ns, heavy)) return true;
    group.refused_for_budget = group.refused_for_budget || !held_back;
    refused = true;
    return false;
  };
  if (stays_in_window(group) && pays(open_)) return open_;

  // Fewest samples first, so that a kernel launched seldom has a little of everything.
  std::optional<Phase> best;
  for (const Phase phase : order_) {
    if (is_hardware(phase) && pause_ > 0) continue;
    if (!lacks(group, phase) || must_wait(group, phase) || !pays(phase)) continue;
    if (!best || group.taken[index_of(phase)] < group.taken[index_of(*best)]) best = phase;
  }
  if (refused && best.value_or(Phase::trace) == Phase::trace) group.rest = kRestLaunches;
  if (!best && is_hardware(open_) && needs_its_time(group)) pause_ = kPauseLaunches;
  return best.value_or(Phase::trace);
}

// A launch that lacks nothing of the open window is slowed down by it and is not timed; to close and enter it
// again costs, too. Where others want it, it stays open until the launches that did not want it have cost as
// much as entering it would.
bool Scheduler::must_close(Phase chosen, const GroupNeeds& group) const {
  if (open_ == Phase::trace || chosen == open_) return false;
  if (chosen != Phase::trace || lacks(group, Phase::trace)) return true;  // it runs natively, for its time
  if (open_ == Phase::bytes) return true;  // patched, and what it holds is lost if the program is killed now
  if (pause_ > 0 || !is_wanted_by_others()) return true;
  return unwanted_ns_ + expected_launch_ns(group, open_) > kCosts[index_of(open_)].enter_ns;
}

void Scheduler::postpone(Phase phase, std::int64_t until_ns) {
  postponed_until_ns_[is_range(phase) ? 1 : 0] = until_ns;
}

void Scheduler::charge_launch(GroupNeeds& group, std::int64_t cost_ns) {
  charge(cost_ns);
  const bool wanted = launches_since_wanted_ == 0;
  unwanted_ns_ = wanted ? 0 : unwanted_ns_ + cost_ns;
  ++group.measured;
  group.beyond_need += wanted ? 0 : 1;
}

void Scheduler::opened(Phase phase) {
  open_ = phase;
  launches_since_wanted_ = 0;
  last_wanted_by_ = nullptr;
  unwanted_ns_ = 0;
  configured_ = configured_ || is_range(phase);
}

}  // namespace coalescope::recorder
