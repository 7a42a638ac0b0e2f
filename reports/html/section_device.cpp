// What the GPU is, in words and units: what a reader needs to judge every other number.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/html/sections.h"
#include "reports/html/values.h"

namespace coalescope::html {
namespace {

using analysis::DeviceRow;
using analysis::Show;
using model::Device;
using Count = std::optional<std::int64_t>;

// One property: what it is called, how it is shown, and why a reader would care.
struct Property {
  std::string_view name;
  Count Device::*value;
  Show show;
  std::string_view unit;
  std::string_view about;
};
struct Group {
  std::string_view title;
  std::span<const Property> properties;
};

constexpr std::array kCompute{
    Property{"Multiprocessors", &Device::multiprocessors, Show::count, "multiprocessors",
             "Each runs many warps at once."},
    Property{"Clock", &Device::clock_khz, Show::clock, "kHz", "The highest clock of the multiprocessors."},
    Property{"Warp size", &Device::warp_size, Show::count, "threads",
             "A memory instruction is one request for all threads of a warp."},
    Property{"Threads per multiprocessor", &Device::max_threads_per_multiprocessor, Show::count, "threads",
             "The most that can be resident."},
    Property{"Registers per multiprocessor", &Device::registers_per_multiprocessor, Show::count, "registers",
             "32 bits each, shared out among the resident threads."},
};
constexpr std::array kMemory{
    Property{"Device memory", &Device::memory_bytes, Show::bytes, "bytes", "Global memory (DRAM)."},
    Property{"Memory clock", &Device::memory_clock_khz, Show::clock, "kHz", ""},
    Property{"Memory bus", &Device::memory_bus_bits, Show::count, "bits", ""},
    Property{"Error correction", &Device::ecc, Show::flag, "",
             "With GDDR memory it costs bandwidth, with HBM it does not."},
};
constexpr std::array kCaches{
    Property{"L2 cache", &Device::l2_bytes, Show::bytes, "bytes",
             "Data that fits here is not read from DRAM again."},
    Property{"L2 that can be set aside", &Device::persisting_l2_max_bytes, Show::bytes, "bytes",
             "For data that should stay in L2 (persisting accesses)."},
    Property{"Largest L2 window", &Device::access_policy_max_window_bytes, Show::bytes, "bytes",
             "The most memory that one access policy window covers."},
    Property{"Constant memory", &Device::constant_bytes, Show::bytes, "bytes",
             "Fast when all threads of a warp read the same word."},
    Property{"Shared memory per block", &Device::shared_bytes_per_block, Show::bytes, "bytes", "By default."},
    Property{"Shared memory per block, on request", &Device::shared_bytes_per_block_optin, Show::bytes,
             "bytes", "With cudaFuncSetAttribute."},
    Property{"Shared memory per multiprocessor", &Device::shared_bytes_per_multiprocessor, Show::bytes,
             "bytes", ""},
};
constexpr std::array kHost{
    Property{"Copy engines", &Device::copy_engines, Show::count, "engines",
             "With two or more, copies in both directions and kernels overlap."},
    Property{"Integrated with the host", &Device::integrated, Show::flag, "",
             "An integrated GPU shares the host's memory: zero-copy costs nothing extra."},
    Property{"Maps host memory", &Device::can_map_host_memory, Show::flag, "",
             "Needed for zero-copy access."},
    Property{"Unified addressing", &Device::unified_addressing, Show::flag, "",
             "The value of a pointer identifies its memory."},
    Property{"Managed memory", &Device::managed_memory, Show::flag, "", "cudaMallocManaged."},
    Property{"Managed memory used by both at once", &Device::concurrent_managed_access, Show::flag, "",
             "Host and device may use managed memory at the same time."},
    Property{"Reads pageable memory", &Device::pageable_memory_access, Show::flag, "",
             "Whether the GPU can follow pointers from malloc."},
    Property{"Host atomics", &Device::host_native_atomics, Show::flag, "",
             "Whether atomics on host memory run at full speed."},
    Property{"Memory pools", &Device::memory_pools, Show::flag, "", "cudaMallocAsync."},
};
constexpr std::array<Group, 4> kGroups{{{"Multiprocessors", kCompute},
                                        {"Device memory", kMemory},
                                        {"Caches and memory on the chip", kCaches},
                                        {"Host and device", kHost}}};

Html entry(std::string_view name, const Html& value, std::string_view about) {
  Html pair = element("dt", name);
  pair << element("dd", value);
  if (!about.empty()) pair << element("dd", {{"class", "note"}}, about);
  return element("div", pair);
}

Html property_entry(const Device& device, const Property& property) {
  const Count& value = device.*property.value;
  if (!value)
    return entry(property.name, element("span", {{"class", "missing"}}, "not reported by the driver"),
                 property.about);
  const analysis::Shown shown = analysis::shown(property.show, property.unit, *value);
  return entry(property.name, exactly(property.show == Show::count ? shown.exact : shown.text, shown.exact),
               property.about);
}

Html identity(const DeviceRow& row) {
  const Device& device = row.properties;
  const Html none = element("span", {{"class", "missing"}}, "not reported by the driver");
  Html list = entry("Chip", device.chip ? Html(*device.chip) : none, "");
  const bool capability = device.compute_capability_major && device.compute_capability_minor;
  list << entry("Compute capability",
                capability ? Html(fmt::format("{}.{}", *device.compute_capability_major,
                                              *device.compute_capability_minor))
                           : none,
                "The GPU's feature version.")
       << entry("PCI address", device.pci_bus_id ? Html(*device.pci_bus_id) : none, "")
       << entry("UUID", element("code", device.uuid), "")
       << entry("Peak DRAM bandwidth",
                row.peak_dram_bandwidth ? exactly(base::format_bandwidth(*row.peak_dram_bandwidth),
                                                  exact_bandwidth(*row.peak_dram_bandwidth))
                                        : none,
                "Computed: 2 x memory clock x bus width / 8. No kernel quite reaches it.");
  return element("dl", {{"class", "properties"}}, list);
}

// What costs are computed with: the best that each path is known to do.
Html ceilings(const DeviceRow& row) {
  if (row.ceilings.empty()) return {};
  // Most often one source holds for all.
  const std::string& source = row.ceilings.front().source;
  const bool one_source =
      std::ranges::all_of(row.ceilings, [&](const auto& ceiling) { return ceiling.source == source; });
  Html list;
  for (const analysis::Ceiling& ceiling : row.ceilings)
    list << entry(ceiling.path,
                  exactly(base::format_bandwidth(ceiling.bandwidth), exact_bandwidth(ceiling.bandwidth)),
                  one_source ? "" : ceiling.source);
  Html content = element("h4", "Bandwidth ceilings" + (one_source ? ", " + source : ""));
  content << element("dl", {{"class", "properties"}}, list);
  return content;
}

Html device_part(const DeviceRow& row) {
  Html content = element("h3", fmt::format("GPU {}: {}", row.properties.ordinal, row.properties.name));
  content << identity(row) << ceilings(row);
  Html groups;
  for (const Group& group : kGroups) {
    Html list;
    for (const Property& property : group.properties) list << property_entry(row.properties, property);
    groups << element("h4", group.title) << element("dl", {{"class", "properties"}}, list);
  }
  content << details("All properties", groups);
  return content;
}

}  // namespace

Html device_section(const analysis::Report& report) {
  if (report.devices.empty()) return {};
  Html content;
  for (const DeviceRow& row : report.devices) content << device_part(row);
  return section("device", report.devices.size() == 1 ? "The GPU" : "The GPUs", content);
}

}  // namespace coalescope::html
