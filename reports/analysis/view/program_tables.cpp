#include "reports/analysis/view/program_tables.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "core/base/units.h"

namespace coalescope::analysis {
namespace {

constexpr std::size_t kMostRows = 40;
const std::string kUnknown = "not known";

using Cells = std::vector<std::string>;

std::string bytes(std::int64_t count) {
  return base::format_bytes(static_cast<double>(count));
}
std::string bytes(const std::optional<std::int64_t>& count) {
  return count ? bytes(*count) : kUnknown;
}
std::string counted(std::int64_t number) {
  return base::format_count(number);
}
std::string time(const std::optional<std::int64_t>& ns) {
  return ns ? base::format_ns(*ns) : kUnknown;
}
std::string spoken(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '_', ' ');
  return text;
}
std::string device(const std::optional<std::int64_t>& id) {
  return id ? fmt::format("device {}", *id) : "host";
}

template <class Row>
PlainTable table(std::string id, std::string title, std::string rows_are, Cells headings,
                 std::vector<std::size_t> words, std::span<const Row> rows, Cells (*cells)(const Row&)) {
  PlainTable made{std::move(id),       std::move(title), std::move(rows_are),
                  std::move(headings), std::move(words), {},
                  rows.size()};
  for (const Row& row : rows.first(std::min(rows.size(), kMostRows))) made.rows.push_back(cells(row));
  return made;
}

Cells sum_cells(const AllocationSum& row) {
  return {spoken(name_of(row.kind)), device(row.device_id), counted(row.allocations), bytes(row.bytes),
          bytes(row.largest_bytes),  bytes(row.most_bytes), counted(row.freed)};
}
Cells largest_cells(const AllocationRow& row) {
  return {spoken(name_of(row.kind)), device(row.device_id),  row.place.value_or(kUnknown),
          bytes(row.bytes),          time(row.allocated_ns), row.freed_ns ? time(row.freed_ns) : "not freed"};
}
Cells pointer_cells(const PointerRow& row) {
  return {row.kernel_name,
          std::string(spoken(name_of(row.memory))),
          device(row.device_id),
          counted(row.parameter),
          bytes(row.allocation_bytes),
          bytes(row.offset_bytes)};
}
std::string a_launch(const AsyncCopyRow& row, const std::optional<std::int64_t>& sum) {
  return sum ? counted(*sum / std::max<std::int64_t>(row.launches, 1)) : kUnknown;
}
Cells async_cells(const AsyncCopyRow& row) {
  return {row.kernel_name,
          counted(row.launches),
          a_launch(row, row.bytes),
          a_launch(row, row.sectors),
          a_launch(row, row.requests),
          a_launch(row, row.tma_instructions)};
}
Cells migration_cells(const AllocationRow& row) {
  const Migration& did = row.migration;
  const std::string place = row.id == 0 ? "no allocation that is listed" : row.place.value_or(kUnknown);
  return {place,
          row.id == 0 ? kUnknown : bytes(row.bytes),
          bytes(did.bytes_to_device),
          bytes(did.bytes_to_host),
          bytes(did.bytes_between_devices),
          counted(did.cpu_faults),
          counted(did.gpu_faults),
          counted(did.thrashing),
          counted(did.throttling),
          counted(did.remote_maps)};
}
Cells window_cells(const model::AccessWindow& row) {
  const std::string subject = row.stream     ? fmt::format("stream {}", *row.stream)
                              : row.group_id ? fmt::format("kernel group {}", row.group_id->value)
                                             : spoken(name_of(row.target));
  return {subject,
          spoken(name_of(row.hit_property)),
          spoken(name_of(row.miss_property)),
          fmt::format("{:#x}", row.address),
          bytes(row.bytes),
          base::format_share(row.hit_ratio),
          base::format_ns(row.set_ns)};
}
Cells setting_cells(const model::L2Setting& row) {
  return {row.action == model::L2Action::set_aside ? "set aside for persisting accesses"
                                                   : "persisting lines reset",
          row.device_id ? fmt::format("device {}", row.device_id->value) : kUnknown,
          row.bytes ? bytes(*row.bytes) : "-", base::format_ns(row.set_ns)};
}
Cells range_cells(const NamedRange& row) {
  return {row.domain ? *row.domain + ": " + row.name : row.name, counted(row.ranges),
          base::format_ns(row.host_ns), counted(row.launches), base::format_ns(row.gpu_ns)};
}
Cells wait_cells(const WaitRow& row) {
  return {spoken(name_of(row.kind)), counted(row.calls), counted(row.listed), base::format_ns(row.wait_ns),
          row.listed > 0 ? base::format_ns(row.longest_ns) : "-"};
}

Cells timeline_cells(const TimelineRow& row) {
  return {fmt::format("device {}", row.device_id),
          base::format_ns(row.busy_ns),
          base::format_ns(row.overlap_ns),
          counted(row.synchronous_copies),
          base::format_ns(row.wait_ns),
          counted(row.rounds),
          base::format_ns(row.round_upload_ns),
          base::format_ns(row.round_kernel_ns),
          base::format_ns(row.round_download_ns),
          counted(row.round_trips)};
}
Cells persisting_cells(const WindowRow& row) {
  return {
      row.window.stream ? fmt::format("stream {}", *row.window.stream) : spoken(name_of(row.window.target)),
      bytes(row.window.bytes),
      base::format_share(row.window.hit_ratio),
      bytes(row.set_aside_bytes),
      bytes(row.other_bytes),
      row.pointers_known ? counted(row.launches) : kUnknown,
      row.pointers_known ? base::format_ns(row.gpu_ns) : kUnknown,
      row.pointers_known ? counted(row.later_launches) : kUnknown};
}

}  // namespace

