#include "reports/analysis/rows/migrations.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/base/whole.h"
#include "reports/analysis/rows/program_rows.h"

namespace coalescope::analysis {
namespace {

using model::UnifiedMemoryEvent;

// The addresses of an allocation that have gone one way.
class Gone {
 public:
  // How many of the bytes go for the first time.
  std::int64_t add(std::int64_t from, std::int64_t bytes) {
    std::int64_t fresh = bytes, begin = from, end = from + bytes;
    auto next = ends_.upper_bound(from);
    if (next != ends_.begin() && std::prev(next)->second >= from) --next;
    while (next != ends_.end() && next->first <= end) {
      fresh -= std::max<std::int64_t>(0, std::min(next->second, from + bytes) - std::max(next->first, from));
      begin = std::min(begin, next->first);
      end = std::max(end, next->second);
      next = ends_.erase(next);
    }
    ends_[begin] = end;
    return fresh;
  }

 private:
  std::map<std::int64_t, std::int64_t> ends_;  // by their beginnings; apart
};

// A longer pause between two pieces is the program's, unless faults are served in it.
constexpr std::int64_t kLongestPauseNs = 200'000;

}  // namespace

void add(Migration& sum, const model::UnifiedMemory& record) {
  struct Part {
    UnifiedMemoryEvent event;
    std::int64_t Migration::*member;
    bool records;  // how many, instead of their amounts
  };
  constexpr std::array kSums{
      Part{UnifiedMemoryEvent::bytes_to_device, &Migration::bytes_to_device, false},
      Part{UnifiedMemoryEvent::bytes_to_host, &Migration::bytes_to_host, false},
      Part{UnifiedMemoryEvent::bytes_between_devices, &Migration::bytes_between_devices, false},
      Part{UnifiedMemoryEvent::cpu_page_fault, &Migration::cpu_faults, false},
      Part{UnifiedMemoryEvent::gpu_page_faults, &Migration::gpu_faults, false},
      Part{UnifiedMemoryEvent::thrashing, &Migration::thrashing, true},
      Part{UnifiedMemoryEvent::throttling, &Migration::throttling, true},
      Part{UnifiedMemoryEvent::remote_map, &Migration::remote_maps, true},
  };
  for (const Part& each : kSums)
    if (each.event == record.event) base::add_to(sum.*each.member, each.records ? 1 : record.amount);
  const std::int64_t ended_ns = record.start_ns + record.duration_ns.value_or(0);
  sum.began_ns = std::min(sum.began_ns.value_or(record.start_ns), record.start_ns);
  sum.ended_ns = std::max(sum.ended_ns.value_or(ended_ns), ended_ns);
  if (record.event == UnifiedMemoryEvent::gpu_page_faults)
    base::add_to(sum.fault_ns, record.duration_ns.value_or(0));
}

void add(Migration& sum, const Migration& other) {
  for (const auto member :
       {&Migration::bytes_to_device, &Migration::bytes_to_host, &Migration::bytes_between_devices,
        &Migration::cpu_faults, &Migration::gpu_faults, &Migration::thrashing, &Migration::throttling,
        &Migration::remote_maps, &Migration::fault_ns, &Migration::first_bytes_to_device,
        &Migration::first_bytes_to_host, &Migration::pieces_to_device, &Migration::first_ns,
        &Migration::again_ns, &Migration::recorded_kernel_ns, &Migration::kernel_ns})
    base::add_to(sum.*member, other.*member);
  if (other.began_ns) sum.began_ns = std::min(sum.began_ns.value_or(*other.began_ns), *other.began_ns);
  if (other.ended_ns) sum.ended_ns = std::max(sum.ended_ns.value_or(*other.ended_ns), *other.ended_ns);
}

namespace {

// The listed launches of a kernel with pointers to managed memory, until recording stopped and later.
struct ListedLaunches {
  RecordedPart* part = nullptr;
  std::int64_t until_ns = 0;
  std::int64_t early_ns = 0, early = 0;
  std::int64_t later_ns = 0, later = 0;

