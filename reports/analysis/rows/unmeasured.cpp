#include "reports/analysis/rows/unmeasured.h"

#include <array>
#include <fmt/format.h>

#include "core/base/units.h"
#include "core/model/phases.h"

namespace coalescope::analysis {
namespace {

using model::CoverageReason;
using model::Phase;

// `cause` and `remedy` take {0}, "3 launches were", and {1}, the phase's name; `brief` fits into a cell.
struct Wording {
  CoverageReason reason;
  std::string_view brief;
  std::string_view cause;
  std::string_view remedy;
};

constexpr std::array kWordings{
    Wording{CoverageReason::measured, "no usable reading", "the recording has no usable reading",
            "record again, and let the program end by itself"},
    Wording{CoverageReason::too_few_launches, "too few launches to sample",
            "its {0} used for other measurements",
            "let it run more often in one recording, or record with --phases {1}"},
    Wording{CoverageReason::budget_spent, "too little measuring time was left",
            "too little was left of the time allowed for measuring",
            "record a shorter run, or with --phases {1}"},
    Wording{CoverageReason::in_capture, "captured into a CUDA graph",
            "its launches were being captured into a CUDA graph", "record a run without graphs"},
    Wording{CoverageReason::skip_listed, "launched cooperatively, or waits for others",
            "it is launched cooperatively, or waits for other kernels or processes, and must not run alone",
            "nothing can be done: measuring could stop the program"},
    Wording{CoverageReason::window_discarded, "contradictory readings",
            "the readings contradicted each other and were thrown away",
            "record again; if it stays so, leave other tools out of the process"},
    Wording{CoverageReason::unsupported, "not offered by this GPU or driver",
            "this GPU or driver does not offer the counters", "run 'coalescope doctor' for what works here"},
    Wording{CoverageReason::no_permission, "no permission to read counters",
            "the driver does not let this user read the counters",
            "run as root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0"},
    Wording{CoverageReason::phase_off, "switched off", "phase {1} was switched off",
            "record with --phases {1}"},
    Wording{CoverageReason::failed, "the measurement failed", "the measurement failed",
            "see the diagnostics for what went wrong"},
    Wording{
        CoverageReason::counters_busy, "another process held the counters",
        "another process on this GPU held the counters whenever it was launched",
        "stop other profilers and recordings, or pause DCGM with 'dcgmi profile --pause', and record again"},
    Wording{CoverageReason::gpu_busy, "the GPU was never idle",
            "the GPU still had work whenever a measurement waited for it",
            "measure a run whose kernels end without waiting for each other or for the program"},
    Wording{CoverageReason::in_graph, "ran inside CUDA graphs",
            "it ran inside CUDA graphs whose kernels were not launched one by one",
            "see the diagnostics for the reason, or record a run without graphs"},
    Wording{CoverageReason::not_selected, "not selected",
            "the launches to record were selected, and none of its was among them",
            "record without the options that select launches"},
    Wording{
        CoverageReason::timed_by_program, "timed by the program itself",
        "the program was timing each of its launches, and measuring would have spoiled those times",
        "record with --timed measure, or let the program launch it a few times outside of its own timing"},
    Wording{CoverageReason::code_unloaded, "measured code was unloaded",
            "the program had unloaded code that was measured, after which CUPTI could crash it",
            "record with --only lines,traffic,hits, or keep the code loaded"},
    Wording{CoverageReason::only_counted, "only counted, not timed",
            "the recording was long, and it ran only while launches were counted and not timed",
            "record with --trace all"},
    Wording{CoverageReason::size_measured, "a similar shape was measured",
            "the kernel has many shapes, and one of nearly this size was measured instead",
            "record with --budget none for each shape"},
};

// Instead of the cause, where no launch was counted that other measurements could have used.
constexpr std::string_view kNoLaunch = "no launch that could be measured was recorded";

const Wording* wording_of(CoverageReason reason) {
  for (const auto& wording : kWordings)
    if (wording.reason == reason) return &wording;
  return nullptr;
}

}  // namespace

std::string_view subject_of(Phase phase) {
  for (const auto& way : model::kWaysOfMeasuring)
    if (way.phase == phase) return way.tells;
  return "a phase that this version does not know";
}

std::string_view cause_of(CoverageReason reason) {
  const Wording* wording = wording_of(reason);
  return wording ? wording->brief : "for a reason that this version does not know";
}

std::string unmeasured_text(Phase phase, CoverageReason reason, std::optional<std::int64_t> launches) {
  const Wording* wording = wording_of(reason);
  if (!wording) return fmt::format("{} not measured: {}", subject_of(phase), cause_of(reason));
  const std::string count = !launches        ? "launches were"
                            : *launches == 1 ? "only launch was"
                                             : base::format_count(*launches) + " launches were";
  const auto fill = [&](std::string_view text) {
    return fmt::format(fmt::runtime(text), count, name_of(phase));
  };
  const bool none = reason == CoverageReason::too_few_launches && launches && *launches <= 0;
  return fmt::format("{} not measured: {}; {}", subject_of(phase), fill(none ? kNoLaunch : wording->cause),
                     fill(wording->remedy));
}

}  // namespace coalescope::analysis
