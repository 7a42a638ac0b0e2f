#pragma once
// Rows for the tests of rules and gains: the reference kernels as an H100 ran them, 2 Mi threads unless said.

#include <algorithm>
#include <cstdint>

#include "reports/analysis/machine/machine.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis::test {

inline constexpr std::int64_t kRequests = 65'536;  // 2 Mi threads / 32

inline Access access(std::int64_t requests, std::int64_t bytes_a_request, std::int64_t sectors_a_request) {
  Access result;
  result.requests = requests;
  result.data_bytes = requests * bytes_a_request;
  result.sectors = requests * sectors_a_request;
  if (*result.sectors > 0) {
    result.degree = static_cast<double>(*result.data_bytes) / (32.0 * static_cast<double>(*result.sectors));
    result.sectors_per_request = static_cast<double>(sectors_a_request);
  }
  return result;
}

// A kernel that was launched once and measured in full; L2 sees what L1 touches, DRAM what `dram_bytes` says.
inline KernelRow kernel(const Access& load, const Access& store, std::int64_t dram_bytes,
                        std::int64_t gpu_ns) {
  KernelRow row;
  row.id = 1;
  row.name = "kernel";
  row.device_id = 1;
  row.launches = row.timed_launches = 1;
  row.median_gpu_ns = row.gpu_ns = gpu_ns;
  row.load = load;
  row.store = store;
  row.atomic_sectors = row.local_sectors = 0;
  row.l2_read_sectors = load.sectors;
  row.l2_write_sectors = store.sectors;
  row.l2_sectors = *load.sectors + *store.sectors;
  row.dram_read_bytes = dram_bytes;
  row.dram_write_bytes = 0;
  row.sysmem_sectors = 0;
  row.atomic.sectors = row.reduction.sectors = 0;
  row.local_load_sectors = row.local_store_sectors = 0;
  row.shared.requests = 0;
  return row;
}

// A line that does all of the kernel's loads, or all of its stores, with full warps.
inline LineRow line_of(const KernelRow& kernel, std::string file, std::int64_t number, bool loads) {
  const Access& access = loads ? kernel.load : kernel.store;
  LineRow row;
  row.kernel_id = kernel.id;
  row.file = std::move(file);
  row.line = number;
  row.loads = loads ? access.requests : 0;
  row.stores = loads ? 0 : access.requests;
  row.sectors = access.sectors;
  row.ideal_sectors = *access.data_bytes / 32;
  row.surplus_sectors = std::max<std::int64_t>(0, *row.sectors - *row.ideal_sectors);
  row.threads = *access.requests * 32;
  row.lanes = 32;
  row.broadcast_loads = 0;
  return row;
}

// An H100 80GB HBM3 as calibrated, as far as tests need it; what comes with coalescope may change.
inline Machine h100() {
  profile::MachineProfile measured;
  measured.origin = profile::Origin::shipped;
  measured.gpu_name = "NVIDIA H100 80GB HBM3";
  for (const auto& [name, gb_s] : {std::pair{"dram_copy_gb_s", 2788.1},
                                   {"l2_copy_gb_s", 7237.6},
                                   {"grid_strided_copy_gb_s", 335.08},
                                   {"host_to_device_gb_s", 55.374},
                                   {"device_to_host_gb_s", 55.377},
                                   {"zero_copy_read_gb_s", 51.272}})
    measured.figures[name] = {gb_s, "GB/s", {}};
  measured.figures["copy_fixed_ns"] = {2490, "ns", {}};
  measured.curves["bandwidth_over_element_bytes"] = {
      "GB/s",
      "bytes",
      true,
      {{1, 734.89, {}}, {2, 1313.4, {}}, {4, 2251.3, {}}, {8, 2874.2, {}}, {16, 3009.3, {}}}};
  return machine_of({}, std::vector{measured});
}

// out[i * stride] = in[i * stride]. DRAM is taken to move pieces of 64 bytes for reads that lie that far
// apart.
inline KernelRow strided_copy(std::int64_t stride, std::int64_t gpu_ns) {
  const std::int64_t sectors = std::min<std::int64_t>(4 * stride, 32);
  const Access both = access(kRequests, 128, sectors);
  const std::int64_t moved = kRequests * sectors * 32;
  return kernel(both, both, stride >= 16 ? 3 * moved : 2 * moved, gpu_ns);
}

inline TransferRow copy(model::Direction direction, model::MemoryKind host, std::int64_t transfers,
                        std::int64_t bytes_each, std::int64_t gpu_ns) {
  TransferRow row;
  row.device_id = 1;
  row.direction = direction;
  const bool to_device = direction == model::Direction::host_to_device;
  row.source_memory = to_device ? host : model::MemoryKind::device;
  row.destination_memory = to_device ? model::MemoryKind::device : host;
  row.smallest_bytes = row.largest_bytes = bytes_each;
  row.transfers = transfers;
  row.bytes = transfers * bytes_each;
  row.gpu_ns = gpu_ns;
  row.bandwidth = static_cast<double>(row.bytes) / static_cast<double>(gpu_ns) * 1e9;
  return row;
}

inline L2WindowRow window(std::int64_t bytes, double hit_ratio, std::optional<std::int64_t> set_aside) {
  L2WindowRow row;
  row.window.bytes = bytes;
  row.window.hit_ratio = hit_ratio;
  row.window.hit_property = model::AccessProperty::persisting;
  row.set_aside_bytes = set_aside;
  row.pointers_known = true;
  row.launches = 20;
  row.gpu_ns = 1'000'000;
  return row;
}

}  // namespace coalescope::analysis::test
