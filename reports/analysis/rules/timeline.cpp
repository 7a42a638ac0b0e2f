// T03: the GPU idles beside copies that their caller waits for. T04: copies and kernels take turns, where
// they could overlap. T05: data that go to the host and come back unchanged, as far as the GPU can tell.

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/ratios.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr double kIdleTime = 0.05;
constexpr double kStagedGain = 0.1;
constexpr double kQueuedGapNs = 1'500;  // between operations that wait in a queue
constexpr std::array kParts{2, 4, 8, 16};

double idle_ns(const TimelineRow& row) {
  return std::max(0.0, real(row.wait_ns) - real(row.waits) * kQueuedGapNs);
}

// Times of one side of the rounds. With two copy engines both directions run at once, beside the kernel.
struct Stages {
  double longest = 0;
  double sum = 0;
};
Stages stages_of(const TimelineSubject& subject) {
  const TimelineRow& row = subject.row;
  const double up = real(row.round_upload_ns), kernel = real(row.round_kernel_ns),
               down = real(row.round_download_ns);
  const bool both_ways = subject.device && subject.device->copy_engines.value_or(1) >= 2;
  const double copies = both_ways ? std::max(up, down) : up + down;
  return {std::max(copies, kernel), up + kernel + down};
}

// The longest stage takes its time, the others that of one part; each further part costs a copy and a launch.
double staged_ns(const TimelineSubject& subject, int parts) {
  const Stages stages = stages_of(subject);
  const double extra =
      real(subject.machine.copy_ns.value_or(0)) + real(subject.machine.launch_ns.value_or(0));
  return stages.longest + (stages.sum - stages.longest) / parts +
         (parts - 1) * extra * real(subject.row.rounds);
}

int best_parts(const TimelineSubject& subject) {
  return *std::ranges::min_element(kParts, {}, [&](int parts) { return staged_ns(subject, parts); });
}

Measure staged_gain(const TimelineSubject& subject) {
  const Stages stages = stages_of(subject);
  if (stages.sum <= 0) return measured(0);
  return measured(1 - staged_ns(subject, best_parts(subject)) / stages.sum);
}

std::string ns_text(double ns) {
  return base::format_ns(base::whole(std::floor(std::max(0.0, ns))));
}

std::string staging_basis(const TimelineSubject& subject) {
  const Stages stages = stages_of(subject);
  std::string text = fmt::format("t = longest stage + the rest / n: {} in turn", ns_text(stages.sum));
  for (const int parts : kParts)
    text += fmt::format(", n = {}: {}", parts, ns_text(staged_ns(subject, parts)));
  return text;
}

}  // namespace

constinit const Rule<TimelineSubject> kIdleBesideCopies{
    {"T03", "The GPU idles beside copies that are waited for", "D3",
     "idle time beside such copies / (that + the time in which the GPU was busy)", kIdleTime, kIdleTime,
     false, "D3: synchronous copies speak, asynchronous ones of pinned memory do not"},
    [](const TimelineSubject& subject) {
      const double idle = idle_ns(subject.row);
      return measured(idle > 0 ? idle / (idle + real(subject.row.busy_ns)) : 0);
    },
    [](const TimelineSubject& subject) {
      return Cost{
          base::whole(idle_ns(subject.row)),
          fmt::format("idle moments of up to 200 us each; operations that wait in a queue follow each other "
                      "within {}",
                      ns_text(kQueuedGapNs))};
    },
    [](const TimelineSubject& subject) {
      return fmt::format("{} copies were waited for; before or after them the GPU idled {} times, {} in all",
                         base::format_count(subject.row.synchronous_copies),
                         base::format_count(subject.row.waits), ns_text(real(subject.row.wait_ns)));
    },
    [](const TimelineSubject&) {
      return std::string(
          "Queue the work: cudaMemcpyAsync with pinned memory in a stream of your own, and wait once, where "
          "the result "
          "is needed.");
    },
    nullptr};

constinit const Rule<TimelineSubject> kCopyAndComputeInTurn{
    {"T04", "Copies and kernels in turn", "D4", "share of their time that staging would save", kStagedGain,
     kStagedGain, false, "D4: one stream speaks, staged copies do not"},
    staged_gain,
    [](const TimelineSubject& subject) {
      const double saved = stages_of(subject).sum - staged_ns(subject, best_parts(subject));
      return Cost{base::whole(std::max(0.0, saved)), staging_basis(subject)};
    },
    [](const TimelineSubject& subject) {
      const TimelineRow& row = subject.row;
      return fmt::format("{} rounds of upload ({}), kernels ({}) and download ({}), one after the other",
                         base::format_count(row.rounds), ns_text(real(row.round_upload_ns)),
                         ns_text(real(row.round_kernel_ns)), ns_text(real(row.round_download_ns)));
    },
    [](const TimelineSubject& subject) {
      const int parts = best_parts(subject);
      return fmt::format(
          "If the kernels can work on parts: cut the data into {} and let each part's upload, kernel and "
          "download follow each other in a stream of its own, {}{} in all instead of {}.",
          parts, subject.row.round_pageable ? "with pinned memory, " : "", ns_text(staged_ns(subject, parts)),
          ns_text(stages_of(subject).sum));
    },
    nullptr};

constinit const Rule<TimelineSubject> kRoundTrip{
    {"T05", "Round trip through the host", "D5", "downloads that were uploaded again at once", 2, 2, false,
     "D5: the round trip speaks; a loop of upload, kernel and download does not"},
    [](const TimelineSubject& subject) { return measured(real(subject.row.round_trips)); },
    [](const TimelineSubject& subject) {
      return Cost{subject.row.round_trip_ns, "the time of both copies; the host's own comes on top"};
    },
    [](const TimelineSubject& subject) {
      const TimelineRow& row = subject.row;
      return fmt::format(
          "{} times {} went to the host after {} and came back before {}, with nothing between",
          base::format_count(row.round_trips),
          base::format_bytes(real(row.round_trip_bytes) / std::max(1.0, real(row.round_trips))),
          row.round_trip_from, row.round_trip_to);
    },
    [](const TimelineSubject&) {
      return std::string(
          "Leave the data on the device and hand its pointer to the next kernel. If the host changes them on "
          "the way, "
          "do that step in a kernel, even a slow one.");
    },
    nullptr};

}  // namespace coalescope::analysis
