// T10: the GPU idles behind calls that wait for it, although the host reads nothing of what it has made.

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr double kWaitingShare = 0.05;
// Fewer are no loop that is worth a line.
constexpr std::int64_t kLeastWaits = 100;

// Of one pause on average, less what lies between launches that wait in a queue.
double pause_ns(const TimelineSubject& subject) {
  const TimelineRow& row = subject.row;
  return std::max(0.0, real(row.plain_wait_gap_ns) / std::max(1.0, real(row.plain_waits)) -
                           subject.machine.chip.queued_gap_ns);
}

// Of a long run samples are listed; the other waits are taken to be like those.
Cost cost_of_waits(const TimelineRow& row, double each_ns) {
  return {base::whole(each_ns * real(row.plain_waits) * row.waits_for_each_met),
          fmt::format("pauses of {} each{}; launches that wait in a queue follow each other without them",
                      base::format_ns(base::whole(each_ns)),
                      row.waits_for_each_met > 1 ? ", estimated for waits that are not listed" : ""),
          base::whole(real(row.plain_wait_idle_ns) * row.waits_for_each_met)};
}

Assessment assess_plain_waits(const TimelineSubject& subject) {
  const TimelineRow& row = subject.row;
  if (row.plain_waits < kLeastWaits) return {measured(0)};
  const double each_ns = pause_ns(subject);
  const double idle_ns = each_ns * real(row.plain_waits);
  const Measure share = measured(idle_ns / std::max(1.0, idle_ns + real(row.busy_ns)));
  if (!share.reaches(kWaitingShare)) return {share};
  return {share,
          cost_of_waits(row, each_ns),
          {FactList()
               .count("plain_waits", row.plain_waits, "count")
               .add("pause_ns", each_ns, "ns")
               .count("busy_ns", row.busy_ns, "ns")
               .take(),
           fmt::format(
               "{} times the host waited for the GPU, read nothing, and launched the next kernel; the GPU "
               "had nothing to do for {} each time, and worked for {} in all",
               base::format_count(row.plain_waits), base::format_ns(base::whole(each_ns)),
               base::format_ns(row.busy_ns))},
          {"T10.leave_out",
           {},
           "Leave out this wait: work in one stream runs in order by itself, and cudaStreamWaitEvent orders "
           "streams without the host. Wait once, before the host reads results. To find errors, "
           "cudaGetLastError after a launch is enough; to take times, use events."}};
}

}  // namespace

constinit const Rule<TimelineSubject> kPlainWaits{
    {.id = "T10",
     .title = "Waits for the GPU after which nothing is read",
     .repair = "leave out waits for the GPU",
     .families = "none",
     .measure = "pauses behind such waits / (these + the time in which the GPU was busy)",
     .limit = kWaitingShare,
     .unpriced_limit = kWaitingShare,
     .note = false,
     .calibrated = "no family: the pauses themselves are measured",
     .price_error = 0.35,  // of the pauses, as T09's
     .of_plain_waits = true,
     .subject = "pauses behind waits"},
    assess_plain_waits,
    nullptr};

}  // namespace coalescope::analysis
