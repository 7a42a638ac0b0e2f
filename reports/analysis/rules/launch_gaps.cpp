// T09: the GPU waits for launches, because the host makes them more slowly than the GPU runs them.

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

// The GPU waits half as long as it works.
constexpr double kIdleShare = 1.0 / 3;
// While a program sets itself up, nothing is queued yet.
constexpr std::int64_t kLeastGaps = 1000;

// A shorter pause may come from recording. Before each launch of `wavefront` (bench/real) 4.4 us were
// recorded, three times what recording is known to take; natively it was 0.6 us.
constexpr double kTimesRecording = 4;

// Of one pause on average.
struct Pause {
  double recorded_ns = 0;  // less what lies between launches that wait in a queue
  double native_ns = 0;    // less what recording takes of a launch
};

Pause pause_of(const TimelineSubject& subject) {
  const TimelineRow& row = subject.row;
  const double each_ns = real(row.launch_gap_ns) / std::max(1.0, real(row.launch_gaps));
  const double recorded_ns = std::max(0.0, each_ns - subject.machine.chip.queued_gap_ns);
  return {recorded_ns, std::max(0.0, recorded_ns - real(row.launch_extra_ns))};
}

// Of a long run samples are listed; the other launches are taken to be like those.
Cost cost_of(const TimelineRow& row, const Pause& pause) {
  const double pauses = real(row.launch_gaps) * row.launches_for_each_listed;
  return {base::whole(pause.native_ns * pauses),
          fmt::format("pauses of {} each, less {} for recording a launch{}; launches of a CUDA graph follow "
                      "each other without them",
                      base::format_ns(base::whole(pause.recorded_ns)), base::format_ns(row.launch_extra_ns),
                      row.launches_for_each_listed > 1 ? ", estimated for launches that are not listed" : ""),
          base::whole(pause.recorded_ns * pauses)};
}

Evidence evidence_of(const TimelineRow& row, const Pause& pause) {
  return {FactList()
              .count("launch_gaps", row.launch_gaps, "count")
              .add("launch_gap_ns", pause.native_ns, "ns")
              .count("busy_ns", row.busy_ns, "ns")
              .take(),
          fmt::format("the GPU had nothing to do for some {} before each of {} launches, although the host "
                      "waited for nothing; it worked for {}",
                      base::format_ns(base::whole(pause.native_ns)), base::format_count(row.launch_gaps),
                      base::format_ns(row.busy_ns))};
}

Assessment assess_launch_gaps(const TimelineSubject& subject) {
  const TimelineRow& row = subject.row;
  if (row.launch_gaps < kLeastGaps) return {measured(0)};
  const Pause pause = pause_of(subject);
  if (pause.recorded_ns < kTimesRecording * real(row.launch_extra_ns)) return {measured(0)};
  const double idle_ns = pause.native_ns * real(row.launch_gaps);
  const Measure share = measured(idle_ns / std::max(1.0, idle_ns + real(row.busy_ns)));
  if (!share.reaches(kIdleShare)) return {share};
  return {share,
          cost_of(row, pause),
          evidence_of(row, pause),
          {"T09.graph",
           {},
           "Launch less often: capture what each round launches in a CUDA graph once "
           "(cudaStreamBeginCapture, cudaGraphInstantiate), and launch that; or let each kernel do the work "
           "of several."}};
}

}  // namespace

constinit const Rule<TimelineSubject> kLaunchGaps{
    {.id = "T09",
     .title = "The GPU waits for the host's launches",
     .repair = "launch less often",
     .families = "none",
     .measure = "pauses before launches / (these + the time in which the GPU was busy)",
     .limit = kIdleShare,
     .unpriced_limit = kIdleShare,
     .note = false,
     .calibrated = "no family: the pauses themselves are measured",
     .price_error = 0.35,  // of the pauses; of three programs of the jury 10 to 33 % off
     .rebuilds = true,
     .of_launches = true,
     .subject = "pauses before launches"},
    assess_launch_gaps,
    nullptr};

}  // namespace coalescope::analysis
