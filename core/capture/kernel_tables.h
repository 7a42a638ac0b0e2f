#pragma once
// The tables about code and its launches: module, kernel, kernel_group, launch with its totals and gaps,
// phase_window, coverage.

#include "core/capture/columns.h"
#include "core/model/kernel.h"
#include "core/model/launch.h"

namespace coalescope::capture {

template <>
struct Table<model::Module> {
  using Row = model::Module;
  static constexpr std::string_view kName = "module";
  static constexpr std::string_view kDoc = "A piece of GPU code that was loaded.";
  static constexpr std::string_view kKey = "id";
  static constexpr auto kColumns = base::pack(
      Column("id", &Row::id, "This module in this file."),
      Column("process_id", &Row::process_id, "The process that loaded it."),
      Column("crc", &Row::crc, "CUPTI's checksum: what instruction.module_crc refers to.").within(kAnyNumber),
      Column("size_bytes", &Row::size_bytes, "Size of the code."),
      Column("code", &Row::code, "The code, while an instruction of it waits for its source line."));
};

template <>
struct Table<model::Kernel> {
  using Row = model::Kernel;
  static constexpr std::string_view kName = "kernel";
  static constexpr std::string_view kDoc =
      "A GPU function. NULL: no timed launch reported it; of files: see there.";
  static constexpr std::string_view kKey = "id";
  static constexpr auto kColumns = base::pack(
      Column("id", &Row::id, "This kernel in this file."),
      Column("process_id", &Row::process_id, "The process that launched it."),
      Column("name", &Row::name, "The mangled name."),
      Column("registers_per_thread", &Row::registers_per_thread, "32-bit registers a thread."),
      Column("static_shared_bytes", &Row::static_shared_bytes, "Shared memory that the code declares."),
      Column("local_bytes_per_thread", &Row::local_bytes_per_thread, "Spills and indexed arrays."),
      Column("code_file", &Row::code_file,
             "Path of the program, library or code file that holds its code; NULL: the code was made while "
             "the program ran, or the file is not known.")
          .since(7),
      Column("code_loader", &Row::code_loader,
             "Path of the program or library that loaded code which no file holds; NULL: not known.")
          .since(7));
};

template <>
struct Table<model::KernelGroup> {
  using Row = model::KernelGroup;
  static constexpr std::string_view kName = "kernel_group";
  static constexpr std::string_view kDoc =
      "Launches of one kernel in one shape on one device: the unit of sampling.";
  static constexpr std::string_view kKey = "id";
  static constexpr auto kColumns = base::pack(
      Column("id", &Row::id, "This group in this file."),
      Column("process_id", &Row::process_id, "The process that launched it."),
      Column("device_id", &Row::device_id, "The device that ran it."),
      Column("kernel_id", &Row::kernel_id, "The function."),
      Column("grid_x", &Row::grid_x, "Blocks along x."), Column("grid_y", &Row::grid_y, "Blocks along y."),
      Column("grid_z", &Row::grid_z, "Blocks along z."),
      Column("block_x", &Row::block_x, "Threads of a block along x."),
      Column("block_y", &Row::block_y, "Threads of a block along y."),
      Column("block_z", &Row::block_z, "Threads of a block along z."),
      Column("dynamic_shared_bytes", &Row::dynamic_shared_bytes,
             "Dynamic shared memory requested by the launch."),
      Column("variant", &Row::variant,
             "One of several that share all of the above and differ in what they do, from 1; NULL: the only "
             "one.")
          .since(4),
      Column("parameters", &Row::parameters, "How its parameters differ from those of variant 1.").since(4),
      Column("same_as", &Row::same_as,
             "The group that does the same, to which sealing adds this one; NULL in a sealed file.")
          .since(4));
};

template <>
struct Table<model::Launch> {
  using Row = model::Launch;
  static constexpr std::string_view kName = "launch";
  static constexpr std::string_view kDoc = "One run of a kernel. There may be millions.";
  static constexpr std::string_view kKey = "id";
  static constexpr auto kColumns = base::pack(
      Column("id", &Row::id, "This launch in this file."),
      Column("group_id", &Row::group_id, "Its kernel and shape."),
      Column("stream", &Row::stream, "CUPTI's number of the stream, unique in the process.").within(kNumber),
      moment("start_ns", &Row::start_ns,
             "When it began on the GPU; where it was measured, when the host launched it; NULL: not known."),
      Column("gpu_ns", &Row::gpu_ns, "How long it ran; NULL: not timed, or slowed down by counting."),
      Column("window_id", &Row::window_id, "Where it was measured; NULL: it ran natively."),
      Column("graph_id", &Row::graph_id, "The graph that it was part of; NULL: launched directly."));
};

template <>
struct Table<model::LaunchTotal> {
  using Row = model::LaunchTotal;
  static constexpr std::string_view kName = "launch_total";
  static constexpr std::string_view kDoc =
      "Launches of a group that are no rows of launch: a long recording adds them up. All ran natively.";
  static constexpr std::string_view kKey = "group_id";
  static constexpr std::int64_t kSince = 3;
  static constexpr auto kColumns = base::pack(
      Column("group_id", &Row::group_id, "The group."), Column("launches", &Row::launches, "How many."),
      Column("timed_launches", &Row::timed_launches, "Those with a time; the others were only counted."),
      Column("gpu_ns", &Row::gpu_ns, "How long the timed ones ran together."),
      Column("shortest_gpu_ns", &Row::shortest_gpu_ns, "The shortest of them; NULL: none was timed."));
};

template <>
struct Table<model::TraceGap> {
  using Row = model::TraceGap;
  static constexpr std::string_view kName = "trace_gap";
  static constexpr std::string_view kDoc =
      "A stretch in which launches and transfers were not listed: added up in a long run, or not seen while "
      "the program's own profiler had CUPTI.";
  static constexpr std::string_view kKey = "id";
  static constexpr std::int64_t kSince = 3;
  static constexpr auto kColumns = base::pack(
      Column("id", &Row::id, "This row."), Column("process_id", &Row::process_id, "The process."),
      moment("began_ns", &Row::began_ns, "When it began."),
      moment("ended_ns", &Row::ended_ns, "When it ended; NULL: it lasted until the recording ended."));
};

template <>
struct Table<model::PhaseWindow> {
  using Row = model::PhaseWindow;
  static constexpr std::string_view kName = "phase_window";
  static constexpr std::string_view kDoc = "A stretch of the run in which launches were measured.";
  static constexpr std::string_view kKey = "id";
  static constexpr auto kColumns =
      base::pack(Column("id", &Row::id, "This window in this file."),
                 Column("process_id", &Row::process_id, "The process."),
                 Column("phase", &Row::phase, "What was measured."),
                 moment("began_ns", &Row::began_ns, "When it was entered."),
                 moment("ended_ns", &Row::ended_ns, "When it was left."),
                 Column("launches", &Row::launches, "Launches in it."),
                 Column("cost_ns", &Row::cost_ns, "Host time spent on entering and leaving."),
                 Column("outcome", &Row::outcome, "Measured, or why its readings were discarded."),
                 Column("launches_cost_ns", &Row::launches_cost_ns,
                        "Host time that its launches took beyond that of launches that are not measured.")
                     .since(16));
};

template <>
struct Table<model::Coverage> {
  using Row = model::Coverage;
  static constexpr std::string_view kName = "coverage";
  static constexpr std::string_view kDoc = "How much of a group was measured in a phase, and why no more.";
  static constexpr std::string_view kKey = "group_id, phase";
  static constexpr auto kColumns = base::pack(
      Column("group_id", &Row::group_id, "The group."),
      Column("phase", &Row::phase, "The phase; trace only where none of its launches has a time."),
      Column("launches_seen", &Row::launches_seen, "Launches of the group."),
      Column("launches_measured", &Row::launches_measured, "Those of them measured in this phase."),
      Column("reason", &Row::reason, "Measured, or why not."));
};

}  // namespace coalescope::capture
