#include "reports/analysis/rows/transfer_rows.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/figures/ratios.h"

namespace coalescope::analysis {
namespace {

using model::Direction;
using model::MemoryKind;

constexpr double kComparableSize = 4;  // a mean size within this factor

MemoryKind host_end(const TransferRow& row) {
  return row.direction == Direction::host_to_device ? row.source_memory : row.destination_memory;
}

bool is_host_copy(const TransferRow& row) {
  return row.direction == Direction::host_to_device || row.direction == Direction::device_to_host;
}

using Pinned = std::map<std::pair<std::int64_t, Direction>, std::vector<const TransferRow*>>;

// The pinned class of this capture that moved the most bytes, same way and comparable in size.
const TransferRow* pinned_twin(const TransferRow& row, const Pinned& pinned) {
  const TransferRow* twin = nullptr;
  const auto same_way = pinned.find({row.device_id, row.direction});
  if (same_way == pinned.end()) return nullptr;
  for (const auto* other : same_way->second) {
    const double ratio = mean_bytes(*other) / std::max(1.0, mean_bytes(row));
    if (ratio > kComparableSize || ratio < 1 / kComparableSize) continue;
    if (!twin || other->bytes > twin->bytes) twin = other;
  }
  return twin;
}

// A large copy's bandwidth and the fixed time of each copy give what copies of this size can reach.
void take_machine_reference(TransferRow& row, const Machine& machine) {
  const auto& ceiling =
      row.direction == Direction::host_to_device ? machine.host_to_device : machine.device_to_host;
  if (!ceiling || !machine.copy_ns) return;
  const double ns = static_cast<double>(row.bytes) / ceiling->bandwidth * 1e9 +
                    static_cast<double>(row.transfers) * static_cast<double>(*machine.copy_ns);
  row.reference_bandwidth = static_cast<double>(row.bytes) / ns * 1e9;
  row.reference = ceiling->source;
}

// Without peer access the driver copies from one GPU to the host and on to the other, and CUPTI tells two
// copies that both have device memory at both ends. 64 MiB took 1.8 ms between two H200, of which it told 21
// us each.
bool is_first_half(const capture::TransferView& view) {
  return view.direction == Direction::device_to_host && view.destination_memory == MemoryKind::device;
}
bool is_second_half(const capture::TransferView& view) {
  return view.direction == Direction::host_to_device && view.source_memory == MemoryKind::device;
}

TransferRow row_of(const capture::TransferView& view) {
  TransferRow row;
  row.device_id = view.device_id.value;
  row.direction = view.direction;
  row.source_memory = view.source_memory;
  row.destination_memory = view.destination_memory;
  row.asynchronous = view.asynchronous;
  row.smallest_bytes = view.smallest_bytes;
  row.largest_bytes = view.largest_bytes;
  row.transfers = view.transfers;
  row.timed_transfers = view.timed;
  row.bytes = view.bytes;
  if (is_first_half(view)) {
    row.direction = Direction::peer_to_peer;
    row.through_host = true;
  } else if (!is_within_host(view.direction) && view.gpu_ns > 0) {
    row.gpu_ns = view.gpu_ns;
    row.bandwidth = bandwidth(view.bytes, view.gpu_ns).value_or(0);
  }
  if (const auto memory = host_memory(row)) row.waited_for = is_waited_for(row.asynchronous, *memory);
  return row;
}

void take_peer_reference(TransferRow& row, const Machines& machines) {
  const auto machine = machines.find(row.device_id);
  if (machine == machines.end() || !machine->second.peer) return;
  row.reference_bandwidth = machine->second.peer->bandwidth;
  row.reference = machine->second.peer->source;
}

void take_reference(TransferRow& row, const Pinned& pinned, const Machines& machines) {
  if (row.direction == Direction::peer_to_peer) {
    take_peer_reference(row, machines);
    return;
  }
  if (!is_host_copy(row) || row.bytes <= 0) return;
  const TransferRow* twin = host_end(row) == MemoryKind::pinned ? nullptr : pinned_twin(row, pinned);
  if (twin && twin->bandwidth.value_or(0) > 0) {
    row.reference_bandwidth = twin->bandwidth;
    row.reference = "pinned copies in this run";
  } else if (const auto machine = machines.find(row.device_id); machine != machines.end()) {
    take_machine_reference(row, machine->second);
  }
}

}  // namespace

double mean_bytes(const TransferRow& row) {
  return static_cast<double>(row.bytes) / static_cast<double>(std::max<std::int64_t>(1, row.transfers));
}

std::optional<MemoryKind> host_memory(const TransferRow& row) {
  switch (row.direction) {
    case Direction::host_to_device:
    case Direction::host_to_array:
      return row.source_memory;
    case Direction::device_to_host:
    case Direction::array_to_host:
      return row.destination_memory;
    default:
      return std::nullopt;
  }
}

SiteCopies copies_of(const TransferRow& row, const SiteUse& use) {
  std::int64_t seen = 0;
  for (const SiteUse& each : row.call_sites) base::add_to(seen, each.calls);
  const double times = seen > 0 ? std::max(1.0, real(row.transfers) / real(seen)) : 1;
  return {base::whole(real(use.calls) * times), base::whole(real(use.bytes) * times)};
}

bool is_waited_for(bool asynchronous, MemoryKind host_memory) {
  return !asynchronous || host_memory == MemoryKind::pageable;
}

double least_queued_ns(const TransferRow& row, const Machine& machine) {
  const auto memory = host_memory(row);
  const bool waited_for = row.waited_for || (memory ? is_waited_for(row.asynchronous, *memory)
                                                    : !is_within_device(row.direction));
  return waited_for ? 0 : real(machine.copy_ns) * (1 - row.beside_others.value_or(0));
}

std::vector<TransferRow> transfer_rows(std::span<const capture::TransferView> views,
                                       const Machines& machines) {
  std::vector<TransferRow> rows;
  for (const auto& view : views)
    if (!is_second_half(view)) rows.push_back(row_of(view));
  Pinned pinned;
  for (const auto& row : rows)
    if (host_end(row) == MemoryKind::pinned) pinned[{row.device_id, row.direction}].push_back(&row);
  for (auto& row : rows) take_reference(row, pinned, machines);
  std::ranges::stable_sort(rows, std::greater{}, &TransferRow::gpu_ns);
  for (std::int64_t id = 1; auto& row : rows) row.id = id++;
  return rows;
}

std::string transfer_way_name(const TransferRow& row) {
  const auto place = [](model::MemoryKind kind) {
    switch (kind) {
      case model::MemoryKind::pageable:
        return std::string("pageable host");
      case model::MemoryKind::pinned:
        return std::string("pinned host");
      case model::MemoryKind::unknown:
        return std::string("unknown memory");
      default:
        return std::string(name_of(kind));
    }
  };
  if (row.direction == model::Direction::set) return "memory set, " + place(row.destination_memory);
  if (row.direction == model::Direction::peer_to_peer)
    return row.through_host ? "device to another device through the host" : "device to another device";
  return place(row.source_memory) + " to " + place(row.destination_memory);
}

std::string transfer_class_name(const TransferRow& row) {
  return fmt::format("{}, {}{}", transfer_way_name(row),
                     row.smallest_bytes == row.largest_bytes ? "" : "up to ",
                     base::format_bytes(static_cast<double>(row.largest_bytes)));
}

}  // namespace coalescope::analysis
