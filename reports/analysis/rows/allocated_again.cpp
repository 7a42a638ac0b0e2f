// For each call: (1) its allocations and frees are put in the order of time; (2) one walk over them follows a
// program that never gives memory back; (3) the GPU's idle time behind the calls that this program does not
// make. Python programs do not give device memory back themselves: the call is then the one that emptied
// the pool.

#include "reports/analysis/rows/allocated_again.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "core/base/whole.h"
#include "core/capture/limits.h"
#include "reports/analysis/rows/idle_behind_calls.h"
#include "reports/analysis/rows/spans.h"

namespace coalescope::analysis {
namespace {

using model::Allocation;
using model::AllocationKind;
using Allocations = std::vector<const Allocation*>;

// Memory of up to so many times the size that is wanted would be reused. What is larger has another use.
constexpr std::int64_t kSimilar = 2;

// Not of a pool, which keeps what is given back.
bool takes_time(const Allocation& each) {
  return model::is_pinned(each.kind) || each.kind == AllocationKind::device ||
         each.kind == AllocationKind::managed;
}

// What was given back in the same moment is not there yet.
struct Event {
  std::int64_t at_ns = 0;
  bool frees = false;
  std::size_t place = 0;
  auto operator<=>(const Event&) const = default;
};

std::vector<Event> events_of(const Allocations& allocations) {
  std::vector<Event> events;
  for (std::size_t place = 0; place < allocations.size(); ++place) {
    events.push_back({allocations[place]->allocated_ns, false, place});
    if (const auto freed_ns = allocations[place]->freed_ns) events.push_back({*freed_ns, true, place});
  }
  std::ranges::sort(events);
  return events;
}

// The allocations of one call, against a program that keeps what it pinned.
class Reuse {
 public:
  explicit Reuse(std::int64_t first_work_ns) : first_work_ns_(first_work_ns) {}

  void walk(const Allocations& allocations) {
    std::vector<std::int64_t> held;  // the size of each in that program
    for (const Allocation* each : allocations) held.push_back(each->bytes);
    for (const Event& event : events_of(allocations)) {
      const Allocation& each = *allocations[event.place];
      if (event.frees) {
        free_.emplace(held[event.place], &each);
        continue;
      }
      const auto found = free_.lower_bound(each.bytes);
      if (found == free_.end() || found->first > kSimilar * each.bytes) continue;
      held[event.place] = found->first;
      add(each, *found->second);
      free_.erase(found);
    }
  }

  [[nodiscard]] std::int64_t again() const { return again_; }
  [[nodiscard]] std::int64_t timed() const { return timed_; }
  // Of the calls that need not be made.
  [[nodiscard]] std::vector<TimeSpan>& calls() { return calls_; }

 private:
  void add(const Allocation& allocation, const Allocation& freed) {
    if (allocation.allocated_ns < first_work_ns_) return;
    ++again_;
    if (!allocation.call_ns) return;
    ++timed_;
    calls_.emplace_back(allocation.allocated_ns - *allocation.call_ns, allocation.allocated_ns);
    if (freed.free_call_ns) calls_.emplace_back(*freed.freed_ns, *freed.freed_ns + *freed.free_call_ns);
  }

