#include "injection/recorder/variants.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "core/base/whole.h"
#include "injection/recorder/group_cache.h"
#include "injection/recorder/group_table.h"

namespace coalescope::recorder {
namespace {

using model::MetricId;

// What differs by more than `noise` differs in kind. L1 counts what the kernel asks for, which is the same
// each time unless the data say otherwise, and counts the same in both phases, where asynchronous copies are
// a counter of their own in `bytes`: 82 of 82 kernels of PyTorch and CuPy agreed within 1 %. L2's counts of
// the same work differed by up to 5 %, those of different work by half or more (5,000 pairs of launches on an
// H100 and an H200). Instructions of the same work differed by less than 1 % in 572 of 576 kernels and by 8.5
// % at most, also where warps wait for each other; those of matrix products of other sizes by 23 % or more
// (48 recordings on an H100).
enum Counter : std::size_t { kL1Loads, kL1Stores, kL2Reads, kL2Writes, kL2Host, kExecuted, kCounterCount };
constexpr std::array<double, kCounterCount> kNoise{1.2, 1.2, 1.5, 1.5, 1.5, 1.1};
struct Part {
  MetricId id;
  Counter counter;
};
constexpr std::array kParts{
    Part{MetricId::l1_load_sectors, kL1Loads},        Part{MetricId::global_load_sectors, kL1Loads},
    Part{MetricId::async_copy_sectors, kL1Loads},     Part{MetricId::l1_store_sectors, kL1Stores},
    Part{MetricId::global_store_sectors, kL1Stores},  Part{MetricId::l2_read_sectors, kL2Reads},
    Part{MetricId::l2_write_sectors, kL2Writes},      Part{MetricId::l2_sysmem_sectors, kL2Host},
    Part{MetricId::executed_instructions, kExecuted},
};
constexpr double kVaries = 1.5;
constexpr int kMostRounds = 4;  // after a move, others may fit elsewhere
// Of fewer a large part may be the kernel's own code.
constexpr std::int64_t kLeast = 1000;
// A counter tells that two do the same if it has at least this part of the largest count of sectors of both.
// L1 counts nothing of what the Tensor Memory Accelerator moves, and its few other sectors are the same for
// all sizes.
constexpr double kTellingShare = 0.5;

bool is_one_thing(const Group& group) {
  return group.traffic.any() && !group.traffic.varies();
}

}  // namespace

void TrafficSeen::add(const std::vector<MetricValue>& values) {
  static_assert(kCounterCount == kCounters);
  TrafficSeen launch;
  for (const auto& [id, value] : values) {
    const auto* const part = std::ranges::find(kParts, id, &Part::id);
    if (part == kParts.end()) continue;
    auto& range = launch.ranges_[part->counter];
    const std::int64_t sum = base::sum_of(range ? range->least : 0, value);
    range = Range{sum, sum};
    launch.any_ = true;
  }
  add(launch);
}

void TrafficSeen::add(const TrafficSeen& other) {
  any_ = any_ || other.any_;
  for (std::size_t i = 0; i < kCounters; ++i) {
    if (!other.ranges_[i]) continue;
    if (!ranges_[i]) ranges_[i] = other.ranges_[i];
    ranges_[i]->least = std::min(ranges_[i]->least, other.ranges_[i]->least);
    ranges_[i]->greatest = std::max(ranges_[i]->greatest, other.ranges_[i]->greatest);
  }
}

Likeness TrafficSeen::like(const TrafficSeen& other) const {
  bool says = false;
  const double most = std::max(most_sectors(), other.most_sectors());
  for (std::size_t i = 0; i < kCounters; ++i) {
    if (!ranges_[i] || !other.ranges_[i]) continue;
    const auto beyond = [noise = kNoise[i]](const Range& high, const Range& low) {
      return high.least >= kLeast &&
             static_cast<double>(high.least) > noise * static_cast<double>(low.greatest);
    };
    if (beyond(*ranges_[i], *other.ranges_[i]) || beyond(*other.ranges_[i], *ranges_[i]))
      return Likeness::different;
    const auto sectors = static_cast<double>(std::max(ranges_[i]->greatest, other.ranges_[i]->greatest));
    says = says || (i != kExecuted && (sectors >= kTellingShare * most || most < kLeast));
  }
  return says ? Likeness::same : Likeness::unknown;
}

double TrafficSeen::most_sectors() const {
  std::int64_t most = 0;
  for (std::size_t i = 0; i < kExecuted; ++i)
    if (ranges_[i]) most = std::max(most, ranges_[i]->greatest);
  return static_cast<double>(most);
}

// Instructions say nothing here: a warp that waits repeats some, however long that takes.
bool TrafficSeen::varies() const {
  for (std::size_t i = 0; i < kExecuted; ++i)
    if (ranges_[i] && ranges_[i]->greatest >= kLeast &&
        static_cast<double>(ranges_[i]->greatest) > kVaries * static_cast<double>(ranges_[i]->least))
      return true;
  return false;
}

// Most launches of a loop have the parameters that an earlier round had, in what tells them apart.
Group& Variants::of(const LaunchInfo& launch, std::optional<model::CallSiteId> call_site,
                    const AddGroup& add) {
  CachedVariant none;
  const std::uint64_t key = words_.key_of(launch, call_site);
  CachedVariant* const own = cached_variant(key);
  CachedVariant& cached = own != nullptr ? *own : none;
  if (cached.key != key || cached.group == nullptr) cached = {key, &look_up(launch, call_site, add)};
  return *cached.group;
}

Group& Variants::look_up(const LaunchInfo& launch, std::optional<model::CallSiteId> call_site,
                         const AddGroup& add) {
  const std::lock_guard lock(mutex_);
  const auto variant = static_cast<std::size_t>(words_.variant_of(launch, call_site));
  while (groups_.size() <= variant) {
    if (behaviours_.empty()) groups_.front()->needs.join(behaviours_.emplace_back().needs);
    Group& group = add();
    group.needs.join(behaviour_of(*groups_.front()).needs);
    groups_.push_back(&group);
  }
  return *groups_[variant];
}

void Variants::move(Group& group, Behaviour& from, Behaviour& to) {
  for (std::size_t phase = 0; phase < kPhaseCount; ++phase)
    from.needs.taken[phase] -= group.needs.taken[phase];
  from.needs.gpu_ns -= group.needs.gpu_ns;
  group.needs.join(to.needs);
  for (Group* each : groups_)
    if (each->reason == model::CoverageReason::measured) each->satisfied = false;
}

bool Variants::become_one(SharedNeeds& sizes) {
  const std::lock_guard lock(mutex_);
  if (is_one_) return true;
  if (behaviours_.size() > 1) return false;
  is_one_ = true;
  for (Group* each : groups_) each->needs.join(sizes);
  return true;
}

// The first, if the function has got many shapes just now.
Variants::Behaviour& Variants::behaviour_of(const Group& group) {
  const auto own = std::find_if(behaviours_.begin(), behaviours_.end(),
                                [&](const Behaviour& each) { return &each.needs == group.needs.shared; });
  return own == behaviours_.end() ? behaviours_.front() : *own;
}

// Different if any of them is different.
Likeness Variants::like_others(const Group& group, const SharedNeeds* needs) const {
  Likeness likeness = Likeness::unknown;
  for (const Group* each : groups_) {
    if (each == &group || each->needs.shared != needs || each->traffic.varies()) continue;
    const Likeness like = group.traffic.like(each->traffic);
    if (like == Likeness::different) return like;
    if (like == Likeness::same) likeness = like;
  }
  return likeness;
}

// Its own where nothing speaks against it. One phase counts in L1, another in L2: of a variant that only one
// of them has measured, others may be known that did the same, while nothing compares it with those that it
// is with.
Variants::Behaviour& Variants::behaviour_for(Group& group) {
  Behaviour& own = behaviour_of(group);
  const Likeness like_own = like_others(group, &own.needs);
  if (like_own == Likeness::same) return own;
  for (Behaviour& each : behaviours_)
    if (like_others(group, &each.needs) == Likeness::same) return each;
  if (like_own == Likeness::unknown) return own;
  const auto left = std::ranges::find_if(behaviours_, [&](const Behaviour& each) {
    return std::ranges::none_of(groups_, [&](const Group* one) { return one->needs.shared == &each.needs; });
  });
  return left == behaviours_.end() ? behaviours_.emplace_back() : *left;
}

void Variants::measured(Group& group, const std::vector<MetricValue>& values) {
  const std::lock_guard lock(mutex_);
  group.traffic.add(values);
  if (is_one_) return;
  if (group.traffic.varies()) {
    group.needs.mixed = true;
    if (!std::exchange(uses_call_sites_, true)) words_.use_call_sites();
  }
  // What is known of one tells of the others, too.
  for (int round = 0; round < kMostRounds && settle(); ++round) {
  }
}

bool Variants::settle() {
  bool moved = false;
  if (behaviours_.empty()) return moved;
  for (Group* each : groups_) {
    if (!each->traffic.any()) continue;
    Behaviour& own = behaviour_of(*each);
    Behaviour& fits = behaviour_for(*each);
    if (&own == &fits) continue;
    move(*each, own, fits);
    moved = true;
  }
  return moved;
}

// By variant the one whose row has its launches: while all that were measured do the same, that is the first.
// A mixed variant keeps a row of its own once the others do different things, and so does one that nothing
// compares with them.
std::vector<std::size_t> Variants::rows() const {
  std::vector<std::size_t> rows(groups_.size(), 0);
  if (behaviours_.size() < 2) return rows;
  std::map<const SharedNeeds*, std::size_t> first;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto alike = static_cast<std::size_t>(words_.first_like(static_cast<int>(i)));
    rows[i] = groups_[i]->traffic.like(groups_[alike]->traffic) == Likeness::different ? i : alike;
    if (rows[i] == i && is_one_thing(*groups_[i])) first.emplace(groups_[i]->needs.shared, i);
  }
  if (first.size() < 2) return std::vector<std::size_t>(groups_.size(), 0);
  for (std::size_t& row : rows) {
    const Group& group = *groups_[row];
    const auto same = first.find(group.needs.shared);
    if (!is_one_thing(group) || same == first.end()) continue;
    if (like_others(group, group.needs.shared) == Likeness::same) row = same->second;
  }
  return rows;
}

