#include "reports/analysis/rows/copy_bursts.h"

#include <algorithm>
#include <map>
#include <vector>

#include "core/base/whole.h"
#include "reports/analysis/rows/copy_classes.h"

namespace coalescope::analysis {
namespace {

// What a program copies while it is set up comes before nearly all kernels, and the device holds all of it.
constexpr double kSetUp = 0.05;  // of the device's launches

struct Bursts {
  std::ptrdiff_t launches_before = -1;         // its last copy
  std::int64_t bytes = 0;                      // of all copies
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

// The most that the memory of each device held.
std::map<std::int64_t, std::int64_t> most_held(std::span<const MemoryCourse> memory) {
  std::map<std::int64_t, std::int64_t> held;
  for (const MemoryCourse& course : memory)
    if (course.device_id && !course.steps.empty())
      base::add_to(held[*course.device_id], std::ranges::max(course.steps, {}, &LiveBytes::bytes).bytes);
  return held;
}

void add_copy(TransferRow& row, Bursts& to, const capture::TransferPlace& copy,
              std::ptrdiff_t launches_before, std::int64_t held_bytes) {
  base::add_to(to.bytes, copy.bytes);
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

bool are_of_set_up(const Bursts& of, const Beginnings& beginnings, std::int64_t device,
                   std::int64_t held_bytes) {
  const auto times = beginnings.find(device);
  if (times == beginnings.end() || of.bytes > held_bytes) return false;
  return static_cast<double>(of.launches_before) <= kSetUp * static_cast<double>(times->second.size());
}

void take_median(TransferRow& row, Bursts& of) {
  auto& list = of.later_ns_per_byte;
  if (list.empty()) return;
  const auto middle = list.begin() + std::ssize(list) / 2;
  std::ranges::nth_element(list, middle);
  row.later_ns_per_byte = *middle;
}

}  // namespace

void take_bursts(std::span<TransferRow> rows, std::span<const capture::TransferPlace> copies,
                 const capture::LaunchPlaces& launches, std::span<const capture::GroupView> groups,
                 std::span<const MemoryCourse> memory) {
  const auto held = most_held(memory);
  const Beginnings beginnings = beginnings_of(launches, groups);
  const CopyClasses classes(rows);
  std::vector<Bursts> bursts(rows.size());
  std::vector<const capture::TransferPlace*> in_order;
  for (const auto& copy : copies) in_order.push_back(&copy);
  std::ranges::stable_sort(in_order, {}, &capture::TransferPlace::start_ns);
  for (const auto* copy : in_order) {
    const auto of = classes.of(*copy);
    if (!of) continue;
    const auto times = beginnings.find(copy->device);
    const auto bytes = held.find(copy->device);
    add_copy(rows[*of], bursts[*of], *copy,
             times == beginnings.end()
                 ? 0
                 : std::ranges::upper_bound(times->second, copy->start_ns) - times->second.begin(),
             bytes == held.end() ? 0 : bytes->second);
  }
  for (std::size_t place = 0; place < rows.size(); ++place) {
    TransferRow& row = rows[place];
    const auto bytes = held.find(row.device_id);
    if (row.bursts > 1 && bytes != held.end() &&
        are_of_set_up(bursts[place], beginnings, row.device_id, bytes->second)) {
      row.bursts = 1;
      row.first_burst_bytes = bursts[place].bytes;
    }
    if (row.bursts > 1 || row.transfers == 1 || held.contains(row.device_id))
      take_median(row, bursts[place]);
    else  // whether memory was copied again is not known
      row.bursts = row.first_burst_bytes = std::nullopt;
  }
}

}  // namespace coalescope::analysis
