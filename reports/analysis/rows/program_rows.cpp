#include "reports/analysis/rows/program_rows.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/base/demangle.h"
#include "core/base/whole.h"
#include "core/capture/limits.h"
#include "reports/analysis/figures/names.h"
#include "reports/analysis/rows/memory_rows.h"
#include "reports/analysis/rows/migrations.h"

namespace coalescope::analysis {
namespace {

using base::Result;

constexpr std::size_t kLargest = 20;

// The rows of one table, less those of processes that are not `wanted`.
template <class Row>
Result<void> read(capture::Reader& reader, const std::set<std::int64_t>& wanted, std::vector<Row>& rows) {
  auto found = reader.rows<Row>();
  if (!found) return base::relay(found);
  rows = std::move(*found);
  if constexpr (requires(const Row& row) { row.process_id.value; })
    std::erase_if(rows, [&](const Row& row) { return !wanted.contains(row.process_id.value); });
  return {};
}

std::optional<std::int64_t> number(const std::optional<model::DeviceId>& id) {
  return id ? std::optional(id->value) : std::nullopt;
}

// The calls around the author's own, which is the place itself.
std::optional<std::string> callers_of(const CallStacks& stacks, std::int64_t site) {
  const CallSiteRow* const own = stacks.own_frame(site);
  const auto frames = stacks.stack(site);
  const auto place = std::ranges::find(frames, own);
  if (place == frames.end() || std::next(place) == frames.end()) return std::nullopt;
  std::string text;
  for (auto frame = std::next(place); frame != frames.end(); ++frame)
    text += (text.empty() ? "" : "\n") + frame_text(**frame);
  return text;
}

// What is known of the places that calls came from.
struct Sites {
  const CallStacks& stacks;
  std::unordered_map<std::int64_t, const model::CallSite*> rows;
};

std::optional<std::string> place_of(const model::Allocation& allocation, const Sites& sites) {
  if (!allocation.call_site_id) return std::nullopt;
  const CallSiteRow* own = sites.stacks.own_frame(allocation.call_site_id->value);
  return own ? std::optional(capture::cut(frame_text(*own), capture::kMostNamesTogether / kPlacesListed))
             : std::nullopt;
}

// Many allocations may come from one place: no more than `most` bytes of its names are held for each.
AllocationRow row_of(const model::Allocation& allocation, const Sites& sites, std::size_t most) {
  AllocationRow row;
  row.id = allocation.id;
  row.kind = allocation.kind;
  row.device_id = number(allocation.device_id);
  row.bytes = allocation.bytes;
  row.allocated_ns = allocation.allocated_ns;
  row.freed_ns = allocation.freed_ns;
  if (!allocation.call_site_id) return row;
  const auto site = sites.rows.find(allocation.call_site_id->value);
  if (site == sites.rows.end()) return row;
  row.call_site_id = allocation.call_site_id->value;
  if (const CallSiteRow* own = sites.stacks.own_frame(*row.call_site_id))
    row.place = capture::cut(frame_text(*own), most);
  if (allocation.pytorch_pool.value_or(false))
    row.place = row.place ? "PyTorch's pool, grown by " + *row.place : "PyTorch's pool";
  const auto& older = site->second->callers;  // of files before schema 5
  if (const auto callers = older ? older : callers_of(sites.stacks, *row.call_site_id))
    row.callers = capture::cut(*callers, most);
  return row;
}

std::vector<AllocationSum> sums_of(const std::vector<model::Allocation>& allocations) {
  std::map<std::pair<model::AllocationKind, std::int64_t>, std::vector<const model::Allocation*>> classes;
  for (const auto& each : allocations)
    classes[{each.kind, number(each.device_id).value_or(0)}].push_back(&each);
  std::vector<AllocationSum> sums;
  for (const auto& [key, members] : classes) {
    AllocationSum& sum = sums.emplace_back();
    sum.kind = key.first;
    if (key.second != 0) sum.device_id = key.second;
    for (const auto* each : members) {
      ++sum.allocations;
      sum.bytes += each->bytes;
      sum.largest_bytes = std::max(sum.largest_bytes, each->bytes);
      sum.freed += each->freed_ns ? 1 : 0;
    }
    sum.most_bytes = most_bytes(members);
  }
  std::ranges::stable_sort(sums, std::greater{}, &AllocationSum::bytes);
  return sums;
}

std::vector<AllocationRow> largest_of(const std::vector<model::Allocation>& allocations, const Sites& sites) {
  std::vector<const model::Allocation*> order;
  for (const auto& each : allocations) order.push_back(&each);
  std::ranges::stable_sort(order, std::greater{}, [](const auto* each) { return each->bytes; });
  std::vector<AllocationRow> rows;
  for (const auto* each : order) {
    if (rows.size() == kLargest) break;
    rows.push_back(row_of(*each, sites, capture::kMostNamesTogether / kLargest));
  }
  return rows;
}

std::int64_t moved_bytes(const AllocationRow& row) {
  return row.migration.bytes_to_device + row.migration.bytes_to_host + row.migration.bytes_between_devices;
}

// An address may have belonged to several allocations, one after the other.
std::vector<AllocationRow> migrations_of(const ProgramTables& tables, const Sites& sites) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<const model::Allocation*>> managed;
  for (const auto& each : tables.allocations)
    if (each.kind == model::AllocationKind::managed)
      managed[{each.process_id.value, each.address}].push_back(&each);
  constexpr auto kAllocatedNs = [](const model::Allocation* each) { return each->allocated_ns; };
  for (auto& [place, list] : managed) std::ranges::stable_sort(list, {}, kAllocatedNs);
  const auto find = [&](const model::UnifiedMemory& record) -> const model::Allocation* {
    auto place = managed.upper_bound({record.process_id.value, record.address});
    if (place == managed.begin()) return nullptr;
    --place;
    if (place->first.first != record.process_id.value) return nullptr;
    const auto later = std::ranges::upper_bound(place->second, record.start_ns, {}, kAllocatedNs);
    if (later == place->second.begin()) return nullptr;
    const auto* last = *std::prev(later);
    const bool there = record.address < last->address + last->bytes &&
                       (!last->freed_ns || record.start_ns <= *last->freed_ns);
    return there ? last : nullptr;
  };
  const std::size_t longest = capture::share_of(capture::kMostNamesTogether, tables.allocations.size());
  const auto recorded = recorded_parts(tables);
  std::map<std::int64_t, AllocationRow> rows;
  std::vector<MovedPiece> pieces;
  for (const auto& record : tables.unified_memory) {
    const model::Allocation* allocation = find(record);
    const std::int64_t id = allocation == nullptr ? 0 : allocation->id;
    auto row = rows.find(id);
    if (row == rows.end()) {
      AllocationRow fresh;
      fresh.kind = model::AllocationKind::managed;
      row = rows.emplace(id, allocation == nullptr ? fresh : row_of(*allocation, sites, longest)).first;
      if (const auto part = recorded.find(record.process_id.value); part != recorded.end()) {
        row->second.migration.recorded_kernel_ns = part->second.recorded_ns;
        row->second.migration.kernel_ns = part->second.whole_ns;
      }
    }
    add(row->second.migration, record);
    if (tells_of_moves(record)) pieces.push_back({&record, &row->second.migration});
  }
  take_order(std::move(pieces));
  std::vector<AllocationRow> list;
  for (auto& [id, row] : rows) list.push_back(std::move(row));
  std::ranges::stable_sort(list, std::greater{}, moved_bytes);
  return list;
}

// Who asked for the memory that a pointer led to.
void take_place(PointerRow& row, const model::GroupPointer& pointer, const model::Allocation* allocation,
                const CallStacks& stacks, std::size_t most) {
  const bool pooled = allocation != nullptr && allocation->pytorch_pool.value_or(false);
  std::optional<model::CallSiteId> site = pointer.call_site_id;
  if (!site && allocation != nullptr && !pooled) site = allocation->call_site_id;
  if (site) row.call_site_id = site->value;
  const CallSiteRow* const own = site ? stacks.own_frame(site->value) : nullptr;
  if (own != nullptr)
    row.place = capture::cut(frame_text(*own), most);
  else if (pooled)
    row.place = "inside PyTorch's pool";
}

std::vector<PointerRow> pointers_of(const ProgramTables& tables, std::span<const KernelRow> kernels,
                                    const CallStacks& stacks) {
  std::unordered_map<std::int64_t, std::vector<const model::GroupPointer*>> by_group;
  for (const auto& each : tables.pointers) by_group[each.group_id.value].push_back(&each);
  std::unordered_map<std::int64_t, const model::Allocation*> allocations;
  for (const auto& each : tables.allocations) allocations[each.id] = &each;
  const std::size_t longest = capture::share_of(capture::kMostNamesTogether, tables.pointers.size());
  std::vector<PointerRow> rows;
  for (const auto& kernel : kernels) {
    const auto found = by_group.find(kernel.id);
    if (found == by_group.end()) continue;
    for (const auto* each : found->second) {
      PointerRow& row = rows.emplace_back();
      row.kernel_id = kernel.id;
      row.kernel_name = kernel.name;
      row.parameter = each->parameter;
      row.memory = each->memory;
      row.device_id = number(each->device_id);
      row.allocation_bytes = each->range_bytes;
      if (each->range_address) row.offset_bytes = each->address - *each->range_address;
      const auto allocation =
          each->allocation_id ? allocations.find(each->allocation_id->value) : allocations.end();
      take_place(row, *each, allocation == allocations.end() ? nullptr : allocation->second, stacks, longest);
    }
  }
  return rows;
}

std::vector<AsyncCopyRow> async_copies_of(const ReadingsByGroup& readings,
                                          std::span<const KernelRow> kernels) {
  using model::MetricId;
  std::vector<AsyncCopyRow> rows;
  for (const auto& kernel : kernels) {
    const auto found = readings.find(model::GroupId{kernel.id});
    if (found == readings.end()) continue;
    AsyncCopyRow row;
    const auto take = [&](MetricId metric, std::optional<std::int64_t>& sum) {
      const auto reading = found->second.find(metric);
      if (reading == found->second.end()) return;
      sum = reading->second.sum;
      row.launches = reading->second.launches;
    };
    take(MetricId::async_copy_bytes, row.bytes);
    take(MetricId::async_copy_sectors, row.sectors);
    take(MetricId::async_copy_requests, row.requests);
    take(MetricId::tma_instructions, row.tma_instructions);
    if (row.requests.value_or(0) == 0 && row.tma_instructions.value_or(0) == 0) continue;
    row.kernel_id = kernel.id;
    row.kernel_name = kernel.name;
    rows.push_back(row);
  }
  return rows;
}

// The timed launches of a process in the order of their beginnings, with the sum of their times so far.
struct Timeline {
  std::vector<std::pair<std::int64_t, std::int64_t>> launches;  // start, GPU time
  std::vector<std::int64_t> sums;                               // of the first n

