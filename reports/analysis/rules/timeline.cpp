// T03: the GPU idles beside copies that their caller waits for. T04: copies and kernels take turns, where
// they could overlap. T05: data that go to the host and come back unchanged, as far as the GPU can tell.

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr double kIdleTime = 0.05;
constexpr double kStagedGain = 0.1;
constexpr double kRoundTrips = 2;
constexpr std::int64_t kLeastMoments = 4;  // fewer are no loop
constexpr std::int64_t kManyMoments = 10;  // from here on they are a rhythm
constexpr double kShortGaps = 0.25;        // of the time of the steps between which they are
constexpr std::array kParts{2, 4, 8, 16};

// Fewer long moments than make a rhythm are the set-up's, or the end's.
double preparation_ns(const TimelineRow& row) {
  return row.preparations >= kManyMoments ? real(row.preparation_ns) : 0;
}

double evaluation_ns(const TimelineRow& row) {
  return row.evaluations >= kManyMoments ? real(row.evaluation_ns) : 0;
}

double long_pauses_ns(const TimelineRow& row) {
  return preparation_ns(row) + evaluation_ns(row);
}

double idle_ns(const TimelineSubject& subject) {
  const double queued_ns = real(subject.row.waits) * subject.machine.chip.queued_gap_ns;
  return std::max(0.0, real(subject.row.wait_ns) - queued_ns) + long_pauses_ns(subject.row);
}

std::int64_t moments(const TimelineRow& row) {
  return row.waits + (row.preparations >= kManyMoments ? row.preparations : 0) +
         (row.evaluations >= kManyMoments ? row.evaluations : 0);
}

std::string ns_text(double ns) {
  return base::format_ns(base::whole(std::floor(std::max(0.0, ns))));
}

// A stretch in which such moments follow each other is judged by its own time: what the program does before
// and after does not make it better.
double busy_beside_idle_ns(const TimelineRow& row) {
  return real(row.waits >= kManyMoments && row.wait_busy_ns > 0 ? row.wait_busy_ns : row.busy_ns);
}

// Of a long run samples are listed; the other copies are taken to be like those.
double for_each_listed(const TimelineRow& row) {
  if (row.synchronous_copies <= 0) return 1;
  return std::max(1.0, real(row.all_synchronous_copies) / real(row.synchronous_copies));
}

std::string copies_text(const TimelineRow& row) {
  const std::string listed = base::format_count(row.synchronous_copies);
  return row.all_synchronous_copies > row.synchronous_copies
             ? fmt::format("{} of {} copies that were waited for are listed", listed,
                           base::format_count(row.all_synchronous_copies))
             : listed + " copies were waited for";
}

Evidence idle_evidence(const TimelineRow& row) {
  return {FactList()
              .count("synchronous_copies", row.synchronous_copies, "copies")
              .count("all_synchronous_copies", std::max(row.synchronous_copies, row.all_synchronous_copies),
                     "copies")
              .count("idle_moments", moments(row), "count")
              .add("idle_ns", real(row.wait_ns) + long_pauses_ns(row), "ns")
              .add("busy_beside_idle_ns", busy_beside_idle_ns(row), "ns")
              .take(),
          fmt::format("{}; before or after them the GPU idled {} times, {} in all, beside {} of work",
                      copies_text(row), base::format_count(moments(row)),
                      ns_text(real(row.wait_ns) + long_pauses_ns(row)), ns_text(busy_beside_idle_ns(row)))};
}

std::string_view kinds_of_pauses(const TimelineRow& row) {
  if (preparation_ns(row) > 0 && evaluation_ns(row) > 0)
    return "beside copies, and before uploads and behind downloads that come regularly";
  if (preparation_ns(row) > 0) return "beside copies, and before uploads that come regularly";
  if (evaluation_ns(row) > 0) return "beside copies, and behind downloads that come regularly";
  return "of up to 200 us each";
}

