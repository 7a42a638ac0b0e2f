// T01: large copies between the device and pageable memory, which the driver stages through a buffer of its
// own. T02: copies so small that their fixed cost is most of their time; they are T02's whatever their
// memory. T06: copies between GPUs that go through the host.

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/rules/rules.h"
#include "reports/analysis/transfer_rows.h"

namespace coalescope::analysis {
namespace {

using model::Direction;
using model::MemoryKind;

// On an H100 a copy takes 2.5 us plus its bytes at 55 GB/s: up to 64 KiB the fixed part is the larger one.
constexpr double kSmallBytes = 65'536;
constexpr double kManyCopies = 100;
constexpr double kLeastPeerBytes = 1 << 20;
constexpr double kDetour = 1.5;

// nullopt: not a copy between host and device.
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

Measure pageable(const TransferSubject& subject) {
  const auto memory = host_memory(subject.row);
  if (!memory) return measured(0);
  if (*memory == MemoryKind::unknown) return not_measured("the kind of the host's memory was not recorded");
  return measured(*memory == MemoryKind::pageable && mean_bytes(subject.row) > kSmallBytes ? 1 : 0);
}

Measure small_copies(const TransferSubject& subject) {
  if (!host_memory(subject.row)) return measured(0);
  return measured(mean_bytes(subject.row) <= kSmallBytes ? static_cast<double>(subject.row.transfers) : 0);
}

// How much faster the direct path is.
Measure peer_detour(const TransferSubject& subject) {
  if (subject.row.direction != Direction::peer_to_peer || mean_bytes(subject.row) < kLeastPeerBytes)
    return measured(0);
  if (!subject.machine.peer)
    return not_measured("how fast these GPUs copy with peer access is not calibrated on this machine");
  if (!subject.row.through_host)
    return measured(subject.machine.peer->bandwidth / std::max(1.0, subject.row.bandwidth.value_or(0)));
  if (!subject.machine.peer_staged)
    return not_measured("how fast these GPUs copy through the host is not calibrated on this machine");
  return measured(subject.machine.peer->bandwidth / subject.machine.peer_staged->bandwidth);
}

std::string moved(const TransferRow& row) {
  const std::string speed =
      row.bandwidth ? "at " + base::format_bandwidth(*row.bandwidth) : "through the host";
  const std::string all = base::format_bytes(static_cast<double>(row.bytes));
  if (row.transfers == 1) return fmt::format("1 copy of {} {}", all, speed);
  return fmt::format("{} copies of {} on average, {} in all {}", base::format_count(row.transfers),
                     base::format_bytes(mean_bytes(row)), all, speed);
}

}  // namespace

constinit const Rule<TransferSubject> kPageableCopies{
    {"T01", "Copies of pageable memory", "D1", "1: copies of pageable memory above 64 KiB", 1, 1, false,
     "D1: on an H100 7.8 GB/s against 55.0 to the device, 10.6 against 54.6 back"},
    pageable,
    [](const TransferSubject& subject) { return slow_transfer_cost(subject.row); },
    [](const TransferSubject& subject) { return moved(subject.row); },
    [](const TransferSubject& subject) {
      return std::string(
                 "Allocate the host side with cudaHostAlloc, or pin it once with cudaHostRegister, and "
                 "reuse it") +
             (subject.row.asynchronous ? "; from pageable memory even cudaMemcpyAsync waits." : ".");
    },
    nullptr};

constinit const Rule<TransferSubject> kSmallCopies{
    {"T02", "Many small copies", "D2", "copies of 64 KiB or less on average", kManyCopies, kManyCopies, false,
     "D2: pinned copies of 4 KiB reach 1.6 GB/s"},
    small_copies,
    [](const TransferSubject& subject) { return small_transfer_cost(subject.row, subject.machine); },
    [](const TransferSubject& subject) { return moved(subject.row); },
    [](const TransferSubject&) {
      return std::string("Pack the data and copy them at once, or keep them on the device between kernels.");
    },
    nullptr};

constinit const Rule<TransferSubject> kPeerCopies{
    {"T06", "Copies between GPUs through the host", "D8", "how many times faster they are with peer access",
     kDetour, kDetour, false, "D8: copies without peer access speak, with it they do not"},
    peer_detour,
    [](const TransferSubject& subject) { return peer_detour_cost(subject.row, subject.machine); },
    [](const TransferSubject& subject) { return moved(subject.row); },
    [](const TransferSubject&) {
      return std::string(
          "Ask cudaDeviceCanAccessPeer, and call cudaDeviceEnablePeerAccess once for each pair of GPUs, "
          "before the "
          "first copy between them.");
    },
    nullptr};

}  // namespace coalescope::analysis