  // How many began from `start` on and before `end`, and their time.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> within(std::int64_t start, std::int64_t end) const {
    const auto place = [&](std::int64_t time) {
      return std::ranges::lower_bound(launches, time, {}, &std::pair<std::int64_t, std::int64_t>::first) -
             launches.begin();
    };
    const auto first = place(start);
    const auto last = std::max(first, place(end));
    return {last - first, sums[static_cast<std::size_t>(last)] - sums[static_cast<std::size_t>(first)]};
  }
};

std::unordered_map<std::int64_t, Timeline> timelines_by_process(const ProgramTables& tables) {
  std::unordered_map<std::int64_t, std::int64_t> process_of_group;
  for (const auto& group : tables.groups) process_of_group[group.id.value] = group.process_id.value;
  std::unordered_map<std::int64_t, Timeline> timelines;
  for (const auto& launch : tables.launches) {
    const auto process = process_of_group.find(launch.group_id.value);
    if (process == process_of_group.end() || !launch.start_ns || !launch.gpu_ns) continue;
    timelines[process->second].launches.emplace_back(*launch.start_ns, *launch.gpu_ns);
  }
  for (auto& [process, timeline] : timelines) {
    std::ranges::sort(timeline.launches);
    timeline.sums.push_back(0);
    for (const auto& [start, gpu_ns] : timeline.launches)
      timeline.sums.push_back(timeline.sums.back() + gpu_ns);
  }
  return timelines;
}