  void add(std::int64_t start_ns, std::int64_t gpu_ns) {
    const bool is_early = start_ns <= until_ns;
    base::add_to(is_early ? early_ns : later_ns, gpu_ns);
    ++(is_early ? early : later);
  }
  // Of a launch that is not listed. Such launches come late in a run, so the later listed ones stand for
  // them.
  [[nodiscard]] double mean_ns() const {
    const double ns = static_cast<double>(later > 0 ? later_ns : early_ns);
    return ns / static_cast<double>(std::max<std::int64_t>(1, later > 0 ? later : early));
  }
};

// By process; without those of which everything was recorded.
std::map<std::int64_t, std::int64_t> ends_of_records(const ProgramTables& tables) {
  std::map<std::int64_t, std::int64_t> stopped_ns;
  for (const auto& each : tables.diagnostics)
    if (each.process_id && each.origin == "unified_memory" && each.code == "records_dropped")
      stopped_ns[each.process_id->value] = 0;
  for (const auto& each : tables.unified_memory)
    if (const auto found = stopped_ns.find(each.process_id.value); found != stopped_ns.end())
      found->second = std::max(found->second, each.start_ns);
  return stopped_ns;
}

}  // namespace

std::map<std::int64_t, RecordedPart> recorded_parts(const ProgramTables& tables) {
  const auto stopped_ns = ends_of_records(tables);
  std::set<std::int64_t> with_pointers;
  for (const auto& each : tables.pointers)
    if (each.memory == model::MemoryKind::managed) with_pointers.insert(each.group_id.value);
  std::map<std::int64_t, RecordedPart> parts;
  std::map<std::int64_t, ListedLaunches> groups;
  for (const auto& each : tables.groups)
    if (const auto process = stopped_ns.find(each.process_id.value);
        process != stopped_ns.end() && with_pointers.contains(each.id.value))
      groups[each.id.value] = {.part = &parts[process->first], .until_ns = process->second};
  for (const auto& each : tables.launches)
    if (const auto group = groups.find(each.group_id.value);
        group != groups.end() && each.start_ns && each.gpu_ns)
      group->second.add(*each.start_ns, *each.gpu_ns);
  for (const auto& [id, listed] : groups) {
    base::add_to(listed.part->recorded_ns, listed.early_ns);
    base::add_to(listed.part->whole_ns, listed.early_ns + listed.later_ns);
  }
  for (const auto& each : tables.launch_totals) {
    const auto group = groups.find(each.group_id.value);
    if (group == groups.end()) continue;
    const double mean_ns = each.timed_launches > 0
                               ? static_cast<double>(each.gpu_ns) / static_cast<double>(each.timed_launches)
                               : group->second.mean_ns();
    base::add_to(group->second.part->whole_ns, base::whole(mean_ns * static_cast<double>(each.launches)));
  }
  return parts;
}

bool tells_of_moves(const model::UnifiedMemory& record) {
  return record.event == UnifiedMemoryEvent::bytes_to_device ||
         record.event == UnifiedMemoryEvent::bytes_to_host ||
         record.event == UnifiedMemoryEvent::gpu_page_faults;
}

void take_order(std::vector<MovedPiece> pieces) {
  std::ranges::stable_sort(pieces, {}, [](const MovedPiece& piece) { return piece.record->start_ns; });
  std::map<std::pair<const Migration*, UnifiedMemoryEvent>, Gone> gone;
  const auto end_of_piece = [](const MovedPiece& piece) {
    return piece.record->start_ns + piece.record->duration_ns.value_or(0);
  };
  std::vector<std::pair<const MovedPiece*, std::int64_t>> burst;  // with the first bytes
  std::optional<std::int64_t> burst_began_ns;
  std::int64_t burst_end_ns = 0;
  const auto end_burst = [&] {
    const auto ns = static_cast<double>(burst_end_ns - burst_began_ns.value_or(burst_end_ns));
    burst_began_ns.reset();
    double bytes = 0;
    for (const auto& [piece, first] : burst) bytes += static_cast<double>(piece->record->amount);
    for (const auto& [piece, first] : burst) {
      const double of_first = ns * static_cast<double>(first) / std::max(1.0, bytes);
      const double of_all = ns * static_cast<double>(piece->record->amount) / std::max(1.0, bytes);
      base::add_to(piece->sum->first_ns, base::whole(of_first));
      base::add_to(piece->sum->again_ns, base::whole(of_all - of_first));
    }
    burst.clear();
  };
  for (const MovedPiece& piece : pieces) {
    const auto& record = *piece.record;
    if (record.event == UnifiedMemoryEvent::bytes_to_host) {
      base::add_to(piece.sum->first_bytes_to_host,
                   gone[{piece.sum, record.event}].add(record.address, record.amount));
      continue;
    }
    if (burst_began_ns && record.start_ns > burst_end_ns + kLongestPauseNs) end_burst();
    if (!burst_began_ns) burst_began_ns = burst_end_ns = record.start_ns;
    burst_end_ns = std::max(burst_end_ns, end_of_piece(piece));
    if (record.event == UnifiedMemoryEvent::gpu_page_faults) continue;
    const std::int64_t first = gone[{piece.sum, record.event}].add(record.address, record.amount);
    base::add_to(piece.sum->first_bytes_to_device, first);
    ++piece.sum->pieces_to_device;
    burst.emplace_back(&piece, first);
  }
  end_burst();
}

}  // namespace coalescope::analysis
