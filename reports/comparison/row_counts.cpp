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

double requests_of(const KernelRow& row) {
  return real(row.load.requests) + real(row.store.requests) + real(row.async_copy.requests);
}

}  // namespace

std::span<const RowCount> row_counts() {
  return kCounts;
}

std::span<const NoisyCount> noisy_counts() {
  return kNoisy;
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

}  // namespace coalescope::comparison
