#include "reports/analysis/view/program_tables.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <span>

#include "core/base/units.h"
#include "reports/analysis/view/device_names.h"
#include "reports/analysis/view/shown.h"

namespace coalescope::analysis {
namespace {

constexpr std::size_t kMostRows = 40;
constexpr std::string_view kNotKnown = "not known";
// Words, or a number with what it is sorted by.
struct Cell {
  std::string text;
  std::optional<double> order = {};
};
using Cells = std::vector<Cell>;

Cell bytes(const std::optional<std::int64_t>& count) {
  return {text_of(Show::bytes, count, kNotKnown), count};
}
Cell count_cell(const std::optional<std::int64_t>& number) {
  return {text_of(Show::count, number, kNotKnown), number};
}
Cell time(const std::optional<std::int64_t>& ns) {
  return {text_of(Show::ns, ns, kNotKnown), ns};
}
Cell share(double part) {
  return {base::format_share(part), part};
}
std::string memory(const DeviceNames& devices, const std::optional<std::int64_t>& device_id) {
  return device_id ? device_name(devices, *device_id) : "host";
}

template <class Row, class ToCells>
PlainTable table(std::string id, std::string title, std::string rows_are, std::vector<std::string> headings,
                 std::vector<std::size_t> words, std::span<const Row> rows, const ToCells& cells) {
  PlainTable made{
      std::move(id), std::move(title), std::move(rows_are), std::move(headings), std::move(words), {}, {},
      rows.size()};
  for (const Row& row : rows.first(std::min(rows.size(), kMostRows))) {
    auto& texts = made.rows.emplace_back();
    auto& orders = made.orders.emplace_back();
    for (Cell& cell : cells(row)) {
      texts.push_back(std::move(cell.text));
      orders.push_back(cell.order);
    }
  }
  return made;
}

Cells sum_cells(const AllocationSum& row, const DeviceNames& devices) {
  return {{spoken(name_of(row.kind))}, {memory(devices, row.device_id)},
          count_cell(row.allocations), bytes(row.bytes),
          bytes(row.largest_bytes),    bytes(row.most_bytes),
          count_cell(row.freed)};
}
Cells largest_cells(const AllocationRow& row, const DeviceNames& devices) {
  return {{spoken(name_of(row.kind))},
          {memory(devices, row.device_id)},
          {row.place.value_or(std::string(kNotKnown))},
          bytes(row.bytes),
          time(row.allocated_ns),
          row.freed_ns ? time(row.freed_ns) : Cell{"not freed"}};
}
Cells place_cells(const AllocationPlace& row) {
  return {{row.place.value_or(std::string(kNotKnown))},
          count_cell(row.allocations),
          bytes(row.bytes),
          bytes(row.most_bytes),
          bytes(row.largest_bytes),
          count_cell(row.freed)};
}
Cells pointer_cells(const PointerRow& row, const DeviceNames& devices) {
  return {{row.kernel_name},
          {spoken(name_of(row.memory))},
          {memory(devices, row.device_id)},
          count_cell(row.parameter),
          bytes(row.allocation_bytes),
          bytes(row.offset_bytes),
          {row.place.value_or(std::string(kNotKnown))}};
}
Cell per_launch(const AsyncCopyRow& row, std::optional<std::int64_t> sum) {
  if (sum) *sum /= std::max<std::int64_t>(row.launches, 1);
  return count_cell(sum);
}
Cells async_cells(const AsyncCopyRow& row) {
  return {{row.kernel_name},
          count_cell(row.launches),
          per_launch(row, row.bytes),
          per_launch(row, row.sectors),
          per_launch(row, row.requests),
          per_launch(row, row.tma_instructions)};
}
Cells migration_cells(const AllocationRow& row) {
  const Migration& did = row.migration;
  const std::string place =
      row.id == 0 ? "no allocation that is listed" : row.place.value_or(std::string(kNotKnown));
  return {{place},
          row.id == 0 ? Cell{std::string(kNotKnown)} : bytes(row.bytes),
          bytes(did.bytes_to_device),
          bytes(did.bytes_to_host),
          bytes(did.bytes_between_devices),
          count_cell(did.cpu_faults),
          count_cell(did.gpu_faults),
          count_cell(did.thrashing),
          count_cell(did.throttling),
          count_cell(did.remote_maps),
          time(did.began_ns),
          time(did.ended_ns)};
}
Cells window_cells(const model::L2Window& row) {
  const std::string subject = row.stream     ? fmt::format("stream {}", *row.stream)
                              : row.group_id ? fmt::format("kernel group {}", row.group_id->value)
                                             : spoken(name_of(row.target));
  return {{subject},
          {spoken(name_of(row.hit_property))},
          {spoken(name_of(row.miss_property))},
          {fmt::format("{:#x}", row.address)},
          bytes(row.bytes),
          share(row.hit_ratio),
          time(row.set_ns)};
}
Cells setting_cells(const model::L2Setting& row, const DeviceNames& devices) {
  return {{row.action == model::L2Action::set_aside ? "set aside for persisting accesses"
                                                    : "persisting lines reset"},
          {row.device_id ? device_name(devices, row.device_id->value) : std::string(kNotKnown)},
          row.bytes ? bytes(*row.bytes) : Cell{"—"},
          time(row.set_ns)};
}
Cells range_cells(const NamedRange& row) {
  return {{row.domain ? *row.domain + ": " + row.name : row.name},
          count_cell(row.ranges),
          time(row.host_ns),
          count_cell(row.launches),
          time(row.gpu_ns)};
}
Cells wait_cells(const WaitRow& row) {
  return {{spoken(name_of(row.kind))},
          count_cell(row.calls),
          count_cell(row.listed),
          time(row.wait_ns),
          row.listed > 0 ? time(row.longest_ns) : Cell{"—"},
          {row.call_site.value_or(std::string(kNotKnown))}};
}

Cells timeline_cells(const TimelineRow& row, const DeviceNames& devices) {
  return {{device_name(devices, row.device_id)},
          time(row.busy_ns),
          time(row.overlap_ns),
          count_cell(row.synchronous_copies),
          time(row.wait_ns),
          count_cell(row.rounds),
          time(row.round_upload_ns),
          time(row.round_kernel_ns),
          time(row.round_download_ns),
          count_cell(row.round_trips)};
}
Cells persisting_cells(const L2WindowRow& row) {
  const Cell not_known{std::string(kNotKnown)};
  return {
      {row.window.stream ? fmt::format("stream {}", *row.window.stream) : spoken(name_of(row.window.target))},
      bytes(row.window.bytes),
      share(row.window.hit_ratio),
      bytes(row.set_aside_bytes),
      bytes(row.other_bytes),
      row.pointers_known ? count_cell(row.launches) : not_known,
      row.pointers_known ? time(row.gpu_ns) : not_known,
      row.pointers_known ? count_cell(row.later_launches) : not_known};
}

// A reader looks for the windows; to take one away is a call of its own.
std::vector<model::L2Window> windows_before_resets(std::vector<model::L2Window> windows) {
  std::stable_partition(windows.begin(), windows.end(),
                        [](const model::L2Window& window) { return window.bytes > 0; });
  return windows;
}

}  // namespace

std::vector<PlainTable> program_tables(const Report& report) {
  const Program& program = report.program;
  const DeviceNames devices = device_names(report);
  // For rows that name a GPU.
  const auto naming = [&devices](const auto cells) {
    return [&devices, cells](const auto& row) { return cells(row, devices); };
  };
  std::vector<PlainTable> tables;
  tables.push_back(table<AllocationSum>(
      "allocations", "Allocations, by kind", "kinds",
      {"Kind", "Memory", "Allocations", "Bytes in all", "Largest", "Most at one time", "Freed"}, {1},
      program.allocations, naming(sum_cells)));
  tables.push_back(table<AllocationPlace>(
      "allocation-places", "Allocations, by call site", "call sites",
      {"Requested by", "Allocations", "Bytes in all", "Most at one time", "Largest", "Freed"}, {},
      program.allocation_places, place_cells));
  tables.push_back(
      table<AllocationRow>("largest-allocations", "The largest allocations", "allocations",
                           {"Kind", "Memory", "Requested by", "Bytes", "Allocated at", "Freed at"}, {1, 2},
                           program.largest, naming(largest_cells)));
  tables.push_back(table<PointerRow>(
      "pointers", "Targets of the kernels' pointer parameters, at the first launch", "parameters",
      {"Kernel", "Kind", "Memory", "Parameter", "Allocation", "Offset in it", "Requested by"}, {1, 2, 6},
      program.pointers, naming(pointer_cells)));
  tables.push_back(table<AsyncCopyRow>(
      "async-copies", "Asynchronous copies to shared memory, per launch; what TMA moves is not counted",
      "kernels", {"Kernel", "Measured", "Bytes", "Sectors", "Requests", "TMA instructions"}, {},
      program.async_copies, async_cells));
  tables.push_back(table<AllocationRow>(
      std::string(kMigrationsId), "Managed memory: what moved, and faults", "allocations",
      {"Requested by", "Bytes", "To devices", "To host", "Between devices", "CPU faults", "GPU faults",
       "Thrashing", "Throttling", "Remote maps", "First at", "Last at"},
      {}, program.migrations, migration_cells));
  tables.push_back(
      table<model::L2Window>("access-windows", "L2 windows", "windows",
                             {"Set for", "Hits are", "Misses are", "Address", "Bytes", "Hit ratio", "Set at"},
                             {1, 2}, windows_before_resets(program.set_l2_windows), window_cells));
  tables.push_back(table<model::L2Setting>("l2-settings", "L2 set aside, and resets", "calls",
                                           {"What", "Device", "Bytes", "At"}, {1}, program.l2_settings,
                                           naming(setting_cells)));
  tables.push_back(table<L2WindowRow>(
      "persisting-windows", "Persisting L2 windows: launches that point into them, and launches afterwards",
      "windows",
      {"Set for", "Bytes", "Hit ratio", "Set aside", "Others want", "Launches", "Their time", "Later"}, {},
      program.l2_windows, persisting_cells));
  tables.back().abouts = {"The stream or graph node that has the window.",
                          "Size of the window.",
                          "Share of its accesses that persist.",
                          "L2 set aside for persisting accesses when it was set.",
                          "Bytes x hit ratio of the windows of other streams at the same time.",
                          "Launches under it with a pointer into it.",
                          "GPU time of these launches.",
                          "Launches afterwards without a pointer into it, while its lines still persisted."};
  std::vector<TimelineRow> with_copies;
  std::ranges::copy_if(program.timelines, std::back_inserter(with_copies),
                       [](const TimelineRow& row) { return row.copies > 0; });
  tables.push_back(table<TimelineRow>(
      "timelines", "Overlap of the listed copies and kernels", "devices",
      {"Device", "Busy", "At once", "Waits", "Idle", "Rounds", "Upload", "Kernels", "Download", "Trips"}, {},
      with_copies, naming(timeline_cells)));
  tables.back().abouts = {
      "",
      "Time in which a kernel or a copy ran.",
      "Time in which a kernel and a copy ran at once.",
      "Copies that the host waited for and that left the GPU idle.",
      "Idle time of the GPU before and after these copies.",
      "Upload, kernels and download, each of which waited for the one before.",
      "Time of the uploads of all rounds.",
      "Time of the kernels of all rounds.",
      "Time of the downloads of all rounds.",
      "Downloads that were uploaded again at once, in the same size, for another kernel."};
  tables.push_back(table<NamedRange>("ranges", "NVTX ranges and the kernels that started in them", "names",
                                     {"Range", "Times", "Host time", "Kernels", "Their GPU time"}, {},
                                     program.ranges, range_cells));
  tables.back().abouts = {"", "How often it was opened.", "Time of the host in it.",
                          "Timed kernels that started on the GPU while it was open.", ""};
  tables.push_back(table<WaitRow>(
      "waits", "Calls that wait for the GPU", "kinds",
      {"Waits for", "Calls", "Of 10 us or more", "Time in all", "Longest", "Most of it called by"}, {5},
      program.waits, wait_cells));
  tables.back().abouts = {"",
                          "How often it was called.",
                          "Calls that waited 10 us or more.",
                          "Time of the host in all calls.",
                          "",
                          "The calls behind most of the time."};
  std::erase_if(tables, [](const PlainTable& each) { return each.rows.empty(); });
  return tables;
}

}  // namespace coalescope::analysis
