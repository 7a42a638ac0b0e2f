#pragma once
// The tables about the run as a whole: capture, process, device, diagnostic, calibration.

#include "core/capture/columns.h"
#include "core/model/calibration.h"
#include "core/model/device.h"
#include "core/model/diagnostic.h"
#include "core/model/run.h"

namespace coalescope::capture {

template <>
struct Table<model::Capture> {
  using Row = model::Capture;
  static constexpr std::string_view kName = "capture";
  static constexpr std::string_view kDoc = "The run that this file tells of: one row.";
  static constexpr std::string_view kKey = "id";
  static constexpr auto kColumns = base::pack(
      Column("id", &Row::id, "Always 1."),
      Column("tool_version", &Row::tool_version, "The version of coalescope that recorded."),
      Column("command", &Row::command, "The program and its arguments, a JSON array."),
      Column("options", &Row::options, "The recorder's settings, a JSON object."),
      Column("working_directory", &Row::working_directory, "Where the program was started."),
      Column("started_unix_ns", &Row::started_unix_ns, "The zero of all times here, in Unix time.")
          .within(kUnixTime),
      Column("duration_ns", &Row::duration_ns, "Wall time of the run; NULL: its end was not seen.")
          .within(kMoment),
      Column("exit_status", &Row::exit_status, "The program's exit status; NULL: it did not exit.")
          .within(kSmallNumber),
      Column("exit_signal", &Row::exit_signal, "The signal that ended the program; NULL: none did.")
          .within(kSmallNumber),
      Column("clean", &Row::clean, "1: the program ended, and nothing recorded was cut off."));
};

template <>
struct Table<model::Process> {
  using Row = model::Process;
  static constexpr std::string_view kName = "process";
  static constexpr std::string_view kDoc = "A process that initialised CUDA.";
  static constexpr std::string_view kKey = "id";
  static constexpr auto kColumns = base::pack(
      Column("id", &Row::id, "This process in this file."),
      Column("pid", &Row::pid, "The operating system's number.").within(kNumber),
      Column("parent_pid", &Row::parent_pid, "That of its parent.").within(kNumber),
      Column("host", &Row::host, "The machine's name."),
      Column("executable", &Row::executable, "Path of the program file."),
      moment("began_ns", &Row::began_ns, "When recording began in it."),
      moment("ended_ns", &Row::ended_ns, "When it ended; NULL: killed, or left by _exit."),
      Column("driver_version", &Row::driver_version, "CUDA version of the driver, as 13000 for 13.0."),
      Column("cupti_version", &Row::cupti_version, "CUPTI's own number; NULL: no CUPTI was found."),
      Column("clean", &Row::clean, "1: all that was recorded had been written when it ended."),
      Column("run", &Row::run, "0: the program's first run; later ones filled what it left open.")
          .since(2, "0"),
      Column("rank", &Row::rank, "Number in a parallel program; NULL: not reported.")
          .within(kSmallNumber)
          .since(2),
      Column("local_rank", &Row::local_rank, "The same on its machine; NULL: not reported.")
          .within(kSmallNumber)
          .since(2),
      Column("recorder_cost_ns", &Row::recorder_cost_ns, "Time that recording cost, as it measured itself.")
          .since(2),
      Column(
          "recorder_peak_bytes", &Row::recorder_peak_bytes,
          "Most of the program's heap that the recorder held at one time; what CUPTI and the driver hold is "
          "not in it.")
          .since(2),
      Column("cupti_path", &Row::cupti_path, "The file of its CUPTI; NULL: no CUPTI was found.").since(8),
      Column("measuring_cost_ns", &Row::measuring_cost_ns,
             "Of recorder_cost_ns, what measuring cost, which the budget limits.")
          .since(16),
      Column(
          "launch_wait_ns", &Row::launch_wait_ns,
          "How long launches waited for the GPU: what calls took beyond 5 us each, as they do where a stream "
          "is full (found by timing some of them), and how long measuring held them until the GPU had done "
          "what was queued.")
          .since(18));
};

template <>
struct Table<model::Device> {
  using Row = model::Device;
  static constexpr std::string_view kName = "device";
  static constexpr std::string_view kDoc =
      "A GPU as one process saw it. NULL: the driver did not tell the property.";
  static constexpr std::string_view kKey = "id";
  static constexpr auto kColumns = base::pack(
      Column("id", &Row::id, "This device in this file."),
      Column("process_id", &Row::process_id, "The process that saw it."),
      Column("ordinal", &Row::ordinal, "The process's own number for it (CUDA_VISIBLE_DEVICES counts)."),
      Column("uuid", &Row::uuid, "Names the GPU on any machine."),
      Column("name", &Row::name, "The product's name."),
      Column("chip", &Row::chip, "CUPTI's name of the chip, such as GH100."),
      Column("pci_bus_id", &Row::pci_bus_id, "Its place in the machine."),
      Column("compute_capability_major", &Row::compute_capability_major, "9 of 9.0."),
      Column("compute_capability_minor", &Row::compute_capability_minor, "0 of 9.0."),
      Column("multiprocessors", &Row::multiprocessors, "Streaming multiprocessors."),
      Column("clock_khz", &Row::clock_khz, "Highest clock of the multiprocessors."),
      Column("memory_bytes", &Row::memory_bytes, "Size of its memory."),
      Column("memory_clock_khz", &Row::memory_clock_khz, "Highest clock of its memory."),
      Column("memory_bus_bits", &Row::memory_bus_bits, "Width of the bus to its memory."),
      Column("ecc", &Row::ecc, "1: error correction is on."),
      Column("l2_bytes", &Row::l2_bytes, "Size of the L2 cache."),
      Column("persisting_l2_max_bytes", &Row::persisting_l2_max_bytes,
             "L2 that can be set aside for persisting accesses."),
      Column("access_policy_max_window_bytes", &Row::access_policy_max_window_bytes, "Largest L2 window."),
      Column("constant_bytes", &Row::constant_bytes, "Constant memory."),
      Column("shared_bytes_per_block", &Row::shared_bytes_per_block, "Shared memory a block may have."),
      Column("shared_bytes_per_block_optin", &Row::shared_bytes_per_block_optin,
             "The same for a kernel that asks for more."),
      Column("shared_bytes_per_multiprocessor", &Row::shared_bytes_per_multiprocessor,
             "Shared memory of a multiprocessor."),
      Column("registers_per_multiprocessor", &Row::registers_per_multiprocessor, "32-bit registers."),
      Column("max_threads_per_multiprocessor", &Row::max_threads_per_multiprocessor, "Resident threads."),
      Column("warp_size", &Row::warp_size, "Threads in a warp."),
      Column("copy_engines", &Row::copy_engines, "Copies that can run beside kernels."),
      Column("integrated", &Row::integrated, "1: shares the host's memory."),
      Column("can_map_host_memory", &Row::can_map_host_memory, "1: kernels can read the host's memory."),
      Column("unified_addressing", &Row::unified_addressing, "1: one address space with the host."),
      Column("managed_memory", &Row::managed_memory, "1: managed memory exists."),
      Column("concurrent_managed_access", &Row::concurrent_managed_access,
             "1: host and GPU may touch managed memory at once."),
      Column("pageable_memory_access", &Row::pageable_memory_access,
             "1: kernels can read ordinary host memory."),
      Column("host_native_atomics", &Row::host_native_atomics, "1: atomics on host memory are native."),
      Column("memory_pools", &Row::memory_pools, "1: stream-ordered allocation exists."));
};

template <>
struct Table<model::Diagnostic> {
  using Row = model::Diagnostic;
  static constexpr std::string_view kName = "diagnostic";
  static constexpr std::string_view kDoc =
      "All that was dropped, refused, discarded or unsupported while recording.";
  static constexpr std::string_view kKey = "id";
  static constexpr auto kColumns = base::pack(
      Column("id", &Row::id, "This row."),
      Column("process_id", &Row::process_id, "Where it happened; NULL: about the run as a whole."),
      Column("severity", &Row::severity, "How much it takes from the report."),
      Column("origin", &Row::origin, "The part of coalescope that speaks."),
      Column("code", &Row::code, "Stable, for programs."), Column("count", &Row::count, "How often."),
      Column("text", &Row::text, "For people: what happened, and what to do."));
};

template <>
struct Table<model::Calibration> {
  using Row = model::Calibration;
  static constexpr std::string_view kName = "calibration";
  static constexpr std::string_view kDoc =
      "One quantity of a reference kernel, compared or measured. Only `calibrate` writes it.";
  static constexpr std::string_view kKey = "id";
  static constexpr auto kColumns =
      base::pack(Column("id", &Row::id, "This row."),
                 Column("family", &Row::family, "The group of reference kernels, such as A3."),
                 Column("case_id", &Row::case_id, "The reference kernel, such as offset_copy/3."),
                 Column("quantity", &Row::quantity, "A metric's key, or another quantity's name."),
                 Column("unit", &Row::unit, "What the figures count."),
                 Column("abscissa", &Row::abscissa, "The curve's x; NULL: not a point of a curve."),
                 Column("expected", &Row::expected, "The closed form; NULL: there is none."),
                 Column("measured", &Row::measured, "NULL: not measured, and the note says why."),
                 Column("verdict", &Row::verdict, "What the comparison gave."),
                 Column("note", &Row::note, "For people; NULL: nothing to add."));
};

}  // namespace coalescope::capture
