#include "reports/analysis/view/byte_levels.h"

#include <algorithm>
#include <vector>

#include "core/base/whole.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rows/kernel_rows.h"

namespace coalescope::analysis {
namespace {

constexpr std::array<std::string_view, 4> kLevelsOfBytes{"Requested", "L1", "L2", "DRAM"};
constexpr std::array<std::string_view, 4> kAboutLevels{
    "Distinct bytes that the lanes of each request wanted.",
    "32 bytes for each sector that requests touched, with those of local memory.",
    "32 bytes for each sector that L1 asked L2 for, read and written.",
    "Bytes that L2 read from DRAM and wrote to it."};

using LevelBytes = std::array<std::optional<double>, 4>;

// Of a launch. What TMA asks for is not counted, but L2 and DRAM move it.
LevelBytes bytes_of(const KernelRow& row) {
  LevelBytes bytes;
  if (const auto asked = asked_bytes(row); asked && row.load.sectors && row.store.sectors) {
    double sectors = real(row.local_sectors);
    for (const Access* access : {&row.load, &row.store, &row.atomic, &row.reduction, &row.async_copy})
      sectors += real(access->sectors);
    bytes[0] = real(asked);
    bytes[1] = sectors * kSectorBytes;
  }
  if (row.l2_sectors) bytes[2] = real(row.l2_sectors) * kSectorBytes;
  if (row.dram_read_bytes && row.dram_write_bytes)
    bytes[3] = real(row.dram_read_bytes) + real(row.dram_write_bytes);
  return bytes;
}

// Which levels rows must have to be compared, the first that some row has.
using LevelMask = std::array<bool, 4>;
constexpr std::array kLevelMasks{LevelMask{true, true, true, true}, LevelMask{true, true, false, false},
                                 LevelMask{false, false, true, true}};

std::vector<const KernelRow*> rows_with(std::span<const KernelRow* const> rows, const LevelMask& mask) {
  std::vector<const KernelRow*> found;
  for (const KernelRow* row : rows) {
    const LevelBytes bytes = bytes_of(*row);
    bool has_all = row->gpu_ns.value_or(0) > 0;
    for (std::size_t at = 0; at < mask.size(); ++at) has_all = has_all && (!mask[at] || bytes[at]);
    if (has_all) found.push_back(row);
  }
  return found;
}

const DeviceRow* only_device(std::span<const KernelRow* const> rows, const Report& report) {
  const std::int64_t id = rows.front()->device_id;
  if (std::ranges::any_of(rows, [&](const KernelRow* row) { return row->device_id != id; })) return nullptr;
  const auto found = std::ranges::find_if(
      report.devices, [&](const DeviceRow& device) { return device.properties.id.value == id; });
  return found == report.devices.end() ? nullptr : &*found;
}

}  // namespace

std::optional<ByteLevels> byte_levels(std::span<const KernelRow* const> rows, const Report& report) {
  std::vector<const KernelRow*> counted;
  LevelMask mask{};
  for (const LevelMask& each : kLevelMasks) {
    if (!counted.empty()) break;
    counted = rows_with(rows, mask = each);
  }
  if (counted.empty()) return std::nullopt;
  ByteLevels sum;
  sum.kernels = counted.size();
  std::int64_t all_ns = 0;
  for (const KernelRow* row : rows) base::add_to(all_ns, row->gpu_ns.value_or(0));
  LevelBytes bytes;
  for (const KernelRow* row : counted) {
    base::add_to(sum.gpu_ns, *row->gpu_ns);
    const LevelBytes own = bytes_of(*row);
    for (std::size_t at = 0; at < mask.size(); ++at)
      if (mask[at]) bytes[at] = bytes[at].value_or(0) + *own[at] * static_cast<double>(row->launches);
  }
  sum.share = static_cast<double>(sum.gpu_ns) / static_cast<double>(all_ns);
  const DeviceRow* device = only_device(counted, report);
  for (std::size_t at = 0; at < sum.levels.size(); ++at) {
    ByteLevel& level = sum.levels[at] = {kLevelsOfBytes[at], kAboutLevels[at], bytes[at], {}, nullptr};
    if (level.bytes) level.bandwidth = *level.bytes / static_cast<double>(sum.gpu_ns) * 1e9;
    if (device == nullptr) continue;
    const auto ceiling = std::ranges::find(device->ceilings, level.name, &Ceiling::path);
    if (ceiling != device->ceilings.end() && ceiling->bandwidth > 0) level.ceiling = &*ceiling;
  }
  return sum;
}

std::optional<ByteLevels> byte_levels(const Report& report) {
  std::vector<const KernelRow*> rows;
  for (const auto* list : {&report.kernels, &report.hidden.kernels})
    for (const KernelRow& row : *list)
      if (row.origin != Origin::tool) rows.push_back(&row);
  return byte_levels(rows, report);
}

}  // namespace coalescope::analysis
