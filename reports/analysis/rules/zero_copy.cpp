// Z01: a kernel that works on the host's memory over the bus, where bytes cross that nobody asked for, or
// cross again. Bytes that cross once and are used cost no more than a copy would.

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/figures/access_shape.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rows/kernel_rows.h"
#include "reports/analysis/rules/missing.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

// Counters of different launches differ by a few per cent, and rows that begin off a sector's boundary by a
// quarter.
constexpr double kCrossings = 1.3;
constexpr double kCrossingsUnpriced = 1.6;
constexpr double kFullSectors = 0.9;  // of the sectors, needed
constexpr double kWholeMemory = 0.9;  // of the memory that its pointers lead to, a launch
// Less is a flag or a result that the kernel writes where the host looks for it.
constexpr double kShareOfSectors = 0.1;
constexpr double kShareOfTime = 0.1;  // that the bus takes for what crosses

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

// What the bus takes for it by the speed of a copy.
std::optional<double> bus_ns(const KernelRow& row, const Machine& machine) {
  if (!machine.host_to_device) return std::nullopt;
  return crossed_bytes(row) / machine.host_to_device->bandwidth * 1e9;
}

// So many sectors cross that the bus bounds it, also where lanes use a part of each.
bool is_mostly_on_bus(const KernelRow& row) {
  return real(row.sysmem_sectors) >= kShareOfSectors * real(row.l2_sectors);
}

bool waits_for_bus(const KernelSubject& kernel) {
  const KernelRow& row = kernel.row;
  const auto bus = bus_ns(row, kernel.machine);
  return works_in_host_memory(row) &&
         (is_mostly_on_bus(row) || (bus && *bus >= kShareOfTime * real(row.median_gpu_ns)));
}

// How often the whole memory crossed that its pointers lead to: bytes that are asked for again each time
// cross as often as they are asked for.
double crossings_of_memory(const KernelRow& row) {
  const auto bytes = host_bytes(row);
  return bytes ? crossed_bytes(row) / static_cast<double>(*bytes) : 0;
}

// How many launches follow each other in which the host cannot have changed the memory, because it waited for
// none of them. Each reads all of it: launches that read parts may each read another one.
double unchanged_launches(const KernelRow& row) {
  const double launches = std::max(1.0, row.launches_per_wait.value_or(1));
  return crossings_of_memory(row) >= kWholeMemory ? launches : 1;
}

Measure times_crossed(const KernelSubject& kernel) {
  const KernelRow& row = kernel.row;
  if (!row.sysmem_sectors || !row.l2_sectors)
    return lacks(row, model::Phase::traffic, "sectors of the host's memory");
  if (!waits_for_bus(kernel)) return measured(0);
  if (!crossings(row)) return lacks(row, model::Phase::bytes, "the bytes that it requested");
  const double of_memory = crossings_of_memory(row) * unchanged_launches(row);
  return measured(std::max(likely_crossings(row), of_memory));
}

// How often each byte that it asks for crosses; std::nullopt: which memory it works in is not known.
struct Crossings {
  double times = 1;
  double of_memory = 0;
  double unchanged_launches = 1;
  std::optional<std::int64_t> host_bytes;
};
Crossings crossings_of(const KernelRow& row) {
  return {likely_crossings(row), crossings_of_memory(row), unchanged_launches(row), host_bytes(row)};
}

// What a launch would take after a copy of the memory that the kernel's pointers lead to, which may be much
// more than it asks for: what it moved over the bus comes from DRAM then, beside what does so now. One copy
// serves all launches until the host changes the memory.
std::optional<double> copied_ns(const KernelRow& kernel, const Crossings& crossings, const Machine& machine) {
  if (!crossings.host_bytes || !machine.host_to_device || !machine.dram) return std::nullopt;
  const double moved = crossed_bytes(kernel) + real(kernel.dram_read_bytes) + real(kernel.dram_write_bytes);
  const double copy_ns =
      real(crossings.host_bytes) / machine.host_to_device->bandwidth * 1e9 + real(machine.copy_ns);
  // What the bus does not take stays.
  const double rest_ns =
      is_mostly_on_bus(kernel) ? 0 : real(kernel.median_gpu_ns) - bus_ns(kernel, machine).value_or(0);
  return copy_ns / crossings.unchanged_launches + std::max(rest_ns, moved / machine.dram->bandwidth * 1e9);
}

// The bus bounds it: in place, each byte once.
double side_by_side_ns(const KernelRow& kernel, const Crossings& crossings) {
  return real(kernel.median_gpu_ns) / std::max(1.0, crossings.times);
}

// The better repair: a copy of the host's memory to the device before each launch, or the same bytes side by
// side, each crossing once.
struct Repair {
  std::optional<double> copied_ns;
  double side_by_side_ns = 0;
  [[nodiscard]] bool is_copy() const { return copied_ns && *copied_ns < side_by_side_ns; }
};

std::string copy_text(const Crossings& crossings) {
  std::string text = "one copy of " + bytes_text(real(crossings.host_bytes));
  if (crossings.unchanged_launches >= 2)
    text += fmt::format(" per {} launches", base::format_ratio(crossings.unchanged_launches));
  return text;
}

