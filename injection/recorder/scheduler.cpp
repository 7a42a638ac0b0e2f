#include "injection/recorder/scheduler.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "injection/recorder/phase_prices.h"

namespace coalescope::recorder {
namespace {

using model::Phase;

// As the range profiler takes its passes: each window is the next one, round and round.
constexpr std::array kRound{Phase::traffic, Phase::hits, Phase::bytes};
constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

// In which a kernel gets what it lacks: one that is launched once gets its degree.
constexpr std::array kOrder{Phase::bytes, Phase::replay, Phase::lines, Phase::traffic, Phase::hits};

// New kernels are still coming if one came in the last quarter of all launches.
constexpr std::int64_t kPartWithNewKernels = 4;
// Shapes of nearly one size differ, such as in where their rows begin.
constexpr int kSamplesOfAClass = 4;
// Enough to say which part of a group's launches does what, within a tenth or so.
constexpr int kSamplesOfMixed = 24;
// A kernel that comes again after so many launches of others is part of what the program repeats. One that is
// launched in a row may soon be over: it does not wait for a window to be left.
constexpr std::int64_t kOthersBetween = 8;
// A function that ran in other shapes may be about to run in hundreds, each a few times in a row. Such shapes
// get windows of hardware counters by size, once there are many. Until the function returns to a shape, a
// window for that shape alone is speculative. A third of what is left may be used for such windows.
constexpr std::int64_t kPartForSpeculation = 3;
// What is measured has no time of its own: the launch after so many runs natively if none has before.
constexpr std::int64_t kMeasuredUntimed = 2;
// A group that has stayed away for so many of its mean intervals is not expected again soon.
constexpr std::int64_t kIntervalsAway = 4;
// Kernels that are yet to come need most of what is left.
constexpr std::int64_t kShareForTheUnknown = 4;
// Wide enough to pay for all four kinds of answers for two kernels out of what is left.
constexpr double kPartOfTheRest = 8;
// To ask again costs a microsecond and holds other threads up; the budget does not grow that fast.
constexpr std::int64_t kRestNs = 100'000'000;
constexpr std::int64_t kMostRest = 4096;
// A window thrown away twice will be thrown away a third time.
constexpr int kMostDiscarded = 2;
// A kernel that waits for the program's next step would hold it up again. A single launch may just be long.
constexpr int kMostOverdue = 2;
// What is missing changes slowly. To find it takes some 30 ns a group, and may take a hundredth of the time.
constexpr std::int64_t kMissingHoldsNs = 1'000'000;
constexpr std::int64_t kMissingHoldsAGroupNs = 3'000;

// Between its launches, in the mean.
std::int64_t interval_ns(const GroupNeeds& group) {
  return (group.last_ns - group.first_ns) / std::max<std::int64_t>(group.launches - 1, 1);
}

// What came back after a while comes back after such a while.
bool is_expected(const GroupNeeds& group, std::int64_t now_ns) {
  const auto away_ns = std::max(kIntervalsAway * interval_ns(group), 2 * group.longest_away_ns);
  return group.launches > 1 && now_ns - group.last_ns <= away_ns;
}

int rest_of(const GroupNeeds& group) {
  const auto launches = kRestNs / std::max<std::int64_t>(interval_ns(group), 1);
  return static_cast<int>(std::clamp<std::int64_t>(launches, 1, kMostRest));
}

}  // namespace

bool sweeps(Phase phase) {
  return row_of(phase).sweeps;
}

bool is_patched(Phase phase) {
  return row_of(phase).patched;
}

Scheduler::Scheduler(const SchedulerOptions& options) : options_(options) {}

int Scheduler::wanted(const GroupNeeds& group, Phase phase) const {
  const int samples = row_of(phase).patched ? (options_.samples + 1) / 2 : options_.samples;
  // Where L1's sectors are counted, which tell its behaviours apart.
  if (group.mixed && phase == Phase::hits && !is_size_of_many(group)) return kSamplesOfMixed;
  return is_size_of_many(group) && sweeps(phase) ? kSamplesOfAClass * samples : samples;
}

bool Scheduler::lacks(const GroupNeeds& group, Phase phase) const {
  const auto i = index_of(phase);
  return phase != Phase::trace && options_.enabled[i] && group.discarded[i] < kMostDiscarded &&
         group.overdue < kMostOverdue &&
         (had(group, phase) < wanted(group, phase) || lacks_own_look(group, phase));
}

// Without a limit each shape is measured by itself. Another thread may just have made what they share.
SharedNeeds* Scheduler::shared_of(const GroupNeeds& group) const {
  return options_.budget ? group.shared.load(std::memory_order_acquire) : nullptr;
}

bool Scheduler::is_size_of_many(const GroupNeeds& group) const {
  const SharedNeeds* shared = shared_of(group);
  return shared != nullptr && shared->of_sizes;
}

// A shape that comes again, or that took as much time as the window, is worth one in any case.
bool Scheduler::is_speculative(const GroupNeeds& group, Phase phase) const {
  return options_.budget && !row_of(phase).patched && !is_open(phase) && !is_size_of_many(group) &&
         !group.comes_again && !group.returned && group.shape > 0 && gpu_ns(group) < enter_ns(phase);
}

// L1's sectors are counted with the hits, L2's with the traffic. Both show whether a variant does what the
// others do.
bool Scheduler::lacks_own_look(const GroupNeeds& group, Phase phase) const {
  const SharedNeeds* shared = shared_of(group);
  const bool tells = phase == Phase::traffic || phase == Phase::hits;
  return tells && shared != nullptr && !shared->of_sizes && group.taken[index_of(phase)] == 0;
}

int Scheduler::had(const GroupNeeds& group, Phase phase) const {
  const SharedNeeds* shared = shared_of(group);
  return (shared != nullptr ? shared->taken : group.taken)[index_of(phase)];
}

// Records come late: until then what one launch took stands for each.
std::int64_t Scheduler::gpu_ns(const GroupNeeds& group) const {
  const SharedNeeds* shared = shared_of(group);
  const auto recorded_ns =
      (shared != nullptr ? shared->gpu_ns : group.gpu_ns).load(std::memory_order_relaxed);
  return recorded_ns > 0 ? recorded_ns : native_ns(group) * group.launches;
}

// Of one launch; 0: not known.
std::int64_t Scheduler::native_ns(const GroupNeeds& group) const {
  const auto own_ns = group.native_ns.load(std::memory_order_relaxed);
  const SharedNeeds* shared = shared_of(group);
  return own_ns > 0 || shared == nullptr ? own_ns : shared->native_ns.load(std::memory_order_relaxed);
}

// A patched kernel takes up to a hundred times as long, which may be seconds. Who chose such phases alone, as
// --rerun does for kernels that are launched once, wants the first launch measured.
bool Scheduler::has_unknown_cost(const GroupNeeds& group, Phase phase) const {
  const bool chosen_alone =
      !options_.enabled[index_of(Phase::traffic)] && !options_.enabled[index_of(Phase::hits)];
  return options_.budget && !chosen_alone && row_of(phase).patched && native_ns(group) == 0;
}

bool Scheduler::lacks_first(const GroupNeeds& group, Phase phase) const {
  return lacks(group, phase) && had(group, phase) == 0;
}

bool Scheduler::satisfied(const GroupNeeds& group) const {
  return std::none_of(kOrder.begin(), kOrder.end(), [&](Phase phase) { return lacks(group, phase); });
}

std::int64_t Scheduler::left_ns(std::int64_t now_ns) const {
  return options_.budget ? options_.budget->allowed_ns(now_ns) - spent_ns() : kNoLimit;
}

std::int64_t Scheduler::left_for_first_ns(std::int64_t now_ns) const {
  return options_.budget ? options_.budget->allowed_for_first_ns(now_ns) - spent_ns() : kNoLimit;
}

std::int64_t Scheduler::skipped_ns(Phase from, Phase to) const {
  const auto place = [](Phase phase) {
    return static_cast<std::size_t>(std::find(kRound.begin(), kRound.end(), phase) - kRound.begin());
  };
  std::int64_t skipped_ns = 0;
  for (std::size_t i = (place(from) + 1) % kRound.size(); kRound[i] != to; i = (i + 1) % kRound.size())
    if (options_.enabled[index_of(kRound[i])]) skipped_ns += row_of(kRound[i]).skip_ns;
  return skipped_ns;
}

std::int64_t Scheduler::configure_ns(Phase phase) const {
  return row_of(phase).range && configured_ != context_ ? kConfigureNs : 0;
}

std::int64_t Scheduler::enter_ns(Phase phase) const {
  const auto& row = row_of(phase);
  if (is_open(phase)) return 0;
  if (configure_ns(phase) > 0) return row.enter_ns;
  return row.enter_ns + (row.sweeps ? skipped_ns(last_range_, phase) : 0);
}

std::int64_t Scheduler::launch_ns(const GroupNeeds& group, Phase phase) const {
  const auto& row = row_of(phase);
  if (const auto known_ns = group.cost_ns[index_of(phase)]; known_ns > 0) return known_ns;
  const auto least_ns = std::max(row.launch_ns, least_ns_[index_of(phase)]);
  if (phase == Phase::lines) {
    if (const auto bytes_ns = group.cost_ns[index_of(Phase::bytes)]; bytes_ns > 0)
      return least_ns + std::min(kLinesToBytes * bytes_ns, worst_ns(group, phase));
  }
  const auto by_time = (row.slowdown - 1) * static_cast<double>(native_ns(group));
  const auto by_count = row.instruction_ns * static_cast<double>(group.instructions);
  return least_ns + static_cast<std::int64_t>(by_count > 0 ? std::min(by_time, by_count) : by_time);
}

// The most that patching costs: by the kernel's time, or by its instructions once these were counted.
std::int64_t Scheduler::worst_ns(const GroupNeeds& group, Phase phase) const {
  const auto& row = row_of(phase);
  const auto by_time = static_cast<std::int64_t>((row.worst - 1) * static_cast<double>(native_ns(group)));
  if (group.instructions == 0 || row.worst_instruction_ns == 0) return by_time;
  const auto by_count = row.worst_instruction_ns * static_cast<double>(group.instructions);
  return std::min(by_time, row.worst_extra_ns + static_cast<std::int64_t>(by_count));
}

// The most that a launch may take beyond a native one. What was measured of the kernel before replaces the
// phase's worst case.
std::int64_t Scheduler::most_ns(const GroupNeeds& group, Phase phase) const {
  const auto expected_ns = launch_ns(group, phase);
  const bool is_known = group.cost_ns[index_of(phase)] > 0 ||
                        (phase == Phase::lines && group.cost_ns[index_of(Phase::bytes)] > 0);
  if (is_known) return expected_ns;
  return std::max(expected_ns, worst_ns(group, phase));
}

// A launch that takes longer is no longer waited for, so this bound is the wider one of the two.
std::int64_t Scheduler::longest_ns(const GroupNeeds& group, Phase phase) const {
  const auto by_time = row_of(phase).worst * static_cast<double>(native_ns(group));
  return std::max(native_ns(group) + most_ns(group, phase), static_cast<std::int64_t>(by_time));
}

void Scheduler::learn(GroupNeeds& group, std::int64_t now_ns) {
  if (!group.known) {
    group.known = true;
    group.first_ns = now_ns;
    newest_ = asked_;
  } else {
    group.longest_away_ns = std::max(group.longest_away_ns, now_ns - group.last_ns);
  }
  if (!group.listed) unsatisfied_.push_back(&group);
  group.listed = true;
  group.last_ns = now_ns;
  group.comes_again = group.comes_again || is_size_of_many(group) ||
                      (group.last_asked > 0 && asked_ - group.last_asked > kOthersBetween);
  group.last_asked = asked_;
  if (group.last_shape == nullptr) return;
  const auto last = std::exchange(*group.last_shape, group.shape);
  group.returned = group.returned || (group.launches > 1 && last != group.shape);
}

// Of shapes of nearly one size another one has run natively, and of a kernel of a graph the graph's.
bool Scheduler::needs_a_time(const GroupNeeds& group) const {
  return !is_size_of_many(group) && group.native_ns == 0 && group.launches > kMeasuredUntimed &&
         group.measured.load(std::memory_order_relaxed) + 1 == group.launches;
}

// Programs of ever new shapes have thousands of groups that never come again. One that does is listed again.
void Scheduler::forget_absent(std::int64_t now_ns) {
  std::erase_if(unsatisfied_, [&](GroupNeeds* group) {
    group->listed = !satisfied(*group) && is_expected(*group, now_ns);
    return !group->listed;
  });
}

const Scheduler::Missing& Scheduler::missing(std::int64_t now_ns) {
  if (now_ns < missing_until_ns_) return missing_;
  forget_absent(now_ns);
  missing_until_ns_ =
      now_ns + kMissingHoldsNs + kMissingHoldsAGroupNs * static_cast<std::int64_t>(unsatisfied_.size());
  missing_ = {};
  for (const GroupNeeds* group : unsatisfied_) {
    SharedNeeds* const shared = shared_of(*group);
    if (shared != nullptr && std::exchange(shared->looked_at, missing_until_ns_) == missing_until_ns_)
      continue;
    for (const Phase phase : kOrder) {
      const auto i = index_of(phase);
      if (!lacks_first(*group, phase)) continue;
      ++missing_.groups[i];
      missing_.gpu_ns[i] += gpu_ns(*group);
      missing_.cost_ns[i] += launch_ns(*group, phase) + (row_of(phase).range ? 0 : enter_ns(phase));
    }
  }
  return missing_;
}

bool Scheduler::pays(const GroupNeeds& group, Phase phase, std::int64_t now_ns, std::int64_t all_gpu_ns) {
  if (!options_.budget) return true;
  // Those that are yet to come need the configuration, too.
  const auto left =
      (lacks_first(group, phase) ? left_for_first_ns(now_ns) : left_ns(now_ns)) - configure_ns(phase);
  const auto to_enter_ns = enter_ns(phase), for_launch_ns = launch_ns(group, phase);
  if (to_enter_ns + most_ns(group, phase) > left) return false;
  const bool is_new = lacks_first(group, phase) || lacks_own_look(group, phase);
  if (is_open(phase) && !row_of(phase).patched && is_new) return true;  // the window is paid for
  const Missing& all = missing(now_ns);
  std::int64_t all_cost_ns = to_enter_ns + for_launch_ns;
  for (const Phase each : kOrder) {
    all_cost_ns += all.cost_ns[index_of(each)];
    if (all.groups[index_of(each)] > 0 && row_of(each).range) all_cost_ns += 2 * row_of(each).enter_ns;
  }
  // The first configuration has to be paid for in any case.
  const bool may_wait = !row_of(phase).patched && !is_open(phase) && configured_ && new_ones_come();
  if (!may_wait && kShareForTheUnknown * all_cost_ns <= left) return true;
  if (!lacks_first(group, phase)) return false;  // a second sample answers nothing new
  const auto is_worth = [&](std::int64_t ns, std::int64_t for_ns) {
    return kPartOfTheRest * static_cast<double>(for_ns) * static_cast<double>(left) >=
           static_cast<double>(ns) * static_cast<double>(all_gpu_ns);
  };
  // A window is for all that need it.
  const auto own_ns = gpu_ns(group);
  const auto window_ns = row_of(phase).range ? std::max(own_ns, all.gpu_ns[index_of(phase)]) : own_ns;
  return is_worth(for_launch_ns, own_ns) && is_worth(to_enter_ns, window_ns);
}

bool Scheduler::new_ones_come() const {
  return asked_ - newest_ <= asked_ / kPartWithNewKernels;
}

// Whether the open window is worth waiting for: others than the group that asks for another one still need it
// and may come, and it was used not longer ago than it takes to come back.
bool Scheduler::is_wanted(const GroupNeeds& group, std::int64_t now_ns) {
  if (!open_ || now_ns - used_ns_ > row_of(*open_).enter_ns + skipped_ns(*open_, *open_)) return false;
  if (new_ones_come() || is_size_of_many(group)) return true;
  (void)missing(now_ns);  // keeps the list short
  return std::any_of(unsatisfied_.begin(), unsatisfied_.end(), [&](const GroupNeeds* each) {
    return lacks_first(*each, *open_) && is_expected(*each, now_ns);
  });
}

// Fewest samples first, so that a kernel launched seldom has a little of everything. Of those what is entered
// cheaply, but for a kernel that is new: it may never come again.
bool Scheduler::comes_before(const GroupNeeds& group, Phase one, Phase other) const {
  const int had_one = had(group, one), had_other = had(group, other);
  const bool is_new = group.launches < 2 && !is_size_of_many(group);
  if (had_one != had_other || is_new) return had_one < had_other;
  return enter_ns(one) < enter_ns(other);
}

std::optional<Phase> Scheduler::best(GroupNeeds& group, std::int64_t now_ns, std::int64_t all_gpu_ns) {
  std::optional<Phase> best;
  bool refused = false, wants_a_time = false;
  const bool stays = group.comes_again && is_wanted(group, now_ns);
  for (const Phase phase : kOrder) {
    if (!lacks(group, phase) || now_ns < postponed_until_ns_[row_of(phase).range ? 1 : 0]) continue;
    if (row_of(phase).range && stays) continue;
    if (is_speculative(group, phase) &&
        kPartForSpeculation * (speculative_ns_ + enter_ns(phase)) > left_ns(now_ns))
      continue;
    if (has_unknown_cost(group, phase)) {
      const bool could_pay = enter_ns(phase) + launch_ns(group, phase) <= left_for_first_ns(now_ns);
      wants_a_time = wants_a_time || could_pay;
      refused = refused || !could_pay;
      continue;
    }
    if (best && !comes_before(group, phase, *best)) continue;
    if (pays(group, phase, now_ns, all_gpu_ns))
      best = phase;
    else
      refused = true;
  }
  if (best && is_speculative(group, *best)) speculative_ns_ += enter_ns(*best);
  if (refused) group.refused_for_budget = true;
  if (!best && wants_a_time) return Phase::trace;
  if (refused && !best) group.rest = rest_of(group);
  return best;
}

std::optional<Phase> Scheduler::decide(GroupNeeds& group, std::uint64_t context, std::int64_t now_ns,
                                       std::int64_t all_gpu_ns) {
  ++asked_;
  context_ = context;
  learn(group, now_ns);
  if (needs_a_time(group)) return std::nullopt;
  if (open_ && is_open(*open_) && lacks(group, *open_) && !has_unknown_cost(group, *open_) &&
      pays(group, *open_, now_ns, all_gpu_ns))
    return open_;
  return best(group, now_ns, all_gpu_ns);
}

void Scheduler::postpone(Phase phase, std::int64_t until_ns) {
  postponed_until_ns_[row_of(phase).range ? 1 : 0] = until_ns;
}

void Scheduler::charge_launch(GroupNeeds& group, Phase phase, std::int64_t cost_ns, std::int64_t now_ns) {
  const auto& row = row_of(phase);
  // Hardware counters are read while the launching thread goes on.
  group.cost_ns[index_of(phase)] = std::max(cost_ns, row.patched ? 1 : row.launch_ns);
  charge(std::max(cost_ns, row.patched ? 0 : row.launch_ns));
  auto& least_ns = least_ns_[index_of(phase)];
  least_ns = least_ns == 0 ? cost_ns : std::min(least_ns, cost_ns);
  ++group.measured;
  if (row.sweeps) used_ns_ = now_ns;
}

void Scheduler::opened(Phase phase, std::uint64_t context, std::int64_t now_ns) {
  if (row_of(phase).range) configured_ = context;
  if (!sweeps(phase)) return;
  open_ = phase;
  last_range_ = phase;
  used_ns_ = now_ns;
}

}  // namespace coalescope::recorder
