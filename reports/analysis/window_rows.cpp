#include "reports/analysis/window_rows.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace coalescope::analysis {
namespace {

using model::AccessProperty;
using model::MemoryKind;
using model::WindowTarget;

bool persists(const model::AccessWindow& window) {
  return window.hit_property == AccessProperty::persisting && window.bytes > 0;
}

bool overlap(std::int64_t address, std::int64_t bytes, const model::AccessWindow& window) {
  return address < window.address + window.bytes && window.address < address + bytes;
}

// Its successor on the same stream, or a call that gives persisting lines back.
std::optional<std::int64_t> end_of(const model::AccessWindow& window, const WindowInput& input) {
  std::optional<std::int64_t> end;
  const auto take = [&](std::int64_t ns) {
    if (ns > window.set_ns && (!end || ns < *end)) end = ns;
  };
  for (const auto& other : input.windows)
    if (other.process_id == window.process_id && other.stream == window.stream &&
        other.target == window.target)
      take(other.set_ns);
  for (const auto& setting : input.settings)
    if (setting.process_id == window.process_id && setting.action == model::L2Action::reset_persisting)
      take(setting.set_ns);
  return end;
}

// When its lines stopped to persist. They stay when a window is only taken away: they are given back by a
// call, or by accesses as normal ones.
std::vector<std::int64_t> releases_of(const model::AccessWindow& window, const WindowInput& input) {
  std::vector<std::int64_t> times;
  for (const auto& setting : input.settings)
    if (setting.process_id == window.process_id && setting.action == model::L2Action::reset_persisting)
      times.push_back(setting.set_ns);
  for (const auto& other : input.windows)
    if (other.process_id == window.process_id && other.hit_property == AccessProperty::normal &&
        overlap(other.address, other.bytes, window))
      times.push_back(other.set_ns);
  std::ranges::sort(times);
  return times;
}

std::optional<std::int64_t> set_aside_before(const model::AccessWindow& window, const WindowInput& input) {
  std::optional<std::int64_t> bytes;
  for (const auto& setting : input.settings)
    if (setting.process_id == window.process_id && setting.action == model::L2Action::set_aside &&
        setting.set_ns <= window.set_ns)
      bytes = setting.bytes;
  return bytes;
}

using PointersByGroup = std::unordered_map<std::int64_t, std::vector<const model::GroupPointer*>>;

bool leads_into(const std::vector<const model::GroupPointer*>& pointers, const model::AccessWindow& window) {
  return std::ranges::any_of(pointers, [&](const model::GroupPointer* pointer) {
    return overlap(pointer->range_address.value_or(pointer->address), pointer->range_bytes.value_or(1),
                   window);
  });
}

// A launch begins after its call: by then the host may have set the next window.
constexpr std::int64_t kLaunchDelayNs = 1'000'000;

bool same_window(const model::AccessWindow& a, const model::AccessWindow& b) {
  return a.process_id == b.process_id && a.stream == b.stream && a.target == b.target &&
         a.address == b.address && a.bytes == b.bytes && a.hit_ratio == b.hit_ratio;
}

// When a window was in force; a program may set it before each launch. Sorted, and apart.
using Spans = std::vector<std::pair<std::int64_t, std::int64_t>>;
Spans spans_of(const model::AccessWindow& window, const WindowInput& input) {
  Spans spans;
  for (const auto& each : input.windows) {
    if (!same_window(each, window)) continue;
    const auto ended = end_of(each, input);
    spans.emplace_back(each.set_ns, ended ? *ended + kLaunchDelayNs : INT64_MAX);
  }
  std::ranges::sort(spans);
  return spans;
}

bool in_spans(const Spans& spans, std::int64_t ns) {
  const auto after = std::ranges::upper_bound(spans, ns, {}, &Spans::value_type::first);
  return after != spans.begin() && ns <= std::prev(after)->second;
}

double bytes_wanted(const model::AccessWindow& window) {
  return static_cast<double>(window.bytes) * window.hit_ratio;
}

// Those of other streams that were in force while this one was; of a stream that set several the one that
// wants most.
std::vector<const model::AccessWindow*> others_of(const WindowRow& row, const WindowInput& input) {
  std::map<std::int64_t, const model::AccessWindow*> by_stream;
  for (const auto& other : input.windows) {
    if (!persists(other) || other.process_id.value != row.process_id || other.stream == row.window.stream)
      continue;
    const auto ended = end_of(other, input);
    if (other.set_ns >= row.ended_ns.value_or(INT64_MAX) || row.window.set_ns >= ended.value_or(INT64_MAX))
      continue;
    auto& of_stream = by_stream[other.stream.value_or(-1)];
    if (of_stream == nullptr || bytes_wanted(*of_stream) < bytes_wanted(other)) of_stream = &other;
  }
  std::vector<const model::AccessWindow*> others;
  for (const auto& [stream, window] : by_stream) others.push_back(window);
  return others;
}

// Timed launches of a group: all, and those that belong to a part.
struct Part {
  std::int64_t all = 0, some = 0;
};
using Parts = std::map<std::int64_t, Part>;

std::vector<KernelPart> parts_of(const Parts& parts) {
  std::vector<KernelPart> list;
  for (const auto& [id, part] : parts)
    if (part.some > 0) list.push_back({id, static_cast<double>(part.some) / static_cast<double>(part.all)});
  return list;
}

class Launches {
 public:
  Launches(const WindowInput& input, const PointersByGroup& pointers) : input_(input), pointers_(pointers) {}

