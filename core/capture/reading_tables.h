#pragma once
// The tables of what was counted: metric, reading, instruction, instruction_reading, and transfer.

#include "core/capture/columns.h"
#include "core/model/instruction.h"
#include "core/model/launch.h"
#include "core/model/transfer.h"

namespace coalescope::capture {

template <>
struct Table<model::MetricUsed> {
  using Row = model::MetricUsed;
  static constexpr std::string_view kName = "metric";
  static constexpr std::string_view kDoc = "What was counted in this capture (docs/metrics.md has them all).";
  static constexpr std::string_view kKey = "id";
  static constexpr auto kColumns = base::pack(
      Column("id", &Row::id, "The same in every capture."), Column("key", &Row::key, "Its name here."),
      Column("cupti_name", &Row::cupti_name, "CUPTI's name of the metric on this chip."),
      Column("phase", &Row::phase, "The phase that counts it."),
      Column("unit", &Row::unit, "What the values count."));
};

template <>
struct Table<model::Reading> {
  using Row = model::Reading;
  static constexpr std::string_view kName = "reading";
  static constexpr std::string_view kDoc = "One counter of one launch.";
  static constexpr std::string_view kKey = "launch_id, metric_id";
  static constexpr auto kColumns = base::pack(
      Column("launch_id", &Row::launch_id, "The launch."),
      Column("metric_id", &Row::metric_id, "The counter."),
      Column("value", &Row::value, "Its count for the whole launch; 0 was measured.").within(kAnyNumber));
};

template <>
struct Table<model::Instruction> {
  using Row = model::Instruction;
  static constexpr std::string_view kName = "instruction";
  static constexpr std::string_view kDoc = "A memory instruction and its place in the source.";
  static constexpr std::string_view kKey = "id";
  static constexpr auto kColumns = base::pack(
      Column("id", &Row::id, "This instruction in this file."),
      Column("kernel_id", &Row::kernel_id, "The function that holds it."),
      Column("module_crc", &Row::module_crc, "The code that holds it: module.crc.").within(kAnyNumber),
      Column("pc_offset", &Row::pc_offset, "Bytes from the function's beginning.").within(kNumber),
      Column("source_state", &Row::source_state, "Whether its source line is known."),
      Column("file", &Row::file, "Source file; NULL unless resolved."),
      Column("line", &Row::line, "Line in it; NULL unless resolved.").within(kNumber),
      Column("operation", &Row::operation, "What it does, by its code; NULL: not decoded.").since(8),
      Column("access_bytes", &Row::access_bytes, "Bytes that each lane moves; NULL: not decoded.").since(8),
      Column("base_register", &Row::base_register,
             "The register with its address; NULL: not decoded, or one address for all lanes.")
          .since(8),
      Column("base_offset", &Row::base_offset, "Bytes that the code adds to that register.")
          .within(kAnyNumber)
          .since(8),
      Column("indexed", &Row::indexed,
             "1: its address comes from what lanes have loaded from addresses of their own.")
          .since(8),
      Column("parameter", &Row::parameter,
             "The pointer that its address is computed from, as in group_pointer; NULL: not known, or one of "
             "several.")
          .within(kNumber)
          .since(12),
      Column("parameter_byte", &Row::parameter_byte, "Where in that parameter it stands.")
          .within(kNumber)
          .since(12));
};

template <>
struct Table<model::InstructionReading> {
  using Row = model::InstructionReading;
  static constexpr std::string_view kName = "instruction_reading";
  static constexpr std::string_view kDoc = "One counter of one instruction, over a window's launches.";
  static constexpr std::string_view kKey = "window_id, instruction_id, metric_id";
  static constexpr auto kColumns =
      base::pack(Column("window_id", &Row::window_id, "The window, of phase lines."),
                 Column("instruction_id", &Row::instruction_id, "The instruction."),
                 Column("metric_id", &Row::metric_id, "The counter."),
                 Column("value", &Row::value, "Its count; 0 was measured."));
};

template <>
struct Table<model::Transfer> {
  using Row = model::Transfer;
  static constexpr std::string_view kName = "transfer";
  static constexpr std::string_view kDoc = "A copy or a memory set.";
  static constexpr std::string_view kKey = "id";
  static constexpr auto kColumns = base::pack(
      Column("id", &Row::id, "This row."),
      Column("process_id", &Row::process_id, "The process that requested it."),
      Column("device_id", &Row::device_id, "The device that did it."),
      Column("stream", &Row::stream, "CUPTI's number of the stream, unique in the process.").within(kNumber),
      Column("direction", &Row::direction, "From where to where."),
      Column("source_memory", &Row::source_memory, "Kind of memory read; of a set: unknown."),
      Column("destination_memory", &Row::destination_memory, "Kind of memory written."),
      Column("bytes", &Row::bytes, "Bytes moved."), moment("start_ns", &Row::start_ns, "When it began."),
      Column("gpu_ns", &Row::gpu_ns,
             "How long it took; 0: CUPTI gave it no time, and its beginning means nothing.")
          .within(kTransferTime),
      Column("asynchronous", &Row::asynchronous, "1: requested through an ...Async call."),
      Column("graph_id", &Row::graph_id, "The graph that it was part of; NULL: requested directly."),
      Column("source_device_id", &Row::source_device_id, "The device read, of a peer copy.").since(2),
      Column("destination_device_id", &Row::destination_device_id, "The device written, of a peer copy.")
          .since(2),
      Column("call_site_id", &Row::call_site_id, "The place; NULL: not looked at.").since(14),
      Column(
          "address", &Row::address,
          "Where the memory begins that is set, that a copy within the device reads, or, since version 19, "
          "that a copy from the host stores to; NULL: another copy, in two dimensions or by a graph, or its "
          "stack was not looked at.")
          .within(kAddress)
          .since(14));
};

template <>
struct Table<model::TransferTotal> {
  using Row = model::TransferTotal;
  static constexpr std::string_view kName = "transfer_total";
  static constexpr std::string_view kDoc =
      "Transfers of one class that are no rows of transfer: a long recording adds them up.";
  static constexpr std::string_view kKey =
      "process_id, device_id, direction, source_memory, destination_memory, asynchronous, size_class, timed";
  static constexpr std::int64_t kSince = 3;
  static constexpr auto kColumns = base::pack(
      Column("process_id", &Row::process_id, "The process that requested them."),
      Column("device_id", &Row::device_id, "The device that did them."),
      Column("direction", &Row::direction, "From where to where."),
      Column("source_memory", &Row::source_memory, "Kind of memory read; of a set: unknown."),
      Column("destination_memory", &Row::destination_memory, "Kind of memory written."),
      Column("asynchronous", &Row::asynchronous, "1: requested through an ...Async call."),
      Column("size_class", &Row::size_class, "k: they moved from 2^(2k-2) to 2^(2k)-1 bytes each.")
          .within(kNumber),
      Column("transfers", &Row::transfers, "How many."),
      Column("bytes", &Row::bytes, "Bytes moved together.").within(kTotal),
      Column("smallest_bytes", &Row::smallest_bytes, "Bytes of the smallest."),
      Column("largest_bytes", &Row::largest_bytes, "Bytes of the largest."),
      Column("gpu_ns", &Row::gpu_ns, "How long they took together."),
      Column(
          "timed", &Row::timed,
          "0: they have no time. CUPTI gives some memory sets none, and a long run only counts some copies.")
          .since(15, "1"));
};

}  // namespace coalescope::capture
