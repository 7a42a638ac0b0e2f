#include "reports/analysis/rows/l2_window_rows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/base/whole.h"
#include "reports/analysis/rows/l2_window_times.h"

namespace coalescope::analysis {
namespace {

using model::L2WindowTarget;
using model::MemoryKind;

// Each is compared with every launch. Real programs set a handful.
constexpr std::size_t kMostJudged = 100;

using Pointers = std::vector<const model::GroupPointer*>;
using PointersByGroup = std::unordered_map<std::int64_t, Pointers>;

bool leads_into(const Pointers& pointers, const model::L2Window& window) {
  return std::ranges::any_of(pointers, [&](const model::GroupPointer* pointer) {
    const auto [address, bytes] = memory_of(*pointer);
    return overlap(address, bytes, window);
  });
}

// Those of other streams that were in force while this one was; of a stream that set several the one that
// wants most.
std::map<std::int64_t, const model::L2Window*> others_of(const L2WindowRow& row, const L2WindowInput& input,
                                                         const L2WindowTimes& times) {
  std::map<std::int64_t, const model::L2Window*> by_stream;
  for (const auto& other : input.windows) {
    if (!persists(other) || other.process_id.value != row.process_id || other.stream == row.window.stream)
      continue;
    const auto ended = times.end_of(other);
    if (other.set_ns >= row.ended_ns.value_or(INT64_MAX) || row.window.set_ns >= ended.value_or(INT64_MAX))
      continue;
    auto& of_stream = by_stream[other.stream.value_or(-1)];
    if (of_stream == nullptr || bytes_wanted(*of_stream) < bytes_wanted(other)) of_stream = &other;
  }
  return by_stream;
}

// An answer for each group, found out when it is first asked for.
class OfGroups {
 public:
  explicit OfGroups(std::size_t groups) : answers_(groups) {}

  template <class Ask>
  bool get(std::size_t group, const Ask& ask) {
    auto& answer = answers_[group];
    if (!answer) answer = ask();
    return *answer;
  }

 private:
  std::vector<std::optional<bool>> answers_;
};

// The launches of a process, and which of them a window concerns.
class Launches {
 public:
  Launches(const L2WindowInput& input, const PointersByGroup& pointers, const L2WindowTimes& times)
      : input_(input), times_(times), all_(input.groups.size()) {
    for (const auto& group : input.groups) {
      const auto known = pointers.find(group.group_id.value);
      pointers_.push_back(known == pointers.end() ? nullptr : &known->second);
    }
    for (const auto& launch : input.launches.launches) ++all_[static_cast<std::size_t>(launch.group)];
    Windows persisting;
    for (const auto& window : input.windows)
      if (persists(window)) persisting.push_back(&window);
    in_any_.emplace(persisting);
  }

  void take_uses(L2WindowRow& row) const {
    const bool of_stream = row.window.target == L2WindowTarget::stream;
    row.pointers_known = true;
    const Spans& spans = times_.spans_of(row.window);
    std::vector<std::int64_t> uses;
    Parts users(all_.size());
    OfGroups leads(all_.size());
    for_each(row.process_id, [&](const capture::LaunchPlace& launch, std::int32_t stream, std::size_t at) {
      if (!in_spans(spans, launch.start_ns)) return;
      if (pointers_[at] == nullptr) {
        row.pointers_known = false;
        return;
      }
      const auto& group = input_.groups[at];
      const bool under = of_stream ? stream == row.window.stream.value_or(-1)
                                   : group.group_id == row.window.group_id.value_or(model::GroupId{});
      if (!under || !leads.get(at, [&] { return leads_into(*pointers_[at], row.window); })) return;
      row.device_id = group.device_id.value;
      ++users[at];
      ++row.launches;
      row.gpu_ns += launch.gpu_ns;
      uses.push_back(launch.start_ns);
    });
    row.users = shares_of(users);
    if (!uses.empty()) take_later(row, std::move(uses));
  }

  // The windows and this one's; their kernels are told from the pointers of each kernel's first launch.
  void take_together(L2WindowRow& row, std::map<std::int64_t, const model::L2Window*> by_stream) const {
    by_stream[row.window.stream.value_or(-1)] = &row.window;
    Windows windows;
    for (const auto& [stream, window] : by_stream) windows.push_back(window);
    const L2WindowMemory memory(windows);
    OfGroups uses(all_.size());
    Parts parts(all_.size());
    Spans spans;
    std::int64_t sum_ns = 0;
    for_each(row.process_id, [&](const capture::LaunchPlace& launch, std::int32_t stream, std::size_t at) {
      const auto window = by_stream.find(stream);
      if (window == by_stream.end() || !in_spans(times_.spans_of(*window->second), launch.start_ns)) return;
      if (pointers_[at] == nullptr || !uses.get(at, [&] { return memory.holds_a_part_of(*pointers_[at]); }))
        return;
      ++parts[at];
      sum_ns += launch.gpu_ns;
      spans.emplace_back(launch.start_ns, launch.start_ns + launch.gpu_ns);
    });
    row.together = shares_of(parts);
    std::ranges::sort(spans);
    std::int64_t busy_ns = 0, end_ns = 0;
    for (const auto& [from, to] : spans) {
      busy_ns += std::max<std::int64_t>(0, to - std::max(from, end_ns));
      end_ns = std::max(end_ns, to);
    }
    if (busy_ns > 0) row.at_once = static_cast<double>(sum_ns) / static_cast<double>(busy_ns);
  }

