// T01: large copies between the device and pageable memory, which the driver stages through a buffer of its
// own. T02: copies so small that their fixed cost is most of their time; they are T02's whatever their
// memory.

#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

using model::Direction;
using model::MemoryKind;

// On an H100 a copy takes 2.5 us plus its bytes at 55 GB/s: up to 64 KiB the fixed part is the larger one.
constexpr double kSmallBytes = 65'536;
constexpr double kManyCopies = 100;

double mean_bytes(const TransferRow& row) {
  return row.transfers > 0 ? static_cast<double>(row.bytes) / static_cast<double>(row.transfers) : 0;
}

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

std::optional<double> pageable(const TransferRow& row, const Machine&) {
  const auto memory = host_memory(row);
  if (!memory || *memory == MemoryKind::unknown) return std::nullopt;
  return *memory == MemoryKind::pageable && mean_bytes(row) > kSmallBytes ? 1 : 0;
}

std::optional<double> small_copies(const TransferRow& row, const Machine&) {
  if (!host_memory(row)) return std::nullopt;
  return mean_bytes(row) <= kSmallBytes ? static_cast<double>(row.transfers) : 0;
}

std::string moved(const TransferRow& row) {
  return fmt::format("{} copies of {} on average, {} in all at {}", base::format_count(row.transfers),
                     base::format_bytes(mean_bytes(row)), base::format_bytes(static_cast<double>(row.bytes)),
                     base::format_bandwidth(row.bandwidth));
}

}  // namespace

constinit const Rule<TransferRow> kPageableCopies{
    "T01",
    "Copies of pageable memory",
    pageable,
    1,
    1,
    false,
    [](const TransferRow& row, const Machine&) { return slow_transfer_cost(row); },
    moved,
    [](const TransferRow& row) {
      return std::string(
                 "Allocate the host side with cudaHostAlloc, or pin it once with cudaHostRegister, and "
                 "reuse it") +
             (row.asynchronous ? "; from pageable memory even cudaMemcpyAsync waits." : ".");
    },
    nullptr};

constinit const Rule<TransferRow> kSmallCopies{
    "T02",
    "Many small copies",
    small_copies,
    kManyCopies,
    kManyCopies,
    false,
    small_transfer_cost,
    moved,
    [](const TransferRow&) {
      return std::string("Pack the data and copy them at once, or keep them on the device between kernels.");
    },
    nullptr};

}  // namespace coalescope::analysis