  std::int64_t first_work_ns_;
  std::multimap<std::int64_t, const Allocation*> free_;  // by their sizes
  std::int64_t again_ = 0, timed_ = 0;
  std::vector<TimeSpan> calls_;
};

std::int64_t length_of(std::span<const TimeSpan> spans) {
  std::int64_t length = 0;
  for (const auto& [from, to] : spans) base::add_to(length, to - from);
  return length;
}

// With the calls that need not be made.
struct Row {
  AllocatedAgainRow row;
  std::vector<TimeSpan> calls;
};

Row row_of(const Allocations& allocations, std::span<const TimeSpan> occupied) {
  Reuse reuse(occupied.empty() ? 0 : occupied.front().first);
  if (!occupied.empty()) reuse.walk(allocations);
  Row made;
  AllocatedAgainRow& row = made.row;
  row.process_id = allocations.front()->process_id.value;
  row.kind = allocations.front()->kind;
  row.allocations = std::ssize(allocations);
  row.again = reuse.again();
  for (const Allocation* each : allocations) row.largest_bytes = std::max(row.largest_bytes, each->bytes);
  if (reuse.timed() == 0) return made;
  unite(reuse.calls());
  row.calls_ns = length_of(reuse.calls());
  made.calls = std::move(reuse.calls());
  return made;
}

// The call to change for an allocation.
struct Cause {
  std::int64_t process_id = 0;
  AllocationKind kind = AllocationKind::unknown;
  bool emptied = false;
  std::optional<std::int64_t> call_site_id;
  auto operator<=>(const Cause&) const = default;
};

Cause to_change_for(const Allocation& each, const CallStacks& stacks) {
  Cause cause{each.process_id.value, each.kind, false, std::nullopt};
  if (each.call_site_id) cause.call_site_id = each.call_site_id->value;
  if (model::is_pinned(each.kind) || !each.free_call_site_id) return cause;
  const CallSiteRow* const frees = stacks.own_frame(each.free_call_site_id->value);
  if (frees == nullptr || frees->kind != model::FrameKind::python) return cause;
  // A line that asks for memory and gives it back calls native code that does both.
  const CallSiteRow* const asks = cause.call_site_id ? stacks.own_frame(*cause.call_site_id) : nullptr;
  if (asks != nullptr && asks->file == frees->file && asks->line == frees->line) return cause;
  cause.emptied = true;
  cause.call_site_id = frees->id;
  return cause;
}

// By what is to be changed for each. Calls whose stack was not looked at are those that ask for as much
// memory most often.
std::map<Cause, Allocations> by_cause(std::span<const Allocation> allocations, const CallStacks& stacks) {
  using Request = std::tuple<std::int64_t, AllocationKind, std::int64_t>;  // process, kind, bytes
  const auto request_of = [](const Allocation& each) {
    return Request{each.process_id.value, each.kind, each.bytes};
  };
  std::map<Cause, Allocations> lists;
  std::map<Request, std::map<Cause, std::int64_t>> known;
  for (const auto& each : allocations) {
    if (!takes_time(each) || !each.call_site_id) continue;
    const Cause cause = to_change_for(each, stacks);
    lists[cause].push_back(&each);
    ++known[request_of(each)][cause];
  }
  for (const auto& each : allocations) {
    if (!takes_time(each) || each.call_site_id) continue;
    const auto causes = known.find(request_of(each));
    lists[causes == known.end()
              ? to_change_for(each, stacks)
              : std::ranges::max_element(causes->second, {}, [](const auto& cause) { return cause.second; })
                    ->first]
        .push_back(&each);
  }
  return lists;
}

std::int64_t time_of(const Allocations& allocations) {
  std::int64_t ns = 0;
  for (const Allocation* each : allocations) base::add_to(ns, each->call_ns.value_or(0));
  return ns;
}

// One repair ends what the lines of one call of a function allocate again: they are one cause, that of the
// line whose calls take longest.
std::map<Cause, Allocations> by_function(std::map<Cause, Allocations>&& lists, const CallStacks& stacks) {
  using OfFunction = std::tuple<std::int64_t, AllocationKind, bool, std::optional<std::int64_t>, std::string,
                                std::optional<std::string>, std::string>;
  std::map<OfFunction, std::pair<Cause, std::int64_t>> longest;
  std::map<OfFunction, Allocations> of_place;
  std::map<Cause, Allocations> joined;
  for (auto& [cause, list] : lists) {
    const CallSiteRow* const own = cause.call_site_id ? stacks.own_frame(*cause.call_site_id) : nullptr;
    if (own == nullptr || own->function.empty()) {
      joined.emplace(cause, std::move(list));
      continue;
    }
    const OfFunction place{cause.process_id, cause.kind, cause.emptied, own->caller_id,
                           own->function,    own->file,  own->module};
    const std::int64_t ns = time_of(list);
    auto& most = longest.try_emplace(place, cause, ns).first->second;
    if (ns > most.second) most = {cause, ns};
    std::ranges::copy(list, std::back_inserter(of_place[place]));
  }
  for (auto& [place, list] : of_place) joined.emplace(longest.at(place).first, std::move(list));
  return joined;
}

std::int64_t unlisted_of(std::int64_t process_id, std::span<const model::Diagnostic> diagnostics) {
  std::int64_t unlisted = 0;
  for (const auto& each : diagnostics)
    if (each.origin == "memory" && each.code.ends_with("_dropped") &&
        (!each.process_id || each.process_id->value == process_id))
      base::add_to(unlisted, each.count);
  return unlisted;
}

// Sets AllocatedAgainRow::idle_ns.
void take_idle(std::vector<Row>& rows, std::span<const model::Synchronization> waits,
               const OccupiedByProcess& occupied) {
  std::map<std::int64_t, std::vector<HostCall>> calls;
  for (std::size_t cause = 0; cause < rows.size(); ++cause)
    for (const auto& [from, to] : rows[cause].calls)
      calls[rows[cause].row.process_id].push_back({from, to, cause});
  if (calls.empty()) return;
  for (const auto& wait : waits)
    if (is_wait(wait))
      calls[wait.process_id.value].push_back({wait.start_ns, wait.start_ns + wait.wait_ns, kOtherCause});
  const auto behind = idle_behind_calls(std::move(calls), occupied, rows.size(),
                                        [](std::size_t, std::int64_t) { return 0.0; });
  for (std::size_t cause = 0; cause < rows.size(); ++cause)
    rows[cause].row.idle_ns = base::whole(behind[cause].idle_ns);
}

}  // namespace

std::vector<AllocatedAgainRow> allocated_again_rows(std::span<const Allocation> allocations,
                                                    std::span<const model::Diagnostic> diagnostics,
                                                    std::span<const model::Synchronization> waits,
                                                    const OccupiedByProcess& occupied,
                                                    const CallStacks& stacks) {
  std::vector<Row> found;
  for (const auto& [cause, list] : by_function(by_cause(allocations, stacks), stacks)) {
    const auto times = occupied.find(cause.process_id);
    Row made = row_of(list, times == occupied.end() ? std::span<const TimeSpan>() : times->second.all);
    AllocatedAgainRow& row = made.row;
    if (row.again == 0) continue;
    row.emptied = cause.emptied;
    row.call_site_id = cause.call_site_id;
    const CallSiteRow* const own = row.call_site_id ? stacks.own_frame(*row.call_site_id) : nullptr;
    if (own != nullptr) row.place = frame_text(*own);
    row.unlisted = unlisted_of(row.process_id, diagnostics);
    found.push_back(std::move(made));
  }
  take_idle(found, waits, occupied);
  std::vector<AllocatedAgainRow> rows;
  for (auto& each : found) rows.push_back(std::move(each.row));
  std::ranges::stable_sort(rows, std::greater{}, [](const auto& row) { return row.calls_ns.value_or(0); });
  const std::size_t longest = capture::share_of(capture::kMostNamesTogether, rows.size());
  for (auto& row : rows)
    if (row.place) row.place = capture::cut(*row.place, longest);
  return rows;
}

}  // namespace coalescope::analysis
