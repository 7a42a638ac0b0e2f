#include "reports/json/json.h"

#include <string_view>

#include "reports/analysis/family_fields.h"
#include "reports/analysis/row_fields.h"
#include "reports/json/members.h"

namespace coalescope::json {

// Of rows whose members are not declared, those that others hold first. Not in a nameless namespace, where
// the templates would not find them.
static void write(Writer& to, const analysis::SourceExcerpt::Line& row) {
  object(to, "number", row.number, "text", row.text, "sectors", row.sectors, "ideal_sectors",
         row.ideal_sectors);
}

static void write(Writer& to, const analysis::SourceExcerpt& row) {
  object(to, "file", row.file, "lines", row.lines);
}

static void write(Writer& to, const analysis::CallLineRow& row) {
  object(to, "file", row.file, "line", row.line, "function", row.function, "kernel_ns", row.times.kernel_ns,
         "transfer_ns", row.times.transfer_ns, "wait_ns", row.times.wait_ns, "text", row.text);
}

static void write(Writer& to, const analysis::NotJudged& row) {
  object(to, "rule", row.rule, "title", row.title, "why", row.why, "subjects", row.subjects, "subject",
         row.subject, "gpu_ns", row.gpu_ns);
}

static void write(Writer& to, const analysis::PhaseCost& row) {
  object(to, "phase", row.phase, "outcome", row.outcome, "windows", row.windows, "launches", row.launches,
         "cost_ns", row.cost_ns, "launches_cost_ns", row.launches_cost_ns);
}

static void write(Writer& to, const analysis::Ceiling& row) {
  object(to, "path", row.path, "bandwidth", row.bandwidth, "source", row.source);
}

static void write(Writer& to, const analysis::CopyCurve::Point& row) {
  object(to, "bytes", row.bytes, "bandwidth", row.bandwidth);
}

static void write(Writer& to, const analysis::CopyCurve& row) {
  object(to, "direction", row.direction, "host_memory", row.host_memory, "source", row.source, "points",
         row.points);
}

static void write(Writer& to, const analysis::DeviceRow& row) {
  object(to, "properties", row.properties, "peak_dram_bandwidth", row.peak_dram_bandwidth, "ceilings",
         row.ceilings, "copy_curves", row.copy_curves);
}

static void write(Writer& to, const analysis::Totals& row) {
  object(to, "wall_ns", row.wall_ns, "kernel_ns", row.kernel_ns, "transfer_ns", row.transfer_ns, "launches",
         row.launches, "kernel_groups", row.kernel_groups, "kernel_families", row.kernel_families, "shapes",
         row.shapes, "transfers", row.transfers, "untimed_groups", row.untimed_groups, "tool_ns",
         row.tool_ns);
}

static void write(Writer& to, const analysis::AllocationSum& row) {
  object(to, "kind", row.kind, "device_id", row.device_id, "allocations", row.allocations, "bytes", row.bytes,
         "largest_bytes", row.largest_bytes, "most_bytes", row.most_bytes, "freed", row.freed);
}

static void write(Writer& to, const analysis::Migration& row) {
  object(to, "bytes_to_device", row.bytes_to_device, "bytes_to_host", row.bytes_to_host,
         "bytes_between_devices", row.bytes_between_devices, "cpu_faults", row.cpu_faults, "gpu_faults",
         row.gpu_faults, "thrashing", row.thrashing, "throttling", row.throttling, "remote_maps",
         row.remote_maps, "fault_ns", row.fault_ns, "began_ns", row.began_ns, "ended_ns", row.ended_ns);
}

static void write(Writer& to, const analysis::AllocationRow& row) {
  object(to, "id", row.id, "kind", row.kind, "device_id", row.device_id, "bytes", row.bytes, "allocated_ns",
         row.allocated_ns, "freed_ns", row.freed_ns, "place", row.place, "callers", row.callers, "migration",
         row.migration, "call_site_id", row.call_site_id);
}

static void write(Writer& to, const analysis::PointerRow& row) {
  object(to, "kernel_id", row.kernel_id, "kernel_name", row.kernel_name, "parameter", row.parameter, "memory",
         row.memory, "device_id", row.device_id, "allocation_bytes", row.allocation_bytes, "offset_bytes",
         row.offset_bytes, "place", row.place, "call_site_id", row.call_site_id);
}

static void write(Writer& to, const analysis::AsyncCopyRow& row) {
  object(to, "kernel_id", row.kernel_id, "kernel_name", row.kernel_name, "launches", row.launches, "bytes",
         row.bytes, "sectors", row.sectors, "requests", row.requests, "tma_instructions",
         row.tma_instructions);
}

static void write(Writer& to, const analysis::NamedRange& row) {
  object(to, "domain", row.domain, "name", row.name, "ranges", row.ranges, "open", row.open, "host_ns",
         row.host_ns, "launches", row.launches, "gpu_ns", row.gpu_ns);
}

static void write(Writer& to, const analysis::WaitRow& row) {
  object(to, "kind", row.kind, "calls", row.calls, "wait_ns", row.wait_ns, "listed", row.listed, "longest_ns",
         row.longest_ns, "call_site", row.call_site, "call_sites", row.call_sites);
}

static void write(Writer& to, const analysis::TimelineRow& row) {
  object(to, "process_id", row.process_id, "device_id", row.device_id, "busy_ns", row.busy_ns, "overlap_ns",
         row.overlap_ns, "synchronous_copies", row.synchronous_copies, "waits", row.waits, "wait_ns",
         row.wait_ns, "rounds", row.rounds, "round_upload_ns", row.round_upload_ns, "round_kernel_ns",
         row.round_kernel_ns, "round_download_ns", row.round_download_ns, "round_pageable",
         row.round_pageable, "round_trips", row.round_trips, "round_trip_bytes", row.round_trip_bytes,
         "round_trip_bytes_back", row.round_trip_bytes_back, "round_trip_ns", row.round_trip_ns,
         "round_trip_from", row.round_trip_from, "round_trip_to", row.round_trip_to, "all_rounds",
         row.all_rounds, "rounds_began_ns", row.rounds_began_ns, "rounds_ended_ns", row.rounds_ended_ns,
         "wait_busy_ns", row.wait_busy_ns, "all_synchronous_copies", row.all_synchronous_copies);
}

static void write(Writer& to, const analysis::L2WindowRow& row) {
  object(to, "process_id", row.process_id, "device_id", row.device_id, "window", row.window, "ended_ns",
         row.ended_ns, "set_aside_bytes", row.set_aside_bytes, "other_bytes", row.other_bytes,
         "other_windows", row.other_windows, "pointers_known", row.pointers_known, "launches", row.launches,
         "gpu_ns", row.gpu_ns, "later_launches", row.later_launches, "later_gpu_ns", row.later_gpu_ns);
}

static void write(Writer& to, const analysis::LiveBytes& row) {
  object(to, "at_ns", row.at_ns, "bytes", row.bytes);
}

static void write(Writer& to, const analysis::MemoryCourse& row) {
  object(to, "kind", row.kind, "device_id", row.device_id, "steps", row.steps);
}

static void write(Writer& to, const analysis::AllocationPlace& row) {
  object(to, "place", row.place, "call_site_id", row.call_site_id, "allocations", row.allocations, "bytes",
         row.bytes, "most_bytes", row.most_bytes, "largest_bytes", row.largest_bytes, "freed", row.freed);
}

static void write(Writer& to, const analysis::Program& row) {
  object(to, "allocations", row.allocations, "largest", row.largest, "pointers", row.pointers, "async_copies",
         row.async_copies, "migrations", row.migrations, "access_windows", row.set_l2_windows, "l2_settings",
         row.l2_settings, "ranges", row.ranges, "waits", row.waits, "timelines", row.timelines, "windows",
         row.l2_windows, "memory", row.memory, "allocation_places", row.allocation_places);
}

static void write(Writer& to, const analysis::BusyStretch& row) {
  object(to, "began_ns", row.began_ns, "ended_ns", row.ended_ns, "busy_ns", row.busy_ns);
}

static void write(Writer& to, const analysis::DeviceStretches& row) {
  object(to, "process_id", row.process_id, "device_id", row.device_id, "kernels", row.kernels, "copies",
         row.copies, "at_once", row.at_once);
}

static void write(Writer& to, const analysis::ProcessStretches& row) {
  object(to, "process_id", row.process_id, "waits", row.waits, "unlisted", row.unlisted, "measuring",
         row.measuring);
}

static void write(Writer& to, const analysis::RangeBand& row) {
  object(to, "process_id", row.process_id, "thread", row.thread, "depth", row.depth, "domain", row.domain,
         "name", row.name, "began_ns", row.began_ns, "ended_ns", row.ended_ns);
}

static void write(Writer& to, const analysis::TimeLine& row) {
  object(to, "began_ns", row.began_ns, "ended_ns", row.ended_ns, "bin_ns", row.bin_ns, "devices", row.devices,
         "processes", row.processes, "ranges", row.ranges, "ranges_left_out", row.ranges_left_out,
         "short_ranges", row.short_ranges);
}

static void write(Writer& to, const analysis::Hidden::ByDefault& counts) {
  object(to, "library", counts.library, "tool", counts.tool, "note", counts.note, "kernels", counts.kernels,
         "lines", counts.lines);
}

namespace {

// What a row of each takes, roughly: a text of this size need not be moved as it grows.
constexpr std::size_t kKernelBytes = 3000;
constexpr std::size_t kLineBytes = 1000;

}  // namespace

std::string to_json(const analysis::Report& row, int indent) {
  std::string text;
  text.reserve(row.kernels.size() * kKernelBytes + row.lines.size() * kLineBytes);
  Writer to(text, indent);
  std::vector<std::string> notices;
  for (const auto& notice : row.notices) notices.push_back(notice.text);
  to.open('{');
  members(to, "schema_version", kSchemaVersion, "capture_path", row.capture_path, "capture", row.capture,
          "command", row.command, "runs", row.runs, "processes", row.processes, "devices", row.devices,
          "totals", row.totals, "notices", notices, "findings", row.findings, "not_judged", row.not_judged,
          "kernels", row.kernels, "kernel_families", row.kernel_families, "lines", row.lines, "sources",
          row.sources, "transfers", row.transfers, "program", row.program, "phases", row.phases,
          "diagnostics", row.diagnostics, "calibration", row.calibration, "notice_rows", row.notices,
          "call_sites", row.call_sites, "call_lines", row.call_lines, "ranked_findings",
          analysis::ranked_findings(row).size(), "timeline", row.time_line);
  const auto& hidden = row.hidden;
  if (hidden.findings.size() + hidden.kernels.size() + hidden.lines.size() + hidden.transfers.size() > 0) {
    to.name("hidden");
    object(to, "findings", hidden.findings.size(), "kernels", hidden.kernels.size(), "lines",
           hidden.lines.size(), "transfers", hidden.transfers.size(), "by_default", hidden.by_default);
  }
  to.close('}');
  return text;
}

}  // namespace coalescope::json