Cost idle_cost(const TimelineSubject& subject, double idle) {
  const double times = for_each_listed(subject.row);
  return {
      base::whole(idle * times),
      fmt::format("idle moments {}{}; operations that wait in a queue follow each other within {}",
                  kinds_of_pauses(subject.row), times > 1 ? ", estimated for copies that are not listed" : "",
                  ns_text(subject.machine.chip.queued_gap_ns))};
}

Advice idle_advice(const TimelineRow& row) {
  const double half_ns = (real(row.wait_ns) + long_pauses_ns(row)) / 2;
  if (evaluation_ns(row) > half_ns)
    return {"T03.evaluate",
            {},
            "The host works on these results while the GPU waits. Do that on the GPU, or in another thread "
            "while the GPU goes on.",
            "work on results on the GPU, or while it goes on"};
  if (preparation_ns(row) > half_ns)
    return {"T03.prepare",
            {},
            "The host brings these data together while the GPU waits. Make them on the GPU, or prepare the "
            "next ones in another thread while the GPU works.",
            "prepare data for copies while the GPU works, or on it"};
  return {
      "T03.queue",
      {},
      "Queue the work: cudaMemcpyAsync with pinned memory in a stream of your own, and wait once, where "
      "the result is needed. Where a loop reads a result to decide whether to go on, decide on the device, "
      "or every n-th round."};
}

Assessment assess_idle_time(const TimelineSubject& subject) {
  const double idle = idle_ns(subject);
  const Measure share = measured(idle > 0 && moments(subject.row) >= kLeastMoments
                                     ? idle / (idle + busy_beside_idle_ns(subject.row))
                                     : 0);
  if (!share.reaches(kIdleTime)) return {share};
  return {share, idle_cost(subject, idle), idle_evidence(subject.row), idle_advice(subject.row)};
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
  return {std::max(copies, kernel), real(row.round_busy_ns)};
}

// What a number of parts would take. The longest stage takes its time, the others that of one part; each
// further part costs a copy and a launch.
struct Staged {
  int parts = 1;
  double ns = 0;
};
using StagedInParts = std::array<Staged, kParts.size()>;
StagedInParts staged_in_parts(const TimelineSubject& subject, const Stages& stages) {
  const double extra =
      real(subject.machine.copy_ns.value_or(0)) + real(subject.machine.launch_ns.value_or(0));
  StagedInParts list;
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    const int parts = kParts.at(i);
    list.at(i) = {parts, stages.longest + (stages.sum - stages.longest) / parts +
                             (parts - 1) * extra * real(subject.row.rounds)};
  }
  return list;
}

std::string staging_basis(const Stages& stages, const StagedInParts& staged, double times) {
  std::string text = fmt::format("t = longest stage + the rest / n: {} in turn", ns_text(stages.sum));
  for (const auto& [parts, ns] : staged) text += fmt::format(", n = {}: {}", parts, ns_text(ns));
  return times > 1 ? text + "; estimated for rounds that are not listed" : text;
}

Evidence rounds_evidence(const TimelineRow& row) {
  const bool all = row.rounds >= row.all_rounds;
  std::string text = fmt::format(
      "{}{} rounds of upload ({}), kernels ({}) and download ({}), in which kernels hardly ran "
      "beside copies",
      base::format_count(row.rounds),
      all ? std::string() : fmt::format(" of {}", base::format_count(row.all_rounds)),
      ns_text(real(row.round_upload_ns)), ns_text(real(row.round_kernel_ns)),
      ns_text(real(row.round_download_ns)));
  if (!all)
    text += fmt::format(", in a stretch of {}; the others overlap",
                        ns_text(real(row.rounds_ended_ns) - real(row.rounds_began_ns)));
  return {FactList()
              .count("rounds", row.rounds, "count")
              .count("all_rounds", row.all_rounds, "count")
              .count("upload_ns", row.round_upload_ns, "ns")
              .count("kernel_ns", row.round_kernel_ns, "ns")
              .count("download_ns", row.round_download_ns, "ns")
              .take(),
          std::move(text)};
}