// What a kernel loses that works in the host's memory, against the better repair.
Cost repeated_crossing_cost(const KernelRow& kernel, const Crossings& crossings, const Repair& repair,
                            const Machine& machine) {
  if (!kernel.sysmem_sectors || !kernel.load.data_bytes || !kernel.store.data_bytes)
    return unknown_cost("cost unknown: the bytes that it requested were not measured");
  if (!kernel.median_gpu_ns || *kernel.median_gpu_ns <= 0)
    return unknown_cost("cost unknown: none of its launches was timed");
  const double launch_ns = real(kernel.median_gpu_ns);
  const double crossed = crossed_bytes(kernel);
  if (repair.is_copy())
    return {total(launch_ns - *repair.copied_ns, kernel),
            fmt::format("a launch moved {} over the bus; with {}, and the same in the device's memory, it "
                        "takes {} ({})",
                        bytes_text(crossed), copy_text(crossings),
                        base::format_ns(rounded(*repair.copied_ns)), machine.host_to_device->source)};
  if (crossings.times <= 1) {
    if (!machine.host_to_device || !machine.dram) return unknown_cost(kNotCalibrated);
    if (!crossings.host_bytes)
      return unknown_cost("cost unknown: how large the memory is that it works in was not recorded");
    return {0, "a copy would take as long"};
  }
  return {total(launch_ns - repair.side_by_side_ns, kernel),
          fmt::format("a launch moved {} over the bus for {} that it requested there, and the bus bounds "
                      "it; side by side these would cross once",
                      bytes_text(crossed), bytes_text(crossed / crossings.times))};
}

Evidence crossing_evidence(const KernelRow& row, const Crossings& crossings) {
  const double crossed = crossed_bytes(row);
  FactList facts;
  facts.add("crossed_bytes", crossed, "bytes").add("times_crossed", crossings.times, "times");
  std::string text = fmt::format(
      "{} per launch came over the bus from the host's memory; each requested byte crossed {} "
      "times",
      base::format_bytes(crossed), base::format_ratio(crossings.times));
  if (const auto bytes = crossings.host_bytes) {
    facts.add("times_memory_crossed", crossings.of_memory, "times").count("host_bytes", bytes, "bytes");
    text +=
        fmt::format(" ({} times the {} that its pointers lead to", base::format_ratio(crossings.of_memory),
                    base::format_bytes(static_cast<double>(*bytes)));
    if (row.launches > 1) {
      const double in_all = crossings.of_memory * static_cast<double>(row.launches);
      facts.add("times_memory_crossed_in_all", in_all, "times").count("launches", row.launches, "launches");
      text += fmt::format(", {} times over its {} launches", base::format_ratio(in_all),
                          base::format_count(row.launches));
    }
    text += ")";
  }
  return {facts.take(), std::move(text)};
}

// Bytes cross in sectors: lanes that take a part of each make the rest cross for nothing. Contiguous bytes
// that cross several times are read again, and no order of the host's helps.
bool takes_parts_of_sectors(const KernelRow& row) {
  const auto needed = needed_share(row.load);
  return !needed || *needed < kFullSectors;
}

Advice crossing_advice(const KernelRow& row, bool copy, const Crossings& crossings) {
  const bool knows_memory = crossings.host_bytes.has_value();
  const std::int64_t launches = row.launches;
  if (copy && crossings.unchanged_launches >= kCrossings)
    return {"Z01.copy_once", FactList().count("launches", launches, "launches").take(),
            "Copy the data to the device once and let all launches read them there. The host does not wait "
            "between most launches, so it cannot have changed the data."};
  if (!copy && !takes_parts_of_sectors(row))
    return {
        "Z01.read_once", FactList().count("launches", launches, "launches").take(),
        "The kernel reads the same bytes over the bus several times: copy them to the device, or keep them "
        "in shared memory or registers after the first read."};
  std::string text =
      "Copy the data to the device, and keep zero-copy for what is touched once and coalesced.";
  if (!copy) {
    text =
        "The kernel uses a part of each sector that crosses the bus. Store the elements that it reads next "
        "to "
        "each other in the host's memory, so that each byte crosses once.";
    if (knows_memory) text += " Copying all of that memory would gain less.";
  }
  if (launches > 1)
    text +=
        " If the data do not change between launches, one copy for all launches saves nearly all of the "
        "time.";
  return {copy ? "Z01.copy" : "Z01.side_by_side", FactList().count("launches", launches, "launches").take(),
          std::move(text)};
}

Assessment assess_zero_copy(const KernelSubject& kernel) {
  const Measure times = times_crossed(kernel);
  if (!times.reaches(kCrossings)) return {times};
  const KernelRow& row = kernel.row;
  const Crossings crossings = crossings_of(row);
  const Repair repair{copied_ns(row, crossings, kernel.machine), side_by_side_ns(row, crossings)};
  return {times, repeated_crossing_cost(row, crossings, repair, kernel.machine),
          crossing_evidence(row, crossings), crossing_advice(row, repair.is_copy(), crossings)};
}

}  // namespace

constinit const Rule<KernelSubject> kZeroCopy{
    {"Z01", "Zero-copy access", "copy the host memory that {} reads to the GPU first", "D6",
     "times that each byte crossed the bus per launch", kCrossings, kCrossingsUnpriced, false,
     "D6: reading twice and with a stride speak; once and coalesced, and the copy, do not"},
    assess_zero_copy,
    [](const LineRow& line) -> std::optional<double> {
      return line.host_sectors ? std::optional(real(line.host_sectors)) : std::nullopt;
    }};

}  // namespace coalescope::analysis