std::vector<NamedRange> ranges_of(const ProgramTables& tables) {
  std::unordered_map<std::int64_t, const model::RangeName*> names;
  for (const auto& each : tables.range_names) names[each.id.value] = &each;
  const auto timelines = timelines_by_process(tables);
  std::map<std::pair<std::string, std::string>, NamedRange> sums;
  for (const auto& range : tables.ranges) {
    const auto name = names.find(range.name_id.value);
    if (name == names.end()) continue;
    NamedRange& sum = sums[{name->second->domain.value_or(""), name->second->name}];
    sum.domain = name->second->domain;
    sum.name = name->second->name;
    ++sum.ranges;
    if (!range.end_ns) {
      ++sum.open;
      continue;
    }
    base::add_to(sum.host_ns, *range.end_ns - range.start_ns);
    const auto timeline = timelines.find(range.process_id.value);
    if (timeline == timelines.end()) continue;
    const auto [launches, gpu_ns] = timeline->second.within(range.start_ns, *range.end_ns);
    sum.launches += launches;
    base::add_to(sum.gpu_ns, gpu_ns);
  }
  std::vector<NamedRange> rows;
  for (auto& [key, row] : sums) rows.push_back(std::move(row));
  std::ranges::stable_sort(rows, std::greater{}, &NamedRange::host_ns);
  return rows;
}

