#pragma once
// The tables about where calls came from: call_site, and the sums of launches, transfers and waits by it.

#include "core/capture/columns.h"
#include "core/model/call_site.h"

namespace coalescope::capture {

template <>
struct Table<model::CallSite> {
  using Row = model::CallSite;
  static constexpr std::string_view kName = "call_site";
  static constexpr std::string_view kDoc =
      "A place in the program that called into CUDA, or that called such a place: a frame of a stack.";
  static constexpr std::string_view kKey = "id";
  static constexpr std::int64_t kSince = 2;
  static constexpr auto kColumns = base::pack(
      Column("id", &Row::id, "This place in this file."),
      Column("process_id", &Row::process_id, "The process."),
      Column("module", &Row::module, "Path of the program or library that holds it; empty: no native code."),
      Column(
          "module_offset", &Row::module_offset,
          "Bytes from that file's beginning in memory to behind the call; of a Python frame the bytes in its "
          "code up to the instruction.")
          .within(kAddress),
      Column("symbol", &Row::symbol,
             "The mangled function, of a Python frame its qualified name, of a module of PyTorch its path "
             "from the "
             "outermost one that was called; NULL: the file does not name it."),
      Column("callers", &Row::callers,
             "In files before schema 5 the calls around it, innermost first: a line 'MODULE+OFFSET FUNCTION' "
             "each; NULL: none."),
      Column("caller_id", &Row::caller_id, "The place that called this one; NULL: not known.").since(5),
      Column("kind", &Row::kind, "What kind of frame it is.").since(5, "0"),
      Column("file", &Row::file, "The source file; NULL: not known.").since(5),
      Column("line", &Row::line, "The line of the call in it; NULL: not known.").since(5),
      Column("build_id", &Row::build_id,
             "The build id of the module as it ran, in hexadecimal; NULL: it has none, or a Python frame.")
          .since(6));
};

template <>
struct Table<model::LaunchSite> {
  using Row = model::LaunchSite;
  static constexpr std::string_view kName = "launch_site";
  static constexpr std::string_view kDoc =
      "Launches of a group by one call site. Launches whose stack was not looked at belong to none.";
  static constexpr std::string_view kKey = "group_id, call_site_id, role";
  static constexpr std::int64_t kSince = 5;
  static constexpr auto kColumns =
      base::pack(Column("group_id", &Row::group_id, "The group."),
                 Column("call_site_id", &Row::call_site_id, "The place."),
                 Column("role", &Row::role, "What it did with the kernel."),
                 Column("launches", &Row::launches, "How many."),
                 Column("timed_launches", &Row::timed_launches, "Those with a time."),
                 Column("gpu_ns", &Row::gpu_ns, "How long the timed ones ran together."));
};

template <>
struct Table<model::TransferSite> {
  using Row = model::TransferSite;
  static constexpr std::string_view kName = "transfer_site";
  static constexpr std::string_view kDoc =
      "Transfers of one class by one call site. Those whose stack was not looked at belong to none, nor do "
      "copies that were only counted.";
  static constexpr std::string_view kKey =
      "process_id, device_id, direction, source_memory, destination_memory, asynchronous, size_class, "
      "call_site_id";
  static constexpr std::int64_t kSince = 5;
  static constexpr auto kColumns = base::pack(
      Column("process_id", &Row::process_id, "The process."),
      Column("device_id", &Row::device_id, "The device."),
      Column("direction", &Row::direction, "From where to where."),
      Column("source_memory", &Row::source_memory, "What was read."),
      Column("destination_memory", &Row::destination_memory, "What was written."),
      Column("asynchronous", &Row::asynchronous, "1: requested through an ...Async call."),
      Column("size_class", &Row::size_class, "As in transfer_total: sizes within a factor of four."),
      Column("call_site_id", &Row::call_site_id, "The place."),
      Column("transfers", &Row::transfers, "How many."),
      Column("bytes", &Row::bytes, "Their sizes together."),
      Column("gpu_ns", &Row::gpu_ns, "How long they took together."),
      Column(
          "compared", &Row::compared,
          "Copies to the device whose bytes were compared with those of earlier ones of this size from here; "
          "NULL: none was.")
          .since(10),
      Column("repeated", &Row::repeated, "Those of them that moved the same bytes as one before.").since(10));
};

template <>
struct Table<model::SynchronizationSite> {
  using Row = model::SynchronizationSite;
  static constexpr std::string_view kName = "synchronization_site";
  static constexpr std::string_view kDoc = "Calls of a kind that waited for the GPU, by one call site.";
  static constexpr std::string_view kKey = "process_id, kind, call_site_id";
  static constexpr std::int64_t kSince = 5;
  static constexpr auto kColumns = base::pack(
      Column("process_id", &Row::process_id, "The process."),
      Column("kind", &Row::kind, "What was waited for."),
      Column("call_site_id", &Row::call_site_id, "The place."), Column("calls", &Row::calls, "How many."),
      Column("wait_ns", &Row::wait_ns, "How long they took together."));
};

}  // namespace coalescope::capture