  void take_uses(WindowRow& row) const {
    const bool of_stream = row.window.target == WindowTarget::stream;
    row.pointers_known = true;
    const Spans spans = spans_of(row.window, input_);
    std::vector<std::int64_t> uses;
    Parts users;
    for_each(row.process_id, [&](const capture::LaunchPlace& launch, std::int32_t stream,
                                 const capture::GroupView& group, const auto* leads) {
      auto& part = users[group.group_id.value];
      ++part.all;
      if (!in_spans(spans, launch.start_ns)) return;
      if (leads == nullptr) {
        row.pointers_known = false;
        return;
      }
      const bool under = of_stream ? stream == row.window.stream.value_or(-1)
                                   : group.group_id == row.window.group_id.value_or(model::GroupId{});
      if (!under || !leads_into(*leads, row.window)) return;
      row.device_id = group.device_id.value;
      ++part.some;
      ++row.launches;
      row.gpu_ns += launch.gpu_ns;
      uses.push_back(launch.start_ns);
    });
    row.users = parts_of(users);
    if (!uses.empty()) take_later(row, std::move(uses));
  }

  // The windows and this one's; their kernels are told from the pointers of each kernel's first launch.
  void take_together(WindowRow& row, std::vector<const model::AccessWindow*> windows) const {
    windows.push_back(&row.window);
    std::vector<Spans> in_force;
    for (const auto* window : windows) in_force.push_back(spans_of(*window, input_));
    Parts parts;
    Spans spans;
    std::int64_t sum_ns = 0;
    for_each(row.process_id, [&](const capture::LaunchPlace& launch, std::int32_t stream,
                                 const capture::GroupView& group, const auto* leads) {
      auto& part = parts[group.group_id.value];
      ++part.all;
      bool under = false;
      for (std::size_t i = 0; i < windows.size(); ++i)
        under = under || (windows[i]->stream == stream && in_spans(in_force[i], launch.start_ns));
      const bool uses = leads != nullptr && std::ranges::any_of(windows, [&](const auto* window) {
                          return leads_into(*leads, *window);
                        });
      if (!under || !uses) return;
      ++part.some;
      sum_ns += launch.gpu_ns;
      spans.emplace_back(launch.start_ns, launch.start_ns + launch.gpu_ns);
    });
    row.together = parts_of(parts);
    std::ranges::sort(spans);
    std::int64_t busy_ns = 0, end_ns = 0;
    for (const auto& [from, to] : spans) {
      busy_ns += std::max<std::int64_t>(0, to - std::max(from, end_ns));
      end_ns = std::max(end_ns, to);
    }
    if (busy_ns > 0) row.at_once = static_cast<double>(sum_ns) / static_cast<double>(busy_ns);
  }

 private:
  // Calls visit(launch, stream, group, pointers or nullptr).
  template <class Visit>
  void for_each(std::int64_t process, const Visit& visit) const {
    for (std::size_t at = 0; at < input_.launches.streams.size(); ++at) {
      const auto& launch = input_.launches.launches[at];
      const auto& group = input_.groups[static_cast<std::size_t>(launch.group)];
      if (group.process_id.value != process) continue;
      const auto known = pointers_.find(group.group_id.value);
      visit(launch, input_.launches.streams[at], group, known == pointers_.end() ? nullptr : &known->second);
    }
  }

