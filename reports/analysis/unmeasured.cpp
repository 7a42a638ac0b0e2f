#include "reports/analysis/unmeasured.h"

#include <array>
#include <fmt/format.h>

#include "core/base/units.h"

namespace coalescope::analysis {
namespace {

using model::CoverageReason;
using model::Phase;

struct Subject {
  Phase phase;
  std::string_view text;
};

constexpr std::array kSubjects{
    Subject{Phase::trace, "GPU time"},     Subject{Phase::bytes, "degree and sectors"},
    Subject{Phase::lines, "source lines"}, Subject{Phase::traffic, "L2 and DRAM traffic"},
    Subject{Phase::misses, "L2 hits"},
};

// {0} is "3 launches", {1} the phase's name.
struct Wording {
  CoverageReason reason;
  std::string_view cause;
  std::string_view remedy;
};

constexpr std::array kWordings{
    Wording{CoverageReason::measured, "no launch of it fell into a window of phase {1}",
            "record with --phases {1}"},
    Wording{CoverageReason::too_few_launches, "it had {0}, which other measurements took",
            "let it run more often in one recording, or record with --phases {1}"},
    Wording{CoverageReason::budget_spent, "the time allowed for measuring was spent",
            "record a shorter run, or with --phases {1}"},
    Wording{CoverageReason::in_capture, "its launches were being captured into a CUDA graph",
            "record a run without graphs"},
    Wording{CoverageReason::skip_listed, "it waits for other kernels or processes and must not be serialised",
            "nothing can be done: measuring could stop the program"},
    Wording{CoverageReason::window_discarded, "the readings contradicted each other and were thrown away",
            "record again; if it stays so, leave other tools out of the process"},
    Wording{CoverageReason::unsupported, "this GPU or driver does not offer the counters",
            "run 'coalescope doctor' for what works here"},
    Wording{CoverageReason::no_permission, "the driver does not let this user read the counters",
            "run as root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0"},
    Wording{CoverageReason::phase_off, "phase {1} was switched off", "record with --phases {1}"},
    Wording{CoverageReason::failed, "the measurement failed", "see the diagnostics for what went wrong"},
    Wording{CoverageReason::in_graph, "it ran only inside CUDA graphs", "record a run without graphs"},
};

}  // namespace

std::string_view subject_of(Phase phase) {
  for (const auto& subject : kSubjects)
    if (subject.phase == phase) return subject.text;
  return "a phase that this version does not know";
}

std::string unmeasured_text(Phase phase, CoverageReason reason, std::int64_t launches) {
  const std::string count = launches == 1 ? "1 launch" : base::format_count(launches) + " launches";
  for (const auto& wording : kWordings) {
    if (wording.reason != reason) continue;
    return fmt::format("{} not measured: {}; {}", subject_of(phase),
                       fmt::format(fmt::runtime(wording.cause), count, name_of(phase)),
                       fmt::format(fmt::runtime(wording.remedy), count, name_of(phase)));
  }
  return fmt::format("{} not measured: the reason is unknown to this version", subject_of(phase));
}

}  // namespace coalescope::analysis
