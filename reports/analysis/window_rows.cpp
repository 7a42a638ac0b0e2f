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

// Lines stay persisting when a window is only taken away: they are given back by a call, or by accesses as
// normal ones.
bool released(const model::AccessWindow& window, const WindowInput& input) {
  const bool reset = std::ranges::any_of(input.settings, [&](const model::L2Setting& setting) {
    return setting.process_id == window.process_id && setting.action == model::L2Action::reset_persisting &&
           setting.set_ns > window.set_ns;
  });
  return reset || std::ranges::any_of(input.windows, [&](const model::AccessWindow& other) {
           return other.process_id == window.process_id && other.set_ns > window.set_ns &&
                  other.hit_property == AccessProperty::normal && overlap(other.address, other.bytes, window);
         });
}

std::optional<std::int64_t> set_aside_before(const model::AccessWindow& window, const WindowInput& input) {
  std::optional<std::int64_t> bytes;
  for (const auto& setting : input.settings)
    if (setting.process_id == window.process_id && setting.action == model::L2Action::set_aside &&
        setting.set_ns <= window.set_ns)
      bytes = setting.bytes;
  return bytes;
}

void take_others(WindowRow& row, const WindowInput& input) {
  for (const auto& other : input.windows) {
    if (!persists(other) || other.process_id.value != row.process_id || other.stream == row.window.stream)
      continue;
    const auto ended = end_of(other, input);
    const bool together =
        other.set_ns < row.ended_ns.value_or(INT64_MAX) && row.window.set_ns < ended.value_or(INT64_MAX);
    if (!together) continue;
    ++row.other_windows;
    row.other_bytes += static_cast<std::int64_t>(static_cast<double>(other.bytes) * other.hit_ratio);
  }
}

using PointersByGroup = std::unordered_map<std::int64_t, std::vector<const model::GroupPointer*>>;

bool leads_into(const std::vector<const model::GroupPointer*>& pointers, const model::AccessWindow& window) {
  return std::ranges::any_of(pointers, [&](const model::GroupPointer* pointer) {
    return overlap(pointer->range_address.value_or(pointer->address), pointer->range_bytes.value_or(1),
                   window);
  });
}

void take_launches(WindowRow& row, const WindowInput& input, const PointersByGroup& pointers) {
  const bool of_stream = row.window.target == WindowTarget::stream;
  row.pointers_known = true;
  std::int64_t last_use = row.window.set_ns;
  std::vector<std::pair<std::int64_t, std::int64_t>> others;  // start, time
  for (std::size_t at = 0; at < input.launches.streams.size(); ++at) {
    const auto& launch = input.launches.launches[at];
    const auto& group = input.groups[static_cast<std::size_t>(launch.group)];
    if (group.process_id.value != row.process_id || launch.start_ns < row.window.set_ns) continue;
    const auto known = pointers.find(group.group_id.value);
    if (known == pointers.end()) {
      row.pointers_known = false;
      continue;
    }
    const bool under = of_stream ? input.launches.streams[at] == row.window.stream.value_or(-1)
                                 : group.group_id == row.window.group_id.value_or(model::GroupId{});
    if (under && leads_into(known->second, row.window)) {
      row.device_id = group.device_id.value;
      ++row.launches;
      row.gpu_ns += launch.gpu_ns;
      last_use = std::max(last_use, launch.start_ns);
    } else {
      others.emplace_back(launch.start_ns, launch.gpu_ns);
    }
  }
  if (row.launches == 0 || released(row.window, input)) return;
  for (const auto& [start_ns, gpu_ns] : others) {
    if (start_ns < last_use) continue;
    ++row.later_launches;
    row.later_gpu_ns += gpu_ns;
  }
}

}  // namespace

std::vector<WindowRow> window_rows(const WindowInput& input) {
  PointersByGroup pointers;
  for (const auto& pointer : input.pointers) pointers[pointer.group_id.value].push_back(&pointer);
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
    take_others(row, input);
    take_launches(row, input, pointers);
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