  [[nodiscard]] bool uses_windows(const std::vector<const model::GroupPointer*>& pointers) const {
    return std::ranges::any_of(input_.windows, [&](const model::AccessWindow& window) {
      return persists(window) && leads_into(pointers, window);
    });
  }

  // Kernels that use any window are not those who suffer from what one leaves: they have their own part.
  void take_later(WindowRow& row, std::vector<std::int64_t> uses) const {
    std::ranges::sort(uses);
    const auto releases = releases_of(row.window, input_);
    std::map<std::int64_t, bool> uses_any;
    std::set<std::int64_t> after;  // those of the uses that the launches came after
    Parts parts;
    for_each(row.process_id, [&](const capture::LaunchPlace& launch, std::int32_t,
                                 const capture::GroupView& group, const auto* leads) {
      auto& part = parts[group.group_id.value];
      ++part.all;
      const auto used = std::ranges::lower_bound(uses, launch.start_ns);
      if (used == uses.begin()) return;
      const auto released = std::ranges::upper_bound(releases, *std::prev(used));
      if (released != releases.end() && *released <= launch.start_ns) return;
      auto any = uses_any.find(group.group_id.value);
      if (any == uses_any.end())
        any = uses_any.emplace(group.group_id.value, leads == nullptr || uses_windows(*leads)).first;
      if (any->second) return;
      ++part.some;
      ++row.later_launches;
      row.later_gpu_ns += launch.gpu_ns;
      if (*std::prev(used) != uses.back()) after.insert(*std::prev(used));
    });
    row.later = parts_of(parts);
    row.uses_after_later = static_cast<std::int64_t>(after.size());
  }

  const WindowInput& input_;
  const PointersByGroup& pointers_;
};

}  // namespace

std::vector<WindowRow> window_rows(const WindowInput& input) {
  PointersByGroup pointers;
  for (const auto& pointer : input.pointers) pointers[pointer.group_id.value].push_back(&pointer);
  const Launches launches(input, pointers);
  // A program may set its window before each launch: what is the same is judged once.
  std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, double>> seen;
  std::vector<WindowRow> rows;
  for (const auto& window : input.windows) {
    if (!persists(window)) continue;
    if (!seen.emplace(window.process_id.value, window.stream.value_or(-1), window.address, window.bytes,
                      window.hit_ratio)
             .second)
      continue;
    WindowRow& row = rows.emplace_back();
    row.process_id = window.process_id.value;
    row.window = window;
    row.ended_ns = end_of(window, input);
    row.set_aside_bytes = set_aside_before(window, input);
    const auto others = others_of(row, input);
    row.other_windows = static_cast<std::int64_t>(others.size());
    for (const auto* other : others) row.other_bytes += static_cast<std::int64_t>(bytes_wanted(*other));
    launches.take_uses(row);
    row.first_of_all = std::ranges::none_of(others, [&](const auto* other) {
      return std::pair(other->set_ns, other->stream) < std::pair(window.set_ns, window.stream);
    });
    if (row.first_of_all && !others.empty()) launches.take_together(row, others);
  }
  return rows;
}

void take_footprints(std::span<KernelRow> kernels, std::span<const model::GroupPointer> pointers) {
  struct Ranges {
    std::map<std::int64_t, std::int64_t> device, host;  // address, bytes
    bool whole = true;                                  // the size of each is known
  };
  std::unordered_map<std::int64_t, Ranges> by_group;
  for (const auto& pointer : pointers) {
    Ranges& ranges = by_group[pointer.group_id.value];
    if (!pointer.range_address || !pointer.range_bytes) {
      ranges.whole = false;
      continue;
    }
    auto& side = pointer.memory == MemoryKind::pinned || pointer.memory == MemoryKind::pageable
                     ? ranges.host
                     : ranges.device;
    side[*pointer.range_address] = *pointer.range_bytes;
  }
  const auto sum = [](const std::map<std::int64_t, std::int64_t>& side) {
    std::int64_t bytes = 0;
    for (const auto& [address, size] : side) bytes += size;
    return bytes;
  };
  for (auto& kernel : kernels) {
    const auto found = by_group.find(kernel.id);
    if (found == by_group.end() || !found->second.whole) continue;
    kernel.footprint_bytes = sum(found->second.device);
    kernel.host_footprint_bytes = sum(found->second.host);
  }
}

}  // namespace coalescope::analysis
