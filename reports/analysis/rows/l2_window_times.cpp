#include "reports/analysis/rows/l2_window_times.h"

#include <algorithm>
#include <limits>

namespace coalescope::analysis {
namespace {

using model::AccessProperty;
using model::L2Action;

// A launch begins after its call: by then the host may have set the next window.
constexpr std::int64_t kLaunchDelayNs = 1'000'000;
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

// The first that is later; kNever without one.
std::int64_t first_after(const std::vector<std::int64_t>& times, std::int64_t ns) {
  const auto later = std::ranges::upper_bound(times, ns);
  return later == times.end() ? kNever : *later;
}

template <class Key, class Value>
const Value& find_or_empty(const std::map<Key, Value>& map, const Key& key) {
  static const Value kEmpty;
  const auto found = map.find(key);
  return found == map.end() ? kEmpty : found->second;
}

}  // namespace

bool in_spans(const Spans& spans, std::int64_t ns) {
  const auto after = std::ranges::upper_bound(spans, ns, {}, &Spans::value_type::first);
  return after != spans.begin() && ns <= std::prev(after)->second;
}

bool persists(const model::L2Window& window) {
  return window.hit_property == AccessProperty::persisting && window.bytes > 0;
}

double bytes_wanted(const model::L2Window& window) {
  return static_cast<double>(window.bytes) * window.hit_ratio;
}

bool overlap(std::int64_t address, std::int64_t bytes, const model::L2Window& window) {
  return address < window.address + window.bytes && window.address < address + bytes;
}

std::pair<std::int64_t, std::int64_t> memory_of(const model::GroupPointer& pointer) {
  return {pointer.range_address.value_or(pointer.address), pointer.range_bytes.value_or(1)};
}

L2WindowMemory::L2WindowMemory(std::span<const model::L2Window* const> windows) {
  Spans all;
  for (const auto* window : windows) all.emplace_back(window->address, window->address + window->bytes);
  std::ranges::sort(all);
  for (const auto& [from, to] : all)
    if (!spans_.empty() && from <= spans_.back().second)
      spans_.back().second = std::max(spans_.back().second, to);
    else
      spans_.emplace_back(from, to);
}

bool L2WindowMemory::holds_a_part_of(std::span<const model::GroupPointer* const> pointers) const {
  return std::ranges::any_of(pointers, [&](const model::GroupPointer* pointer) {
    const auto [address, bytes] = memory_of(*pointer);
    const auto after = std::ranges::lower_bound(spans_, address + bytes, {}, &Spans::value_type::first);
    return after != spans_.begin() && address < std::prev(after)->second;
  });
}

L2WindowTimes::L2WindowTimes(std::span<const model::L2Window> windows,
                             std::span<const model::L2Setting> settings) {
  for (const auto& setting : settings)
    if (setting.action == L2Action::reset_persisting)
      resets_[setting.process_id].push_back(setting.set_ns);
    else
      set_aside_[setting.process_id].emplace_back(setting.set_ns, setting.bytes);
  for (const auto& window : windows) {
    set_[place_of(window)].push_back(window.set_ns);
    if (window.hit_property == AccessProperty::normal) normal_[window.process_id].push_back(&window);
  }
  for (auto& [place, times] : set_) std::ranges::sort(times);
  for (auto& [process, times] : resets_) std::ranges::sort(times);
  for (auto& [process, list] : set_aside_)
    std::ranges::stable_sort(list, {}, [](const auto& setting) { return setting.first; });
  for (const auto& window : windows) {
    const auto ended = end_of(window);
    spans_[key_of(window)].emplace_back(window.set_ns, ended ? *ended + kLaunchDelayNs : kNever);
  }
  for (auto& [key, spans] : spans_) std::ranges::sort(spans);
}

L2WindowTimes::Place L2WindowTimes::place_of(const model::L2Window& window) {
  return {window.process_id, window.stream, window.target};
}

L2WindowTimes::Key L2WindowTimes::key_of(const model::L2Window& window) {
  return {place_of(window), window.address, window.bytes, window.hit_ratio};
}

std::optional<std::int64_t> L2WindowTimes::end_of(const model::L2Window& window) const {
  const std::int64_t end = std::min(first_after(find_or_empty(set_, place_of(window)), window.set_ns),
                                    first_after(find_or_empty(resets_, window.process_id), window.set_ns));
  return end == kNever ? std::nullopt : std::optional(end);
}

const Spans& L2WindowTimes::spans_of(const model::L2Window& window) const {
  return find_or_empty(spans_, key_of(window));
}

// Lines stay when a window is only taken away: they are given back by a call, or by accesses as normal ones.
std::vector<std::int64_t> L2WindowTimes::releases_of(const model::L2Window& window) const {
  std::vector<std::int64_t> times = find_or_empty(resets_, window.process_id);
  for (const auto* other : find_or_empty(normal_, window.process_id))
    if (overlap(other->address, other->bytes, window)) times.push_back(other->set_ns);
  std::ranges::sort(times);
  return times;
}

std::optional<std::int64_t> L2WindowTimes::set_aside_before(const model::L2Window& window) const {
  const auto& list = find_or_empty(set_aside_, window.process_id);
  const auto after =
      std::ranges::upper_bound(list, window.set_ns, {}, [](const auto& setting) { return setting.first; });
  return after == list.begin() ? std::nullopt : std::prev(after)->second;
}

}  // namespace coalescope::analysis
