#include "reports/analysis/rows/copy_bursts.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "core/base/whole.h"

namespace coalescope::analysis {
namespace {

// A class of copies but for its sizes.
using CopyKind = std::tuple<std::int64_t, model::Direction, model::MemoryKind, model::MemoryKind, bool>;

struct CopyClass {
  TransferRow* row = nullptr;
  std::ptrdiff_t launches_before = -1;         // its last copy
  std::int64_t burst_bytes = 0;                // of the last burst so far
  std::vector<double> later_ns_per_byte = {};  // of the copies after the first burst
};

// When each device's kernels began, in the order of time.
using Beginnings = std::map<std::int64_t, std::vector<std::int64_t>>;

Beginnings beginnings_of(const capture::LaunchPlaces& launches, std::span<const capture::GroupView> groups) {
  Beginnings all;
  for (const auto* list : {&launches.launches, &launches.measured})
    for (const capture::LaunchPlace& launch : *list)
      all[groups[static_cast<std::size_t>(launch.group)].device_id.value].push_back(launch.start_ns);
  for (auto& [device, times] : all) std::ranges::sort(times);
  return all;
}

using CopyClasses = std::map<CopyKind, std::vector<CopyClass>>;

CopyClass* class_of(CopyClasses& classes, const capture::TransferPlace& copy) {
  const auto kind = classes.find(
      {copy.device, copy.direction, copy.source_memory, copy.destination_memory, copy.asynchronous});
  if (kind == classes.end()) return nullptr;
  const auto found = std::ranges::find_if(kind->second, [&](const CopyClass& each) {
    return copy.bytes >= each.row->smallest_bytes && copy.bytes <= each.row->largest_bytes;
  });
  return found == kind->second.end() ? nullptr : &*found;
}

// The most that the memory of each device held.
std::map<std::int64_t, std::int64_t> most_held(std::span<const MemoryCourse> memory) {
  std::map<std::int64_t, std::int64_t> held;
  for (const MemoryCourse& course : memory)
    if (course.device_id && !course.steps.empty())
      base::add_to(held[*course.device_id], std::ranges::max(course.steps, {}, &LiveBytes::bytes).bytes);
  return held;
}

void add_copy(CopyClass& to, const capture::TransferPlace& copy, std::ptrdiff_t launches_before,
              std::int64_t held_bytes) {
  TransferRow& row = *to.row;
  base::add_to(to.burst_bytes, copy.bytes);
  const bool copied_again = held_bytes > 0 && to.burst_bytes > held_bytes;
  if (to.launches_before != launches_before || copied_again) {
    row.bursts = row.bursts.value_or(0) + 1;
    to.burst_bytes = copy.bytes;
  }
  to.launches_before = launches_before;
  if (*row.bursts == 1)
    row.first_burst_bytes = base::sum_of(row.first_burst_bytes.value_or(0), copy.bytes);
  else if (copy.bytes > 0)
    to.later_ns_per_byte.push_back(static_cast<double>(copy.gpu_ns) / static_cast<double>(copy.bytes));
}

void take_median(CopyClass& of) {
  auto& list = of.later_ns_per_byte;
  if (list.empty()) return;
  const auto middle = list.begin() + std::ssize(list) / 2;
  std::ranges::nth_element(list, middle);
  of.row->later_ns_per_byte = *middle;
}

}  // namespace

void take_bursts(std::span<TransferRow> rows, std::span<const capture::TransferPlace> copies,
                 const capture::LaunchPlaces& launches, std::span<const capture::GroupView> groups,
                 std::span<const MemoryCourse> memory) {
  const auto held = most_held(memory);
  const Beginnings beginnings = beginnings_of(launches, groups);
  CopyClasses classes;
  for (TransferRow& row : rows)
    classes[{row.device_id, row.direction, row.source_memory, row.destination_memory, row.asynchronous}]
        .push_back({&row});
  std::vector<const capture::TransferPlace*> in_order;
  for (const auto& copy : copies) in_order.push_back(&copy);
  std::ranges::stable_sort(in_order, {}, &capture::TransferPlace::start_ns);
  for (const auto* copy : in_order) {
    CopyClass* const of = class_of(classes, *copy);
    if (of == nullptr) continue;
    const auto times = beginnings.find(copy->device);
    const auto bytes = held.find(copy->device);
    add_copy(*of, *copy,
             times == beginnings.end()
                 ? 0
                 : std::ranges::upper_bound(times->second, copy->start_ns) - times->second.begin(),
             bytes == held.end() ? 0 : bytes->second);
  }
  for (auto& [kind, all] : classes)
    for (CopyClass& each : all)
      if (each.row->bursts > 1 || each.row->transfers == 1 || held.contains(each.row->device_id))
        take_median(each);
      else  // whether memory was copied again is not known
        each.row->bursts = each.row->first_burst_bytes = std::nullopt;
}

}  // namespace coalescope::analysis