std::vector<WaitRow> waits_of(const ProgramTables& tables) {
  std::map<model::SynchronizationKind, WaitRow> sums;
  for (const auto& each : tables.wait_totals) {
    WaitRow& row = sums[each.kind];
    row.kind = each.kind;
    row.calls += each.calls;
    row.wait_ns += each.wait_ns;
    row.listed += each.listed;
  }
  for (const auto& each : tables.waits)
    if (const auto row = sums.find(each.kind); row != sums.end())
      row->second.longest_ns = std::max(row->second.longest_ns, each.wait_ns);
  std::vector<WaitRow> rows;
  for (const auto& [kind, row] : sums) rows.push_back(row);
  std::ranges::stable_sort(rows, std::greater{}, &WaitRow::wait_ns);
  return rows;
}

}  // namespace

Result<ProgramTables> read_program(capture::Reader& reader, std::span<const model::Process> processes) {
  std::set<std::int64_t> wanted;
  for (const auto& process : processes)
    if (process.run == 0) wanted.insert(process.id.value);
  ProgramTables tables;
  Result<void> done = read(reader, wanted, tables.allocations)
                          .and_then([&] { return read(reader, wanted, tables.sites.sites); })
                          .and_then([&] { return read(reader, wanted, tables.sites.launches); })
                          .and_then([&] { return read(reader, wanted, tables.sites.transfers); })
                          .and_then([&] { return read(reader, wanted, tables.sites.waits); })
                          .and_then([&] { return read(reader, wanted, tables.pointers); })
                          .and_then([&] { return read(reader, wanted, tables.parameter_values); })
                          .and_then([&] { return read(reader, wanted, tables.unified_memory); })
                          .and_then([&] { return read(reader, wanted, tables.set_l2_windows); })
                          .and_then([&] { return read(reader, wanted, tables.l2_settings); })
                          .and_then([&] { return read(reader, wanted, tables.range_names); })
                          .and_then([&] { return read(reader, wanted, tables.ranges); })
                          .and_then([&] { return read(reader, wanted, tables.waits); })
                          .and_then([&] { return read(reader, wanted, tables.wait_totals); })
                          .and_then([&] { return read(reader, wanted, tables.diagnostics); });
  // There may be millions of launches.
  if (done && (!tables.ranges.empty() || !tables.unified_memory.empty()))
    done = read(reader, wanted, tables.groups)
               .and_then([&] { return read(reader, wanted, tables.launches); })
               .and_then([&] { return read(reader, wanted, tables.launch_totals); });
  if (!done) return base::relay(done);
  return tables;
}

Program program_of(const ProgramTables& tables, std::span<const KernelRow> kernels,
                   const ReadingsByGroup& readings, const CallStacks& stacks) {
  Sites sites{stacks, {}};
  for (const auto& each : tables.sites.sites) sites.rows[each.id.value] = &each;
  Program program;
  program.allocations = sums_of(tables.allocations);
  program.largest = largest_of(tables.allocations, sites);
  program.memory = memory_courses(tables.allocations);
  program.allocation_places = allocation_places(
      tables.allocations, [&](const model::Allocation& each) { return place_of(each, sites); });
  program.pointers = pointers_of(tables, kernels, stacks);
  program.async_copies = async_copies_of(readings, kernels);
  program.migrations = migrations_of(tables, sites);
  program.set_l2_windows = tables.set_l2_windows;
  program.l2_settings = tables.l2_settings;
  program.ranges = ranges_of(tables);
  program.waits = waits_of(tables);
  return program;
}

}  // namespace coalescope::analysis