 private:
  using Parts = std::vector<std::int64_t>;  // launches of each group
  using Windows = std::vector<const model::L2Window*>;

  // Calls visit(launch, stream, place of the group).
  template <class Visit>
  void for_each(std::int64_t process, const Visit& visit) const {
    for (std::size_t at = 0; at < input_.launches.streams.size(); ++at) {
      const auto& launch = input_.launches.launches[at];
      const auto group = static_cast<std::size_t>(launch.group);
      if (input_.groups[group].process_id.value == process) visit(launch, input_.launches.streams[at], group);
    }
  }

  [[nodiscard]] std::vector<KernelPart> shares_of(const Parts& parts) const {
    std::vector<KernelPart> list;
    for (std::size_t at = 0; at < parts.size(); ++at)
      if (parts[at] > 0)
        list.push_back({input_.groups[at].group_id.value,
                        static_cast<double>(parts[at]) / static_cast<double>(all_[at])});
    std::ranges::sort(list, {}, &KernelPart::kernel_id);
    return list;
  }

  // Kernels that use any window are not those who suffer from what one leaves: they have their own part.
  void take_later(L2WindowRow& row, std::vector<std::int64_t> uses) const {
    std::ranges::sort(uses);
    const auto releases = times_.releases_of(row.window);
    OfGroups uses_any(all_.size());
    std::set<std::int64_t> after;  // those of the uses that the launches came after
    Parts parts(all_.size());
    for_each(row.process_id, [&](const capture::LaunchPlace& launch, std::int32_t, std::size_t at) {
      const auto used = std::ranges::lower_bound(uses, launch.start_ns);
      if (used == uses.begin()) return;
      const auto released = std::ranges::upper_bound(releases, *std::prev(used));
      if (released != releases.end() && *released <= launch.start_ns) return;
      if (uses_any.get(at,
                       [&] { return pointers_[at] == nullptr || in_any_->holds_a_part_of(*pointers_[at]); }))
        return;
      ++parts[at];
      ++row.later_launches;
      row.later_gpu_ns += launch.gpu_ns;
      if (*std::prev(used) != uses.back()) after.insert(*std::prev(used));
    });
    row.later = shares_of(parts);
    row.uses_after_later = static_cast<std::int64_t>(after.size());
  }

  const L2WindowInput& input_;
  const L2WindowTimes& times_;
  Parts all_;
  std::vector<const Pointers*> pointers_;  // of each group; nullptr: not recorded
  std::optional<L2WindowMemory> in_any_;   // that persists
};

// A program may set its window before each launch: what is the same is judged once.
std::vector<const model::L2Window*> distinct(const L2WindowInput& input) {
  std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, double>> seen;
  std::vector<const model::L2Window*> windows;
  for (const auto& window : input.windows)
    if (persists(window) && seen.emplace(window.process_id.value, window.stream.value_or(-1), window.address,
                                         window.bytes, window.hit_ratio)
                                .second)
      windows.push_back(&window);
  return windows;
}

}  // namespace

L2WindowRows l2_window_rows(const L2WindowInput& input) {
  PointersByGroup pointers;
  for (const auto& pointer : input.pointers) pointers[pointer.group_id.value].push_back(&pointer);
  const L2WindowTimes times(input.windows, input.settings);
  const Launches launches(input, pointers, times);
  L2WindowRows result;
  for (const auto* window : distinct(input)) {
    if (result.rows.size() == kMostJudged) {
      ++result.left_out;
      continue;
    }
    L2WindowRow& row = result.rows.emplace_back();
    row.process_id = window->process_id.value;
    row.window = *window;
    row.ended_ns = times.end_of(*window);
    row.set_aside_bytes = times.set_aside_before(*window);
    const auto others = others_of(row, input, times);
    row.other_windows = static_cast<std::int64_t>(others.size());
    for (const auto& [stream, other] : others)
      base::add_to(row.other_bytes, base::whole(std::floor(bytes_wanted(*other))));
    launches.take_uses(row);
    row.first_of_all = std::ranges::none_of(others, [&](const auto& other) {
      return std::pair(other.second->set_ns, other.second->stream) <
             std::pair(window->set_ns, window->stream);
    });
    if (row.first_of_all && !others.empty()) launches.take_together(row, others);
  }
  return result;
}

}  // namespace coalescope::analysis
