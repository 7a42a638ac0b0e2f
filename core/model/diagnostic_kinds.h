#pragma once
// Everything that a capture's `diagnostic` table may say: one row each. The recorder and the tool name a row
// and give what it leaves open; docs/diagnostics.md lists them.

#include <array>
#include <initializer_list>
#include <string_view>

#include "core/model/diagnostic.h"

namespace coalescope::model {

struct DiagnosticKind {
  std::string_view origin;  // the part that reports it; "": given by the call, such as the phase `bytes`
  std::string_view code;    // stable, for programs; unique in its origin
  Severity severity;
  std::string_view happened;  // each "{}" stands for a detail
  std::string_view remedy;    // what to do next; "": nothing
};

inline constexpr std::array kDiagnosticKinds{
    // clang-format off
    // What coalescope says of the run.
    DiagnosticKind{"record", "no_cuda", Severity::info,
        "The program made no CUDA calls that could be recorded.",
        "A program that is linked statically, or that runs with another user's rights, cannot be recorded."},
    DiagnosticKind{"record", "no_driver", Severity::info,
        "This machine has no running NVIDIA driver, so no program can use a GPU here.",
        "Install the driver, or record on a machine that has one."},
    DiagnosticKind{"record", "other_tool", Severity::error,
        "{} is '{}': the driver loads that tool and has no room for a second one, so nothing was recorded.",
        "Unset the variable and record again."},
    DiagnosticKind{"record", "not_recorded", Severity::error, "{}", ""},
    DiagnosticKind{"record", "no_orderly_end", Severity::data_loss,
        "{}; its last kernels and copies may be missing, and so may their source lines.", ""},
    DiagnosticKind{"record", "still_running", Severity::data_loss,
        "{} was still running when the recorded program had ended; what it did afterwards is missing.",
        "Record that process itself, or let the program wait for it."},
    DiagnosticKind{"record", "unreadable_part", Severity::error,
        "What one process recorded could not be read and is missing: {}. It was kept as '{}'.", ""},
    DiagnosticKind{"record", "sources_not_kept", Severity::data_loss, "The capture carries no source lines: {}.", ""},
    DiagnosticKind{"record", "writer_ended", Severity::error,
        "The process of coalescope that writes the recording {}: what the program did from then on is missing.",
        "Record again."},
    DiagnosticKind{"record", "rerun", Severity::info,
        "The program was run {} times (measured: {}). Times, launches and transfers are those of the first run, "
        "counters those of the others.", ""},
    DiagnosticKind{"record", "rerun_differs", Severity::data_loss,
        "Run {} of {} ({}) ended {}, the first run {}: what it measured may be incomplete.", ""},
    DiagnosticKind{"record", "rerun_stopped", Severity::data_loss,
        "{} of {} runs were not made, because run {} ended {}.", ""},
    DiagnosticKind{"resolve", "unresolved", Severity::data_loss, "Source lines of {} are missing: {}.",
        "'coalescope resolve' looks them up on a machine with CUDA's tools."},
    DiagnosticKind{"resolve", "code_left_out", Severity::data_loss,
        "Source lines of {} are missing: {}. --no-code left out the machine code in which they could be looked up later.",
        "Record where CUDA's tools are installed, or without --no-code."},
    DiagnosticKind{"resolve", "file_replaced", Severity::data_loss,
        "'{}' is not the file that ran any more: its functions have the names that the loader knew, or are shown as offsets.",
        "Record again, and build nothing anew meanwhile."},
    DiagnosticKind{"recover", "recovered", Severity::data_loss,
        "coalescope ended before the program did; 'coalescope recover' made this capture of what it left.", ""},
    DiagnosticKind{"merge", "merged", Severity::info, "This capture was merged from {} captures: {}.", ""},

    // Where recording did not begin, or ended early.
    DiagnosticKind{"", "not_started", Severity::error, "This process was not recorded: {}", ""},
    DiagnosticKind{"", "exception", Severity::error, "The recorder had an internal error: {}", ""},
    DiagnosticKind{"callbacks", "not_subscribed", Severity::error, "CUPTI refused its callbacks, so nothing was measured: {}", ""},
    DiagnosticKind{"callbacks", "not_unsubscribed", Severity::error, "CUPTI did not end its callbacks: {}", ""},
    DiagnosticKind{"", "calls_unknown", Severity::info,
        "This CUPTI does not know some calls of the driver, so what they do is not recorded: {}", ""},
    DiagnosticKind{"", "calls_not_watched", Severity::data_loss, "Some calls of the program are not seen: {}", ""},
    DiagnosticKind{"cupti", "cupti_in_use", Severity::data_loss,
        "The program uses CUPTI itself (it called {}): what it did meanwhile was not recorded.", ""},
    DiagnosticKind{"cupti", "cupti_given_back", Severity::info,
        "The program's own profiler has ended: from then on launches and copies were recorded with their times, but no "
        "launch was measured, and no allocation and no call that waits was seen.", ""},
    DiagnosticKind{"device", "not_described", Severity::error, "The driver did not describe a GPU: {}", ""},
    DiagnosticKind{"capture", "row_refused", Severity::error, "A row of the capture could not be written: {}", ""},
    DiagnosticKind{"queue", "full", Severity::data_loss,
        "Records were dropped because the recorder could not write them fast enough.", ""},

    DiagnosticKind{"stacks", "python_unreadable", Severity::data_loss,
        "Calls are not named by their Python lines: {}.",
        "CPython 3.9 to 3.14 can be read, but no free-threaded and no debug builds."},
    DiagnosticKind{"stacks", "stacks_dropped", Severity::data_loss,
        "The program has more call stacks than are kept; later ones are not named.", ""},

    // Times of launches and copies.
    DiagnosticKind{"trace", "not_started", Severity::error, "CUPTI refused its activity records, so nothing has a time: {}", ""},
    DiagnosticKind{"trace", "not_resumed", Severity::error, "Kernel records could not be switched on again: {}", ""},
    DiagnosticKind{"trace", "not_switched", Severity::error, "Kernel records could not be switched: {}", ""},
    DiagnosticKind{"trace", "not_regained", Severity::error,
        "Recording did not go on after the program's own profiler had ended: {}", ""},
    DiagnosticKind{"trace", "not_flushed", Severity::error, "CUPTI did not hand over its records: {}", ""},
    DiagnosticKind{"trace", "not_decoded", Severity::error, "A buffer of activity records could not be read to its end: {}", ""},
    DiagnosticKind{"trace", "drops_unknown", Severity::error, "CUPTI did not say whether records were dropped: {}", ""},
    DiagnosticKind{"trace", "records_dropped", Severity::data_loss,
        "Activity records were dropped because no buffer was free: some launches and transfers have no time.", ""},
    DiagnosticKind{"trace", "launches_untimed", Severity::data_loss,
        "Launches have no GPU time: they failed, were still running at the end, or the driver returned no record.", ""},
    DiagnosticKind{"trace", "sampled", Severity::info,
        "The run was long: after its first launches and transfers only samples of it were listed and timed, and other "
        "launches and copies were counted.", "Record with --trace all to time every launch."},
    DiagnosticKind{"launches", "stream_unknown", Severity::error, "CUPTI did not say which stream a launch was in: {}", ""},
    DiagnosticKind{"launches", "context_unknown", Severity::error, "CUPTI did not say which context a launch was in: {}", ""},
    DiagnosticKind{"timing", "times_contain_measuring", Severity::info,
        "The program took the time between two events while launches between them were measured, so the time that it read is "
        "too long.", "Record with --only trace where its times count."},
    DiagnosticKind{"timing", "candidates_untraced", Severity::info,
        "An autotuner (XLA, Triton or torch.compile) timed kernels to choose among them: these launches were counted but not "
        "timed, and transfers among them are not listed, because activity records change which kernel it chooses.", ""},

    // Measuring.
    DiagnosticKind{"", "phase_off", Severity::error, "Phase {} is switched off: {}", ""},
    DiagnosticKind{"", "counters_busy", Severity::info, "Phase {} waits for the GPU's counters, and asks for them again after a while: {}", ""},
    DiagnosticKind{"gpu", "waited_in_vain", Severity::info,
        "Measuring waited up to 2 s for the GPU, which was still busy: a kernel may have been waiting for the program's next "
        "step. Such launches are not measured.",
        "Exclude kernels that wait for the host or for other kernels with --exclude."},
    DiagnosticKind{"gate", "launch_missed", Severity::data_loss,
        "Launches were not recorded because they could not wait any longer for another thread's measurement.",
        "Exclude that thread's kernels with --exclude."},
    DiagnosticKind{"gate", "window_not_closed", Severity::error,
        "A measuring window stayed open longer than it should, because it could not be closed in time.", ""},
    DiagnosticKind{"memory", "given_back", Severity::info,
        "The program needed the GPU's memory: what was configured for measuring was given up, and is configured again when "
        "there is room.", ""},
    DiagnosticKind{"graphs", "taken_apart", Severity::info,
        "Launches of CUDA graphs were replaced by launches of their nodes, one by one, so that the kernels could be "
        "measured.", "Record with --graph-profiling graph to leave graphs alone."},
    DiagnosticKind{"graphs", "left_whole", Severity::info,
        "The kernels of a CUDA graph cannot be launched one by one to be measured: {}.", ""},
    DiagnosticKind{"graphs", "node_refused", Severity::data_loss,
        "The driver refused to launch a node of a CUDA graph by itself (error {}), and the graph was launched as it is.",
        "Record with --graph-profiling graph."},
    DiagnosticKind{"graphs", "launch_cut_short", Severity::error,
        "The driver refused to launch a node of a CUDA graph by itself (error {}), and the rest of this launch of the graph "
        "did not run.", "Record with --graph-profiling graph."},

    // Code, memory and the rest of what the program does.
    DiagnosticKind{"modules", "not_kept", Severity::error, "The code of a module was not kept, so its kernels have no source lines: {}", ""},
    DiagnosticKind{"allocations", "pytorch_silent", Severity::info,
        "PyTorch did not tell of the memory that its allocator gives to tensors, so their lines are not known.",
        "--allocations pytorch needs PyTorch 2.4 or later, and a Python that reads PYTHONPATH."},
    DiagnosticKind{"allocations", "blocks_dropped", Severity::data_loss,
        "PyTorch held more tensors at one time than a recording follows: the lines that requested the memory of later kernels "
        "are not known.", ""},
    DiagnosticKind{"pointers", "not_described", Severity::info, "The memory behind the parameters of kernels is not known: {}", ""},
    DiagnosticKind{"memory", "allocations_dropped", Severity::data_loss,
        "Small allocations were not listed: there were more than a recording holds.", ""},
    DiagnosticKind{"memory", "events_dropped", Severity::data_loss,
        "Allocations were not listed because they came too fast.", ""},
    DiagnosticKind{"l2", "settings_dropped", Severity::data_loss,
        "L2 windows and set-asides were not kept: there were more than a recording holds.", ""},
    DiagnosticKind{"nvtx", "ranges_dropped", Severity::data_loss,
        "NVTX ranges were not kept: there were more than a recording holds.", ""},
    DiagnosticKind{"synchronization", "waits_dropped", Severity::data_loss,
        "Calls that waited are in the totals only: there were more than a recording lists.", ""},
    DiagnosticKind{"unified_memory", "not_recorded", Severity::data_loss,
        "Migrations and faults of managed memory are not recorded: {}", ""},
    DiagnosticKind{"unified_memory", "records_dropped", Severity::data_loss,
        "Recording migrations and faults of managed memory stopped at its limit, because each record slows the program "
        "down. What came later is estimated from the kernels' GPU time.", ""},
    // clang-format on
};

// The row of an origin and a code; what the table lacks does not compile.
consteval const DiagnosticKind& diagnostic_kind(std::string_view origin, std::string_view code) {
  for (const DiagnosticKind& each : kDiagnosticKinds)
    if (each.origin == origin && each.code == code) return each;
  throw "there is no such diagnostic";
}

// Without an id. `details` stand for the "{}", in their order.
[[nodiscard]] Diagnostic make_diagnostic(const DiagnosticKind& kind,
                                         std::initializer_list<std::string_view> details = {});

}  // namespace coalescope::model
