#include "injection/recorder/event_pairs.h"

#include <algorithm>

namespace coalescope::recorder {
namespace {

// A program that has recorded so many events without reading a time uses them to wait.
constexpr std::int64_t kMostUnread = 64;

}  // namespace

void EventPairs::created(std::uint64_t event, bool keeps_time) {
  const std::lock_guard lock(mutex_);
  events_[event] = Event{keeps_time};
}

void EventPairs::destroyed(std::uint64_t event) {
  const std::lock_guard lock(mutex_);
  events_.erase(event);
}

void EventPairs::find_youngest() {
  std::uint64_t youngest = 0;
  for (const auto& [stream, pair] : pairs_) youngest = std::max(youngest, pair.number);
  open_.store(youngest, std::memory_order_release);
}

void EventPairs::close(std::uint64_t stream, Event& event) {
  const auto pair = pairs_.find(stream);
  if (pair == pairs_.end()) return;
  event.measured = pair->second.measured;
  pairs_.erase(pair);
}

void EventPairs::recorded(std::uint64_t event, std::uint64_t stream) {
  const std::lock_guard lock(mutex_);
  Event& known = events_[event];
  if (!known.keeps_time) return;
  if (!any_read_ && ++unread_ > kMostUnread) {
    pairs_.clear();
    open_.store(0, std::memory_order_release);
    return;
  }
  const bool closes = pairs_.contains(stream) && (known.ends || !known.starts);
  const bool opens = known.starts || (!known.ends && !closes);
  if (closes) close(stream, known);
  if (opens) pairs_[stream] = Pair{++last_number_};
  find_youngest();
}

std::int64_t EventPairs::read(std::uint64_t start, std::uint64_t end) {
  const std::lock_guard lock(mutex_);
  any_read_ = true;
  events_[start].starts = true;
  Event& last = events_[end];
  last.ends = true;
  return last.measured;
}

void EventPairs::measured() {
  const std::lock_guard lock(mutex_);
  for (auto& [stream, pair] : pairs_) ++pair.measured;
}

}  // namespace coalescope::recorder