// Rounds that are in streams of their own need not be cut: each may run beside the next one.
Advice several_streams_advice(const TimelineRow& row) {
  const std::string apart =
      row.round_kernel_apart.empty()
          ? std::string()
          : fmt::format(" {} runs in another stream than the copies and the other kernels.",
                        row.round_kernel_apart);
  return {
      "T04.default_stream",
      {},
      "The copies are in several streams, but these wait for each other." + apart +
          " Work in the default stream waits for all other streams, and they wait for it: launch and copy in "
          "the stream of the round, create streams with cudaStreamNonBlocking, or compile with "
          "--default-stream per-thread. Let the host wait for a round only when it needs its results."};
}

Advice staging_advice(const Staged& best, const Stages& stages, bool pageable) {
  return {pageable ? "T04.stage_pinned" : "T04.stage",
          FactList()
              .count("parts", best.parts, "parts")
              .add("staged_ns", best.ns, "ns")
              .add("in_turn_ns", stages.sum, "ns")
              .take(),
          fmt::format(
              "If the kernels can work on parts: cut the data into {} and let each part's upload, kernel and "
              "download follow each other in a stream of its own, {}{} in all instead of {}.",
              best.parts, pageable ? "with pinned memory, " : "", ns_text(best.ns), ns_text(stages.sum))};
}

// Where the GPU mostly waits for the host there is nothing to save.
Measure gain_of_staging(const TimelineRow& row, const Stages& stages, double then_ns) {
  return measured((stages.sum - then_ns) / (stages.sum + real(row.round_idle_ns)));
}

// Nor need rounds that the host queues ahead: it looks at no result of one before it queues the next.
Advice queued_rounds_advice(const TimelineRow& row) {
  return {
      row.round_pageable ? "T04.stream_each_pinned" : "T04.stream_each",
      {},
      fmt::format(
          "The host queues the next round before this one has ended. Give each round that is under way a "
          "stream and buffers of its own{}, so that its copies run beside the kernels of the round before: "
          "nothing needs to be cut. If a kernel goes on with results of the round before, let an event "
          "keep this order.",
          row.round_pageable ? ", in pinned memory" : "")};
}

Assessment assess_whole_rounds(const TimelineSubject& subject, const Stages& stages, Advice advice) {
  const TimelineRow& row = subject.row;
  const double then = stages.longest + (stages.sum - stages.longest) / std::max(1.0, real(row.rounds));
  const Measure gain = gain_of_staging(row, stages, then);
  const bool most = row.rounds >= kManyMoments && 2 * row.rounds >= row.all_rounds;
  if (!gain.reaches(kStagedGain) || !most) return {measured(0)};
  // Long idle moments are the host's; short ones are what streams that wait for each other take.
  const bool are_of_streams = row.round_streams && real(row.round_idle_ns) <= kShortGaps * stages.sum;
  const double gaps = are_of_streams ? real(row.round_idle_ns) : 0;
  return {gain,
          {base::whole((stages.sum + gaps - then) * row.copies_for_each_listed),
           fmt::format("{} in turn{}; the longest stage takes {}", ns_text(stages.sum),
                       gaps > 0 ? fmt::format(", {} between", ns_text(gaps)) : std::string(),
                       ns_text(stages.longest))},
          rounds_evidence(row),
          std::move(advice)};
}

Assessment assess_turns(const TimelineSubject& subject) {
  const Stages stages = stages_of(subject);
  if (stages.sum <= 0) return {measured(0)};
  if (subject.row.round_streams)
    return assess_whole_rounds(subject, stages, several_streams_advice(subject.row));
  if (subject.row.rounds_queued)
    return assess_whole_rounds(subject, stages, queued_rounds_advice(subject.row));
  const StagedInParts staged = staged_in_parts(subject, stages);
  const Staged& best = *std::ranges::min_element(staged, {}, &Staged::ns);
  const Measure gain = gain_of_staging(subject.row, stages, best.ns);
  if (!gain.reaches(kStagedGain)) return {gain};
  const double times = subject.row.copies_for_each_listed;
  return {gain,
          {base::whole(std::max(0.0, stages.sum - best.ns) * times), staging_basis(stages, staged, times)},
          rounds_evidence(subject.row),
          staging_advice(best, stages, subject.row.round_pageable)};
}