std::vector<PlainTable> program_tables(const Program& program) {
  std::vector<PlainTable> tables;
  tables.push_back(table<AllocationSum>(
      "allocations", "Allocations, by kind", "kinds",
      {"Kind", "Memory", "Allocations", "Bytes in all", "Largest", "Most at one time", "Freed"}, {1},
      program.allocations, sum_cells));
  tables.push_back(
      table<AllocationRow>("largest-allocations", "The largest allocations", "allocations",
                           {"Kind", "Memory", "Asked for by", "Bytes", "Allocated at", "Freed at"}, {1, 2},
                           program.largest, largest_cells));
  tables.push_back(
      table<PointerRow>("pointers", "Where the kernels' pointer parameters led, at the first launch",
                        "parameters", {"Kernel", "Memory", "Of", "Parameter", "Allocation", "Offset in it"},
                        {1, 2}, program.pointers, pointer_cells));
  tables.push_back(table<AsyncCopyRow>(
      "async-copies", "Copies to shared memory beside the kernel, a launch; what TMA moves is not counted",
      "kernels", {"Kernel", "Measured", "Bytes", "Sectors", "Requests", "TMA instructions"}, {},
      program.async_copies, async_cells));
  tables.push_back(
      table<AllocationRow>("migrations", "Managed memory: what moved, and faults", "allocations",
                           {"Asked for by", "Bytes", "To devices", "To host", "Between devices", "CPU faults",
                            "GPU faults", "Thrashing", "Throttling", "Remote maps"},
                           {}, program.migrations, migration_cells));
  tables.push_back(table<model::AccessWindow>(
      "access-windows", "L2 access-policy windows", "windows",
      {"Set for", "Hits are", "Misses are", "Address", "Bytes", "Hit ratio", "Set at"}, {1, 2},
      program.access_windows, window_cells));
  tables.push_back(table<model::L2Setting>("l2-settings", "L2 set aside, and resets", "calls",
                                           {"What", "Device", "Bytes", "At"}, {1}, program.l2_settings,
                                           setting_cells));
  tables.push_back(table<WindowRow>(
      "persisting-windows",
      "L2 windows whose hits persist: launches with a pointer into them, and later ones without", "windows",
      {"Set for", "Bytes", "Hit ratio", "Set aside", "Others want", "Launches", "Their time", "Later"}, {},
      program.windows, persisting_cells));
  tables.push_back(table<TimelineRow>(
      "timelines", "Copies and kernels in time: at once, waited for, and in turn", "devices",
      {"Of", "Busy", "At once", "Waits", "Idle", "Rounds", "Upload", "Kernels", "Download", "Trips"}, {},
      program.timelines, timeline_cells));
  tables.push_back(table<NamedRange>(
      "ranges", "NVTX ranges; kernels that began on the GPU while one was open", "names",
      {"Range", "Times", "Host time", "Kernels", "Their GPU time"}, {}, program.ranges, range_cells));
  tables.push_back(table<WaitRow>("waits", "Calls that wait for the GPU", "kinds",
                                  {"Waits for", "Calls", "Of 10 us or more", "Time in all", "Longest"}, {},
                                  program.waits, wait_cells));
  std::erase_if(tables, [](const PlainTable& each) { return each.rows.empty(); });
  return tables;
}

}  // namespace coalescope::analysis
