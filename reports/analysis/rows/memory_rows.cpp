#include "reports/analysis/rows/memory_rows.h"

#include <algorithm>
#include <map>

#include "core/base/whole.h"
#include "reports/analysis/rows/time_line.h"

namespace coalescope::analysis {
namespace {

using Allocations = std::vector<const model::Allocation*>;

// Time and difference, in the order of time: what is freed and allocated at one time is freed first.
std::vector<std::pair<std::int64_t, std::int64_t>> changes_of(
    std::span<const model::Allocation* const> allocations) {
  std::vector<std::pair<std::int64_t, std::int64_t>> changes;
  for (const auto* each : allocations) {
    changes.emplace_back(each->allocated_ns, each->bytes);
    if (each->freed_ns) changes.emplace_back(*each->freed_ns, -each->bytes);
  }
  std::ranges::sort(changes);
  return changes;
}

// What many changes within a bin come to: the highest of them, where it is higher than the last, and the
// last.
void add_bin(std::vector<LiveBytes>& steps, std::span<const LiveBytes> bin) {
  const auto highest = std::ranges::max_element(bin, {}, &LiveBytes::bytes);
  if (highest != std::prev(bin.end())) steps.push_back(*highest);
  steps.push_back(bin.back());
}

std::vector<LiveBytes> steps_of(const Allocations& allocations) {
  std::vector<LiveBytes> all;
  std::int64_t now = 0;
  for (const auto& [at_ns, difference] : changes_of(allocations)) {
    base::add_to(now, difference);
    if (!all.empty() && all.back().at_ns == at_ns)
      all.back().bytes = now;
    else
      all.push_back({at_ns, now});
  }
  if (all.size() <= static_cast<std::size_t>(kTimeBins)) return all;
  const std::int64_t bin_ns = (all.back().at_ns - all.front().at_ns) / kTimeBins + 1;
  const auto bin_of = [&](const LiveBytes& step) { return (step.at_ns - all.front().at_ns) / bin_ns; };
  std::vector<LiveBytes> steps;
  for (std::size_t first = 0; first < all.size();) {
    std::size_t last = first;
    while (last < all.size() && bin_of(all[last]) == bin_of(all[first])) ++last;
    add_bin(steps, std::span(all).subspan(first, last - first));
    first = last;
  }
  return steps;
}

}  // namespace

std::int64_t most_bytes(std::span<const model::Allocation* const> allocations) {
  std::int64_t now = 0;
  std::int64_t most = 0;
  for (const auto& [time, difference] : changes_of(allocations)) most = std::max(most, now += difference);
  return most;
}

std::vector<MemoryCourse> memory_courses(std::span<const model::Allocation> allocations) {
  std::map<std::pair<model::AllocationKind, std::int64_t>, Allocations> kinds;
  for (const auto& each : allocations)
    kinds[{each.kind, each.device_id ? each.device_id->value : 0}].push_back(&each);
  std::vector<MemoryCourse> courses;
  for (const auto& [key, members] : kinds) {
    MemoryCourse& course = courses.emplace_back();
    course.kind = key.first;
    if (key.second != 0) course.device_id = key.second;
    course.steps = steps_of(members);
  }
  return courses;
}

std::vector<AllocationPlace> allocation_places(
    std::span<const model::Allocation> allocations,
    const std::function<std::optional<std::string>(const model::Allocation&)>& place_of) {
  std::map<std::optional<std::string>, Allocations> by_place;
  for (const auto& each : allocations) by_place[place_of(each)].push_back(&each);
  std::vector<AllocationPlace> places;
  for (const auto& [place, members] : by_place) {
    AllocationPlace& row = places.emplace_back();
    row.place = place;
    for (const auto* each : members) {
      ++row.allocations;
      base::add_to(row.bytes, each->bytes);
      row.freed += each->freed_ns ? 1 : 0;
      if (each->bytes < row.largest_bytes) continue;
      row.largest_bytes = each->bytes;
      if (each->call_site_id) row.call_site_id = each->call_site_id->value;
    }
    row.most_bytes = most_bytes(members);
  }
  std::ranges::stable_sort(places, std::greater{}, &AllocationPlace::most_bytes);
  if (places.size() > kPlacesListed) places.resize(kPlacesListed);
  return places;
}

}  // namespace coalescope::analysis
