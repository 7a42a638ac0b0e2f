#include "reports/comparison/row_counts.h"

#include <algorithm>
#include <array>

#include "reports/analysis/figures/ratios.h"
#include "reports/comparison/change.h"

namespace coalescope::comparison {
namespace {

using analysis::KernelRow;
using analysis::real;
using analysis::Show;
using Value = std::optional<std::int64_t>;

constexpr std::array kCounts{
    RowCount{"load_bytes", "load bytes", Show::bytes, Scale::bytes,
             [](const KernelRow& row) { return row.load.data_bytes; }},
    RowCount{"load_sectors", "load sectors", Show::count, Scale::sectors,
             [](const KernelRow& row) { return row.load.sectors; }},
    RowCount{"load_requests", "load requests", Show::count, Scale::requests,
             [](const KernelRow& row) { return row.load.requests; }},
    RowCount{"store_bytes", "store bytes", Show::bytes, Scale::bytes,
             [](const KernelRow& row) { return row.store.data_bytes; }},
    RowCount{"store_sectors", "store sectors", Show::count, Scale::sectors,
             [](const KernelRow& row) { return row.store.sectors; }},
    RowCount{"store_requests", "store requests", Show::count, Scale::requests,
             [](const KernelRow& row) { return row.store.requests; }},
    RowCount{"atomic_sectors", "sectors of atomics", Show::count, Scale::sectors,
             [](const KernelRow& row) { return row.atomic.sectors; }},
    RowCount{"reduction_sectors", "sectors of reductions", Show::count, Scale::sectors,
             [](const KernelRow& row) { return row.reduction.sectors; }},
    RowCount{"async_copy_bytes", "bytes of asynchronous copies", Show::bytes, Scale::bytes,
             [](const KernelRow& row) { return row.async_copy.data_bytes; }},
    RowCount{"async_copy_sectors", "sectors of asynchronous copies", Show::count, Scale::sectors,
             [](const KernelRow& row) { return row.async_copy.sectors; }},
    RowCount{"local_sectors", "local sectors", Show::count, Scale::sectors,
             [](const KernelRow& row) { return row.local_sectors; }},
    RowCount{"host_memory_sectors", "sectors in host memory", Show::count, Scale::sectors,
             [](const KernelRow& row) { return row.sysmem_sectors; }},
    RowCount{"shared_wavefronts", "shared wavefronts", Show::count, Scale::itself,
             [](const KernelRow& row) { return row.shared.wavefronts; }},
};

// Of a mixed row they are those of no launch.
constexpr std::array kNoisy{
    NoisyCount{{"l2_sectors", "L2 sectors", Show::count, Scale::sectors,
                [](const KernelRow& row) { return row.mixed ? Value() : row.l2_sectors; }},
               kL2Noise},
};

constexpr double kMostMissing = 0.05;  // of the launches

double requests_of(const KernelRow& row) {
  return real(row.load.requests) + real(row.store.requests) + real(row.async_copy.requests);
}

double sectors_of(const KernelRow& row) {
  return real(row.load.sectors) + real(row.store.sectors) + real(row.atomic.sectors) +
         real(row.reduction.sectors) + real(row.async_copy.sectors) + real(row.local_sectors);
}

double least_change(const RowCount& count, const KernelRow& row) {
  // What the Tensor Memory Accelerator moves is no access, and shows in L2 only.
  const double sectors = std::max(sectors_of(row), real(row.l2_sectors));
  switch (count.scale) {
    case Scale::sectors:
      return kLeastShare * sectors;
    case Scale::bytes:
      return kLeastShare * sectors * static_cast<double>(analysis::kSectorBytes);
    case Scale::requests:
      return kLeastShare * requests_of(row);
    case Scale::itself:
      break;
  }
  return kLeastShare * real(count.value(row));
}

// The mean over the launches of those rows that have the value, and how many launches that are.
template <typename ValueOf>
std::pair<double, double> mean_of(const RowPair::Side& rows, const ValueOf& value_of) {
  double sum = 0, launches = 0;
  for (const KernelRow* row : rows) {
    const std::optional<double> value = value_of(*row);
    if (!value) continue;
    sum += *value * static_cast<double>(row->launches);
    launches += static_cast<double>(row->launches);
  }
  return {launches > 0 ? sum / launches : 0, launches};
}

}  // namespace

std::span<const RowCount> row_counts() {
  return kCounts;
}

std::span<const NoisyCount> noisy_counts() {
  return kNoisy;
}

std::optional<double> per_launch(const RowPair::Side& rows, Value (*value)(const KernelRow&)) {
  if (rows.size() == 1) return value(*rows.front());
  const auto [mean, launches] =
      mean_of(rows, [&](const KernelRow& row) { return std::optional<double>(value(row)); });
  if (launches <= 0 || launches < (1 - kMostMissing) * static_cast<double>(launches_of(rows)))
    return std::nullopt;
  return mean;
}

std::optional<double> at_least(const RowPair::Side& rows, Value (*value)(const KernelRow&)) {
  const auto [mean, launches] =
      mean_of(rows, [&](const KernelRow& row) { return std::optional<double>(value(row)); });
  if (launches <= 0) return std::nullopt;
  return mean * launches / static_cast<double>(launches_of(rows));
}

double missing_noise(const RowPair::Side& rows, Value (*value)(const KernelRow&)) {
  std::optional<double> least, greatest;
  for (const KernelRow* row : rows)
    if (const std::optional<double> known = value(*row)) {
      least = std::min(least.value_or(*known), *known);
      greatest = std::max(greatest, known);
    }
  const auto [mean, launches] =
      mean_of(rows, [&](const KernelRow& row) { return std::optional<double>(value(row)); });
  if (!least || mean <= 0) return 0;
  return (1 - launches / static_cast<double>(launches_of(rows))) * (*greatest - *least) / mean;
}

double sectors_of(const RowPair::Side& rows) {
  return mean_of(rows, [](const KernelRow& row) { return std::optional(sectors_of(row)); }).first;
}

double least_change(const RowCount& count, const RowPair::Side& rows) {
  return mean_of(rows, [&](const KernelRow& row) { return std::optional(least_change(count, row)); }).first;
}

}  // namespace coalescope::comparison