bool is_reduced_on_host(const TimelineRow& row) {
  return 2 * row.round_trip_bytes_back < row.round_trip_bytes;
}

Evidence round_trip_evidence(const TimelineRow& row) {
  const double trips = std::max(1.0, real(row.round_trips));
  const double bytes = real(row.round_trip_bytes) / trips, back = real(row.round_trip_bytes_back) / trips;
  const std::string what = is_reduced_on_host(row) ? base::format_bytes(back) + " came back" : "came back";
  return {FactList()
              .count("round_trips", row.round_trips, "count")
              .add("bytes_per_round_trip", bytes, "bytes")
              .add("bytes_back_per_round_trip", back, "bytes")
              .take(),
          fmt::format("{} times {} went to the host after {} and {} before {}, with nothing between",
                      base::format_count(row.round_trips), base::format_bytes(bytes), row.round_trip_from,
                      what, row.round_trip_to)};
}

Advice round_trip_advice(const TimelineRow& row) {
  if (is_reduced_on_host(row))
    return {"T05.reduce_on_device",
            {},
            "Do on the device what the host does with these data (a maximum, a sum, a selection, a sample), "
            "and leave the result there for the next kernel."};
  return {"T05.stay_on_device",
          {},
          "Leave the data on the device and hand its pointer to the next kernel. If the host changes them on "
          "the way, do that step in a kernel, even a slow one."};
}

Assessment assess_round_trips(const TimelineSubject& subject) {
  const Measure trips = measured(real(subject.row.round_trips));
  if (!trips.reaches(kRoundTrips)) return {trips};
  const double times = subject.row.copies_for_each_listed;
  return {
      trips,
      {base::whole(real(subject.row.round_trip_ns) * times),
       fmt::format("the time of both copies, of the pauses between, in which the host has the data, and of "
                   "those before and behind them, up to as long as that{}",
                   times > 1 ? ", estimated for copies that are not listed" : "")},
      round_trip_evidence(subject.row),
      round_trip_advice(subject.row)};
}

}  // namespace

constinit const Rule<TimelineSubject> kIdleBesideCopies{
    {.id = "T03",
     .title = "The GPU idles beside copies that are waited for",
     .repair = "wait for copies less often",
     .families = "D3",
     .measure = "idle time beside such copies / (that + the time in which the GPU was busy in that stretch)",
     .limit = kIdleTime,
     .unpriced_limit = kIdleTime,
     .note = false,
     .calibrated = "D3: synchronous copies speak, asynchronous ones of pinned memory do not",
     .ended_by = "T01 T08",
     .of_waits = true,
     .subject = "pauses beside copies"},
    assess_idle_time,
    nullptr};

constinit const Rule<TimelineSubject> kCopyAndComputeInTurn{
    {.id = "T04",
     .title = "Copies and kernels in turn",
     .repair = "run copies and kernels at the same time",
     .families = "D4",
     .measure = "share of their time that staging would save",
     .limit = kStagedGain,
     .unpriced_limit = kStagedGain,
     .note = false,
     .calibrated = "D4: one stream speaks, staged copies do not",
     .ended_by = "T01 T03 T07",
     .subject = "copies and kernels in turn"},
    assess_turns,
    nullptr};

constinit const Rule<TimelineSubject> kRoundTrip{
    {.id = "T05",
     .title = "Round trip through the host",
     .repair = "keep data on the GPU between kernels",
     .families = "D5",
     .measure = "downloads that were uploaded again at once",
     .limit = kRoundTrips,
     .unpriced_limit = kRoundTrips,
     .note = false,
     .calibrated = "D5: the round trip speaks; a loop of upload, kernel and download does not",
     .subject = "round trips"},
    assess_round_trips,
    nullptr};

}  // namespace coalescope::analysis