std::vector<model::KernelGroup> Variants::take_changed_rows() {
  const std::lock_guard lock(mutex_);
  const std::vector<std::size_t> rows = this->rows();
  const bool several = std::ranges::any_of(rows, [](std::size_t row) { return row != 0; });
  told_.resize(groups_.size());
  std::vector<model::KernelGroup> changed;
  std::int64_t number = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Told now;
    if (rows[i] != i) now.same_as = groups_[rows[i]]->row.id;
    if (rows[i] == i && several) now.variant = ++number;
    if (now.variant && i > 0) now.parameters = words_.difference(static_cast<int>(i), 0);
    if (now == told_[i]) continue;
    told_[i] = now;
    model::KernelGroup& row = changed.emplace_back(groups_[i]->row);
    row.same_as = now.same_as;
    row.variant = now.variant;
    row.parameters = now.parameters;
  }
  return changed;
}

std::vector<model::ParameterValues> Variants::take_changed_values() {
  const std::lock_guard lock(mutex_);
  auto values = words_.values();
  for (auto& each : values) each.group_id = groups_.front()->row.id;
  std::vector<model::ParameterValues> changed;
  std::ranges::copy_if(values, std::back_inserter(changed), [&](const model::ParameterValues& each) {
    return std::ranges::find(told_values_, each) == told_values_.end();
  });
  told_values_ = std::move(values);
  return changed;
}

}  // namespace coalescope::recorder
