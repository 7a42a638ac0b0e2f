// Z01: a kernel that works on the host's memory over the bus, where bytes cross that nobody asked for, or
// cross again. Bytes that cross once and are used cost no more than a copy would.

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/ratios.h"
#include "reports/analysis/rules/missing.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr double kShareOfL2Sectors = 0.1;
// Counters of different launches differ by a few per cent, and rows that begin off a sector's boundary by a
// quarter.
constexpr double kCrossings = 1.3;
constexpr double kCrossingsUnpriced = 1.6;

// How often each byte that was asked for crossed the bus. Never more than the truth: some of the bytes asked
// for may have been the device's.
std::optional<double> crossings(const KernelRow& row) {
  if (!row.sysmem_sectors || !row.load.data_bytes || !row.store.data_bytes) return std::nullopt;
  const auto asked = *row.load.data_bytes + *row.store.data_bytes;
  if (asked <= 0) return std::nullopt;
  return static_cast<double>(*row.sysmem_sectors * kSectorBytes) / static_cast<double>(asked);
}

// The same where stores go to the device, as they mostly do: only loads asked for the host's bytes.
std::optional<double> crossings_of_loads(const KernelRow& row) {
  if (!row.sysmem_sectors || !row.load.data_bytes || *row.load.data_bytes <= 0) return std::nullopt;
  return static_cast<double>(*row.sysmem_sectors * kSectorBytes) / static_cast<double>(*row.load.data_bytes);
}

// Stores reach the host only where a parameter leads there besides those that are read; a kernel whose
// crossings are explained by its loads alone has its stores on the device.
double likely_crossings(const KernelRow& row) {
  const double least = crossings(row).value_or(0);
  const double loads = crossings_of_loads(row).value_or(least);
  const double write_share =
      row.load.data_bytes && row.store.data_bytes
          ? static_cast<double>(*row.store.data_bytes) /
                std::max(1.0, static_cast<double>(*row.load.data_bytes + *row.store.data_bytes))
          : 0;
  // More than half of the bytes are written: then they may be what crossed.
  return write_share > 0.5 ? least : loads;
}

std::optional<std::int64_t> host_bytes(const KernelRow& row) {
  return row.host_footprint_bytes.value_or(0) > 0 ? row.host_footprint_bytes : std::nullopt;
}

double crossed_bytes(const KernelRow& row) {
  return static_cast<double>(row.sysmem_sectors.value_or(0) * kSectorBytes);
}

// How often the whole memory crossed that its pointers lead to: bytes that are asked for again each time
// cross as often as they are asked for.
double crossings_of_memory(const KernelRow& row) {
  const auto bytes = host_bytes(row);
  return bytes ? crossed_bytes(row) / static_cast<double>(*bytes) : 0;
}

Measure times_crossed(const KernelSubject& kernel) {
  const KernelRow& row = kernel.row;
  if (!row.sysmem_sectors || !row.l2_sectors)
    return lacks(row, model::Phase::traffic, "sectors of the host's memory");
  const double share =
      static_cast<double>(*row.sysmem_sectors) / std::max(1.0, static_cast<double>(*row.l2_sectors));
  if (share < kShareOfL2Sectors) return measured(0);
  if (!crossings(row)) return lacks(row, model::Phase::bytes, "the bytes that it asked for");
  return measured(std::max(likely_crossings(row), crossings_of_memory(row)));
}

Crossings crossings_of(const KernelRow& row) {
  return {likely_crossings(row), host_bytes(row)};
}

std::string crossing_evidence(const KernelSubject& kernel) {
  const KernelRow& row = kernel.row;
  const double crossed = crossed_bytes(row);
  std::string text = fmt::format(
      "{} a launch came over the bus from the host's memory; each byte asked for crossed {} "
      "times",
      base::format_bytes(crossed), base::format_ratio(likely_crossings(row)));
  if (const auto bytes = host_bytes(row)) {
    text += fmt::format(" ({} times the {} that its pointers lead to",
                        base::format_ratio(crossings_of_memory(row)),
                        base::format_bytes(static_cast<double>(*bytes)));
    if (row.launches > 1)
      text += fmt::format(", {} times over its {} launches",
                          base::format_ratio(crossings_of_memory(row) * static_cast<double>(row.launches)),
                          base::format_count(row.launches));
    text += ")";
  }
  return text;
}

std::string crossing_advice(const KernelSubject& kernel) {
  std::string text =
      "Copy the data to the device, and keep zero-copy for what is touched once and coalesced.";
  if (!copy_is_better(kernel.row, crossings_of(kernel.row), kernel.machine)) {
    text =
        "Neighbouring lanes take a part of each sector: let the host store side by side what the kernel "
        "takes, so that it crosses once";
    text += host_bytes(kernel.row) ? "; a copy of all of it would gain less." : ".";
  }
  if (kernel.row.launches > 1)
    text +=
        " If the data do not change between its launches, one copy for all of them saves nearly all of the "
        "time.";
  return text;
}

}  // namespace

constinit const Rule<KernelSubject> kZeroCopy{
    {"Z01", "Zero-copy access", "D6", "times that each byte crossed the bus in a launch", kCrossings,
     kCrossingsUnpriced, false,
     "D6: reading twice and with a stride speak; once and coalesced, and the copy, do not"},
    times_crossed,
    [](const KernelSubject& kernel) {
      return repeated_crossing_cost(kernel.row, crossings_of(kernel.row), kernel.machine);
    },
    crossing_evidence,
    crossing_advice,
    nullptr};

}  // namespace coalescope::analysis
