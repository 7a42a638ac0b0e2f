#pragma once
// What a report may say before any number, one row each, in the manner of the capture's diagnostics and
// listed beside them in docs/diagnostics.md. Diagnostics of the capture that a reader must know become
// notices as they are.

#include <array>
#include <string_view>

#include "core/model/diagnostic_kinds.h"

namespace coalescope::analysis {

inline constexpr std::array kNoticeKinds{
    // clang-format off
    model::DiagnosticKind{"report", "no_cuda_calls", model::Severity::info,
        "The program made no CUDA calls: there is nothing to report.", ""},
    model::DiagnosticKind{"report", "no_gpu", model::Severity::info,
        "The program initialised CUDA but used no GPU: there may be none that it can see.",
        "'nvidia-smi' lists the GPUs, and CUDA_VISIBLE_DEVICES may hide them."},
    model::DiagnosticKind{"report", "no_work", model::Severity::info,
        "The program initialised CUDA, but launched no kernel and copied nothing.", ""},
    model::DiagnosticKind{"report", "killed", model::Severity::data_loss,
        "The recording was cut off: signal {} ended the program. What had been written by then is shown.", ""},
    model::DiagnosticKind{"report", "cut_off", model::Severity::data_loss,
        "The recording was cut off: the end of the program was not seen. What had been written by then is shown.", ""},
    model::DiagnosticKind{"report", "end_not_written", model::Severity::data_loss,
        "{} of {} ended before all that was recorded there had been written: the last launches and transfers may be missing.", ""},
    model::DiagnosticKind{"report", "only_in_later_runs", model::Severity::data_loss,
        "{} kernels ran only in later runs and are not shown: the program does not do the same in each run.", ""},
    model::DiagnosticKind{"report", "windows_not_judged", model::Severity::info,
        "The program set so many different L2 windows that {} of them were not judged.", ""},
    model::DiagnosticKind{"report", "tma_not_counted", model::Severity::info,
        "{} of {} kernels use TMA, whose bytes cannot be counted: their degree of coalescing and their sectors cover their other "
        "accesses only.", ""},
    model::DiagnosticKind{"report", "traffic_of_others", model::Severity::data_loss,
        "L2 counted up to {} times what the instructions of {} of {} kernels store: another program seems to have used the GPU "
        "meanwhile, and its traffic is in the L2 and DRAM figures.",
        "Record again while no other program uses this GPU. Kernels that store to surfaces, or launch others, may look the same."},
    model::DiagnosticKind{"report", "long_launches", model::Severity::info,
        "Launches that take twice the median or more have {} of the time of {}, and may not be among the few that "
        "were measured.",
        "Measure more launches, so that long ones are among them: coalescope record --samples 50."},
    model::DiagnosticKind{"report", "tool_kernels", model::Severity::info,
        "{} of {} ({}) {} left out of rankings and shares.", "'coalescope report FILE --all' shows them."},
    model::DiagnosticKind{"report", "not_measured", model::Severity::info, "{} not measured for {} of {} {}{}: {}.", ""},
    model::DiagnosticKind{"report", "kernels_without_lines", model::Severity::info,
        "Findings about {} name no source line: the code was built without line information.",
        "Compile it with nvcc -lineinfo, which does not slow it down."},
    model::DiagnosticKind{"report", "calls_without_lines", model::Severity::info,
        "Calls in {} have no source line: it was built without debug information.", "Compile it with -g."},
    model::DiagnosticKind{"report", "source_changed", model::Severity::info,
        "{} changed after the recording: the source lines are those of the recording.", ""},
    model::DiagnosticKind{"report", "source_outside", model::Severity::info,
        "Source lines of {} are not shown: the capture does not contain them, and files are read below the current folder "
        "only.", "'report --source-root DIR' adds a folder."},
    model::DiagnosticKind{"report", "source_unreadable", model::Severity::info,
        "Source lines of {} are not shown: the capture does not contain them, and the file cannot be read here.", ""},
    model::DiagnosticKind{"report", "part_shown", model::Severity::info, "Only a part is shown: {} ({}).", ""},
    // clang-format on
};

// What the table lacks does not compile.
consteval const model::DiagnosticKind& notice_kind(std::string_view code) {
  for (const auto& each : kNoticeKinds)
    if (each.code == code) return each;
  throw "there is no such notice";
}

}  // namespace coalescope::analysis
