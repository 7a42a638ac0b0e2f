#include "reports/json/json.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "core/capture/tables.h"

namespace coalescope::json {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view name_of(analysis::Level level) {
  switch (level) {
    case analysis::Level::note:
      return "note";
    case analysis::Level::warning:
      return "warning";
    case analysis::Level::severe:
      return "severe";
  }
  return "unknown";
}

// A member to be; its value is moved into the object, which an initializer list allows for mutable ones only.
struct Member {
  const char* name;
  mutable Json value;
};

// The library's own lists of members make an array of each first, and look for its name among those before
// it: that took a sixth of the time of a large report.
Json object(std::initializer_list<Member> members) {
  Json result = Json::object();
  auto& list = result.get_ref<Json::object_t&>();
  list.reserve(members.size());
  for (const Member& member : members) list.emplace_back(member.name, std::move(member.value));
  return result;
}

Json value(const analysis::Samples&);
Json value(const analysis::Access&);
Json value(const analysis::SharedAccess&);
Json value(const analysis::Unmeasured&);
Json value(const analysis::KernelRow&);
Json value(const analysis::LineRow&);
Json value(const analysis::SourceExcerpt&);
Json value(const analysis::SourceExcerpt::Line&);
Json value(const analysis::TransferRow&);
Json value(const analysis::Finding&);
Json value(const analysis::NotJudged&);
Json value(const analysis::PhaseCost&);
Json value(const analysis::Ceiling&);
Json value(const analysis::DeviceRow&);
Json value(const analysis::Totals&);
Json value(const analysis::AllocationSum&);
Json value(const analysis::Migration&);
Json value(const analysis::AllocationRow&);
Json value(const analysis::PointerRow&);
Json value(const analysis::NamedRange&);
Json value(const analysis::AsyncCopyRow&);
Json value(const analysis::WaitRow&);
Json value(const analysis::TimelineRow&);
Json value(const analysis::WindowRow&);
Json value(const analysis::Program&);

// Anything that is not one of the report's own structs: plain values, enumerations, ids, options, lists, and
// rows of the capture, whose columns are declared.
template <class Type>
Json value(const Type& plain) {
  if constexpr (requires { capture::Table<Type>::kColumns; }) {
    Json row = Json::object();
    std::apply(
        [&](const auto&... column) { ((row[std::string(column.name)] = value(plain.*column.member)), ...); },
        capture::Table<Type>::kColumns);
    return row;
  } else if constexpr (std::is_enum_v<Type>) {
    return std::string(name_of(plain));
  } else if constexpr (capture::kIsStrongId<Type>) {
    return plain.value;
  } else if constexpr (capture::kIsOptional<Type>) {
    return plain ? value(*plain) : Json(nullptr);
  } else if constexpr (std::is_floating_point_v<Type>) {
    return std::isfinite(plain) ? Json(plain) : Json(nullptr);
  } else if constexpr (std::is_arithmetic_v<Type> || std::is_same_v<Type, std::string>) {
    return plain;
  } else {
    Json array = Json::array();
    for (const auto& element : plain) array.push_back(value(element));
    return array;
  }
}

Json value(const analysis::Samples& row) {
  return object({{"measured", value(row.measured)}, {"seen", value(row.seen)}});
}

Json value(const analysis::Access& row) {
  return object({{"data_bytes", value(row.data_bytes)},
                 {"sectors", value(row.sectors)},
                 {"requests", value(row.requests)},
                 {"degree", value(row.degree)},
                 {"sectors_per_request", value(row.sectors_per_request)},
                 {"sector_efficiency", value(row.sector_efficiency)},
                 {"lanes", value(row.lanes)},
                 {"l2_degree", value(row.l2_degree)},
                 {"dram_degree", value(row.dram_degree)}});
}

Json value(const analysis::SharedAccess& row) {
  return object({{"requests", value(row.requests)},
                 {"wavefronts", value(row.wavefronts)},
                 {"ideal_wavefronts", value(row.ideal_wavefronts)},
                 {"surplus_wavefronts", value(row.surplus_wavefronts)}});
}

Json value(const analysis::Unmeasured& row) {
  return object({{"phase", value(row.phase)}, {"reason", value(row.reason)}, {"text", value(row.text)}});
}

Json value(const analysis::KernelRow& row) {
  return object({{"id", value(row.id)},
                 {"name", value(row.name)},
                 {"full_name", value(row.full_name)},
                 {"mangled_name", value(row.mangled_name)},
                 {"process_id", value(row.process_id)},
                 {"device_id", value(row.device_id)},
                 {"grid", value(row.grid)},
                 {"block", value(row.block)},
                 {"dynamic_shared_bytes", value(row.dynamic_shared_bytes)},
                 {"static_shared_bytes", value(row.static_shared_bytes)},
                 {"registers_per_thread", value(row.registers_per_thread)},
                 {"local_bytes_per_thread", value(row.local_bytes_per_thread)},
                 {"launches", value(row.launches)},
                 {"timed_launches", value(row.timed_launches)},
                 {"median_gpu_ns", value(row.median_gpu_ns)},
                 {"gpu_ns", value(row.gpu_ns)},
                 {"share", value(row.share)},
                 {"load", value(row.load)},
                 {"store", value(row.store)},
                 {"atomic", value(row.atomic)},
                 {"reduction", value(row.reduction)},
                 {"async_copy", value(row.async_copy)},
                 {"shared", value(row.shared)},
                 {"traits", value(row.traits)},
                 {"atomic_sectors", value(row.atomic_sectors)},
                 {"local_sectors", value(row.local_sectors)},
                 {"local_load_sectors", value(row.local_load_sectors)},
                 {"local_store_sectors", value(row.local_store_sectors)},
                 {"tma_instructions", value(row.tma_instructions)},
                 {"sector_efficiency", value(row.sector_efficiency)},
                 {"l2_sectors", value(row.l2_sectors)},
                 {"l2_read_sectors", value(row.l2_read_sectors)},
                 {"l2_write_sectors", value(row.l2_write_sectors)},
                 {"l2_hit_ratio", value(row.l2_hit_ratio)},
                 {"dram_read_bytes", value(row.dram_read_bytes)},
                 {"dram_write_bytes", value(row.dram_write_bytes)},
                 {"sysmem_sectors", value(row.sysmem_sectors)},
                 {"footprint_bytes", value(row.footprint_bytes)},
                 {"host_footprint_bytes", value(row.host_footprint_bytes)},
                 {"asked_bandwidth", value(row.asked_bandwidth)},
                 {"dram_bandwidth", value(row.dram_bandwidth)},
                 {"bytes", value(row.bytes)},
                 {"lines", value(row.lines)},
                 {"traffic", value(row.traffic)},
                 {"hits", value(row.hits)},
                 {"unmeasured", value(row.unmeasured)},
                 {"worst_file", value(row.worst_file)},
                 {"worst_line", value(row.worst_line)}});
}

Json value(const analysis::LineRow& row) {
  return object({{"kernel_id", value(row.kernel_id)},
                 {"kernel_name", value(row.kernel_name)},
                 {"file", value(row.file)},
                 {"line", value(row.line)},
                 {"pc_offset", value(row.pc_offset)},
                 {"instructions", value(row.instructions)},
                 {"loads", value(row.loads)},
                 {"stores", value(row.stores)},
                 {"sectors", value(row.sectors)},
                 {"ideal_sectors", value(row.ideal_sectors)},
                 {"surplus_sectors", value(row.surplus_sectors)},
                 {"sector_efficiency", value(row.sector_efficiency)},
                 {"sectors_per_request", value(row.sectors_per_request)},
                 {"atomics", value(row.atomics)},
                 {"reductions", value(row.reductions)},
                 {"async_copies", value(row.async_copies)},
                 {"threads", value(row.threads)},
                 {"lanes", value(row.lanes)},
                 {"least_degree", value(row.least_degree)},
                 {"greatest_degree", value(row.greatest_degree)},
                 {"local_sectors", value(row.local_sectors)},
                 {"shared", value(row.shared)},
                 {"broadcast_loads", value(row.broadcast_loads)},
                 {"indexed", value(row.indexed)},
                 {"traits", value(row.traits)},
                 {"text", value(row.text)}});
}

Json value(const analysis::SourceExcerpt::Line& row) {
  return object({{"number", value(row.number)},
                 {"text", value(row.text)},
                 {"sectors", value(row.sectors)},
                 {"ideal_sectors", value(row.ideal_sectors)}});
}

Json value(const analysis::SourceExcerpt& row) {
  return object({{"file", value(row.file)}, {"lines", value(row.lines)}});
}

Json value(const analysis::TransferRow& row) {
  return object({{"device_id", value(row.device_id)},
                 {"direction", value(row.direction)},
                 {"source_memory", value(row.source_memory)},
                 {"destination_memory", value(row.destination_memory)},
                 {"asynchronous", value(row.asynchronous)},
                 {"smallest_bytes", value(row.smallest_bytes)},
                 {"largest_bytes", value(row.largest_bytes)},
                 {"transfers", value(row.transfers)},
                 {"bytes", value(row.bytes)},
                 {"through_host", value(row.through_host)},
                 {"gpu_ns", value(row.gpu_ns)},
                 {"share", value(row.share)},
                 {"bandwidth", value(row.bandwidth)},
                 {"reference_bandwidth", value(row.reference_bandwidth)},
                 {"reference", value(row.reference)}});
}

Json value(const analysis::Finding& row) {
  return object({{"rule", value(row.rule)},
                 {"level", value(row.level)},
                 {"title", value(row.title)},
                 {"subject", value(row.subject)},
                 {"kernel_id", value(row.kernel_id)},
                 {"file", value(row.file)},
                 {"line", value(row.line)},
                 {"evidence", value(row.evidence)},
                 {"advice", value(row.advice)},
                 {"lost_ns", value(row.lost_ns)},
                 {"lost_share", value(row.lost_share)},
                 {"basis", value(row.basis)},
                 {"subject_ns", value(row.subject_ns)}});
}

Json value(const analysis::NotJudged& row) {
  return object({{"rule", value(row.rule)},
                 {"title", value(row.title)},
                 {"why", value(row.why)},
                 {"subjects", value(row.subjects)},
                 {"subject", value(row.subject)},
                 {"gpu_ns", value(row.gpu_ns)}});
}

Json value(const analysis::PhaseCost& row) {
  return object({{"phase", value(row.phase)},
                 {"outcome", value(row.outcome)},
                 {"windows", value(row.windows)},
                 {"launches", value(row.launches)},
                 {"cost_ns", value(row.cost_ns)}});
}

Json value(const analysis::Ceiling& row) {
  return object(
      {{"path", value(row.path)}, {"bandwidth", value(row.bandwidth)}, {"source", value(row.source)}});
}

Json value(const analysis::DeviceRow& row) {
  return object({{"properties", value(row.properties)},
                 {"peak_dram_bandwidth", value(row.peak_dram_bandwidth)},
                 {"ceilings", value(row.ceilings)}});
}

Json value(const analysis::Totals& row) {
  return object({{"wall_ns", value(row.wall_ns)},
                 {"kernel_ns", value(row.kernel_ns)},
                 {"transfer_ns", value(row.transfer_ns)},
                 {"launches", value(row.launches)},
                 {"kernel_groups", value(row.kernel_groups)},
                 {"transfers", value(row.transfers)},
                 {"untimed_groups", value(row.untimed_groups)}});
}

Json value(const analysis::AllocationSum& row) {
  return object({{"kind", value(row.kind)},
                 {"device_id", value(row.device_id)},
                 {"allocations", value(row.allocations)},
                 {"bytes", value(row.bytes)},
                 {"largest_bytes", value(row.largest_bytes)},
                 {"most_bytes", value(row.most_bytes)},
                 {"freed", value(row.freed)}});
}

Json value(const analysis::Migration& row) {
  return object({{"bytes_to_device", value(row.bytes_to_device)},
                 {"bytes_to_host", value(row.bytes_to_host)},
                 {"bytes_between_devices", value(row.bytes_between_devices)},
                 {"cpu_faults", value(row.cpu_faults)},
                 {"gpu_faults", value(row.gpu_faults)},
                 {"thrashing", value(row.thrashing)},
                 {"throttling", value(row.throttling)},
                 {"remote_maps", value(row.remote_maps)},
                 {"fault_ns", value(row.fault_ns)}});
}

Json value(const analysis::AllocationRow& row) {
  return object({{"id", value(row.id)},
                 {"kind", value(row.kind)},
                 {"device_id", value(row.device_id)},
                 {"bytes", value(row.bytes)},
                 {"allocated_ns", value(row.allocated_ns)},
                 {"freed_ns", value(row.freed_ns)},
                 {"place", value(row.place)},
                 {"callers", value(row.callers)},
                 {"migration", value(row.migration)}});
}

Json value(const analysis::PointerRow& row) {
  return object({{"kernel_id", value(row.kernel_id)},
                 {"kernel_name", value(row.kernel_name)},
                 {"parameter", value(row.parameter)},
                 {"memory", value(row.memory)},
                 {"device_id", value(row.device_id)},
                 {"allocation_bytes", value(row.allocation_bytes)},
                 {"offset_bytes", value(row.offset_bytes)}});
}

Json value(const analysis::AsyncCopyRow& row) {
  return object({{"kernel_id", value(row.kernel_id)},
                 {"kernel_name", value(row.kernel_name)},
                 {"launches", value(row.launches)},
                 {"bytes", value(row.bytes)},
                 {"sectors", value(row.sectors)},
                 {"requests", value(row.requests)},
                 {"tma_instructions", value(row.tma_instructions)}});
}

Json value(const analysis::NamedRange& row) {
  return object({{"domain", value(row.domain)},
                 {"name", value(row.name)},
                 {"ranges", value(row.ranges)},
                 {"open", value(row.open)},
                 {"host_ns", value(row.host_ns)},
                 {"launches", value(row.launches)},
                 {"gpu_ns", value(row.gpu_ns)}});
}

Json value(const analysis::WaitRow& row) {
  return object({{"kind", value(row.kind)},
                 {"calls", value(row.calls)},
                 {"wait_ns", value(row.wait_ns)},
                 {"listed", value(row.listed)},
                 {"longest_ns", value(row.longest_ns)}});
}

Json value(const analysis::TimelineRow& row) {
  return object({{"process_id", value(row.process_id)},
                 {"device_id", value(row.device_id)},
                 {"busy_ns", value(row.busy_ns)},
                 {"overlap_ns", value(row.overlap_ns)},
                 {"synchronous_copies", value(row.synchronous_copies)},
                 {"waits", value(row.waits)},
                 {"wait_ns", value(row.wait_ns)},
                 {"rounds", value(row.rounds)},
                 {"round_upload_ns", value(row.round_upload_ns)},
                 {"round_kernel_ns", value(row.round_kernel_ns)},
                 {"round_download_ns", value(row.round_download_ns)},
                 {"round_pageable", value(row.round_pageable)},
                 {"round_trips", value(row.round_trips)},
                 {"round_trip_bytes", value(row.round_trip_bytes)},
                 {"round_trip_ns", value(row.round_trip_ns)},
                 {"round_trip_from", value(row.round_trip_from)},
                 {"round_trip_to", value(row.round_trip_to)}});
}

Json value(const analysis::WindowRow& row) {
  return object({{"process_id", value(row.process_id)},
                 {"device_id", value(row.device_id)},
                 {"window", value(row.window)},
                 {"ended_ns", value(row.ended_ns)},
                 {"set_aside_bytes", value(row.set_aside_bytes)},
                 {"other_bytes", value(row.other_bytes)},
                 {"other_windows", value(row.other_windows)},
                 {"pointers_known", value(row.pointers_known)},
                 {"launches", value(row.launches)},
                 {"gpu_ns", value(row.gpu_ns)},
                 {"later_launches", value(row.later_launches)},
                 {"later_gpu_ns", value(row.later_gpu_ns)}});
}

Json value(const analysis::Program& row) {
  return object({{"allocations", value(row.allocations)},
                 {"largest", value(row.largest)},
                 {"pointers", value(row.pointers)},
                 {"async_copies", value(row.async_copies)},
                 {"migrations", value(row.migrations)},
                 {"access_windows", value(row.access_windows)},
                 {"l2_settings", value(row.l2_settings)},
                 {"ranges", value(row.ranges)},
                 {"waits", value(row.waits)},
                 {"timelines", value(row.timelines)},
                 {"windows", value(row.windows)}});
}

std::string text_of(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// Puts the elements into the empty list of that name, which is a member of the report, one after the other:
// as one tree thousands of kernels would take several times the memory of their text.
template <class Row>
void fill_list(std::string& text, std::string_view name, const std::vector<Row>& rows, int indent) {
  if (rows.empty()) return;
  const std::string list = "\"" + std::string(name) + (indent < 0 ? "\":[]" : "\": []");
  const std::size_t end = text.find(list) + list.size() - 1;
  const std::string margin =
      indent < 0 ? std::string() : "\n" + std::string(static_cast<std::size_t>(2 * indent), ' ');
  std::string elements;
  for (const Row& row : rows) {
    if (!elements.empty()) elements += ',';
    elements += margin;
    for (const char letter : text_of(value(row), indent))
      if (letter == '\n')
        elements += margin;
      else
        elements += letter;
  }
  if (indent >= 0) elements += "\n" + std::string(static_cast<std::size_t>(indent), ' ');
  text.insert(end, elements);
}

}  // namespace

std::string to_json(const analysis::Report& row, int indent) {
  Json report = object({{"schema_version", kSchemaVersion},
                        {"capture_path", value(row.capture_path)},
                        {"capture", value(row.capture)},
                        {"command", value(row.command)},
                        {"runs", value(row.runs)},
                        {"processes", value(row.processes)},
                        {"devices", value(row.devices)},
                        {"totals", value(row.totals)},
                        {"notices", value(row.notices)},
                        {"findings", value(row.findings)},
                        {"not_judged", value(row.not_judged)},
                        {"kernels", Json::array()},
                        {"lines", Json::array()},
                        {"sources", value(row.sources)},
                        {"transfers", value(row.transfers)},
                        {"program", value(row.program)},
                        {"phases", value(row.phases)},
                        {"diagnostics", value(row.diagnostics)},
                        {"calibration", value(row.calibration)}});
  const auto& hidden = row.hidden;
  if (hidden.findings.size() + hidden.kernels.size() + hidden.lines.size() + hidden.transfers.size() > 0)
    report["hidden"] = object({{"findings", hidden.findings.size()},
                               {"kernels", hidden.kernels.size()},
                               {"lines", hidden.lines.size()},
                               {"transfers", hidden.transfers.size()}});
  std::string text = text_of(report, indent);
  // The last one first: names that come again in the rows of a list stand behind it.
  fill_list(text, "lines", row.lines, indent);
  fill_list(text, "kernels", row.kernels, indent);
  return text;
}

}  // namespace coalescope::json
