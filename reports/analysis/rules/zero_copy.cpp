// Z01: a kernel that works on the host's memory over the bus. Every kernel shows some sectors of it (21,605 a
// launch on an H100), which must stay silent.

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/ratios.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr std::int64_t kBackgroundSectors = 21'605;
constexpr std::int64_t kLeastSectors = 4 * kBackgroundSectors;
constexpr double kShareOfL2Sectors = 0.1;

std::optional<double> host_share(const KernelRow& row, const Machine&) {
  if (!row.sysmem_sectors || !row.l2_sectors) return std::nullopt;
  if (*row.sysmem_sectors < kLeastSectors || *row.l2_sectors <= 0) return 0;
  return static_cast<double>(*row.sysmem_sectors) / static_cast<double>(*row.l2_sectors);
}

// Never more than the truth: the bytes asked for may have been the device's in part.
std::optional<double> crossings(const KernelRow& row) {
  if (!row.sysmem_sectors || !row.load.data_bytes || !row.store.data_bytes) return std::nullopt;
  const auto asked = *row.load.data_bytes + *row.store.data_bytes;
  if (asked <= 0) return std::nullopt;
  return static_cast<double>(*row.sysmem_sectors * kSectorBytes) / static_cast<double>(asked);
}

constexpr double kRepeated = 1.6;  // a clean read shows up to 1.5 sectors for each one that it asks for

std::string evidence(const KernelRow& row) {
  std::string text =
      fmt::format("{} a launch came over the bus from the host's memory",
                  base::format_bytes(static_cast<double>(row.sysmem_sectors.value_or(0) * kSectorBytes)));
  const auto times = crossings(row);
  if (times && *times >= kRepeated)
    text += fmt::format("; each byte asked for crossed {} times or more", base::format_ratio(*times));
  return text;
}

}  // namespace

constinit const Rule<KernelRow> kZeroCopyReads{
    "Z01",
    "Zero-copy access",
    host_share,
    kShareOfL2Sectors,
    kShareOfL2Sectors,
    false,
    [](const KernelRow& row, const Machine& machine) {
      if (crossings(row).value_or(0) >= kRepeated) return repeated_crossing_cost(row, machine);
      return Cost{std::nullopt, "cost unknown: bytes that cross once cost no more than a copy would"};
    },
    evidence,
    [](const KernelRow&) {
      return std::string(
          "Copy the data to the device once if they are read again, and keep zero-copy for what "
          "is touched once and coalesced.");
    },
    nullptr};

}  // namespace coalescope::analysis
