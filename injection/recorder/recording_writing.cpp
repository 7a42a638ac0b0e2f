// What the writer thread asks of a recording: how much is traced from now on, and what is known of each
// group.

#include <algorithm>
#include <mutex>
#include <utility>

#include "injection/recorder/recording.h"

namespace coalescope::recorder {
namespace {

using model::Phase;

constexpr std::int64_t kCoverageEveryNs = 2'000'000'000;

// Most groups of a program with thousands do not change between two looks.
void write_changed(PartFile& file, Group& group, const model::Coverage& row) {
  model::Coverage& written = group.coverage_written[index_of(row.phase)];
  if (row == written) return;
  written = row;
  file.write(row);
}

}  // namespace

// Kernels' times come with the trace, so that only those without one need a row. Until the end their records
// may still be under way.
void Recording::write_untimed(PartFile& file, Group& group, bool last) {
  model::Coverage row;
  row.group_id = group.row.id;
  row.phase = Phase::trace;
  row.launches_seen = group.launches_seen.load(std::memory_order_relaxed);
  row.reason = arbiter_->reason(group, Phase::trace);
  if (row.reason == model::CoverageReason::failed && !file.lists_all())
    row.reason = model::CoverageReason::only_counted;
  if (row.reason == model::CoverageReason::measured) return;
  if (last || row.reason != model::CoverageReason::failed) write_changed(file, group, row);
}

// Of launches that ran natively each is timed, or its record was lost, which is said where it happens, or it
// never came.
void Recording::say_untimed(const PartFile& file) {
  if (!file.lists_all()) return;  // most were not to be timed
  std::int64_t untimed = -file.dropped_records();
  groups_.for_each([&](const Group& group) {
    untimed += std::max<std::int64_t>(
        0, group.launches_seen - group.needs.measured - group.launches_timed - group.launches_untraced);
  });
  if (untimed <= 0 || std::exchange(untimed_said_, true)) return;
  diagnostics_.add(model::diagnostic_kind("trace", "launches_untimed"), untimed);
}

void Recording::regain_trace(PartFile& file) {
  const auto lost_ns = backend_.regain_trace();
  if (!lost_ns) return;
  callbacks_gone_ = true;
  copy_counts_.give_up();
  file.missed(*lost_ns, backend_.now_ns());
  diagnostics_.add(model::diagnostic_kind("cupti", "cupti_given_back"));
}

bool Recording::trace(Traced wanted) {
  const std::lock_guard lock(trace_mutex_);
  return trace_alone(wanted);
}

// Under the mutex.
bool Recording::trace_alone(Traced wanted) {
  if (wanted.kernels) records_come_ = true;
  if (wanted.copies) copy_records_come_ = true;
  if (!wanted.copies) copy_counts_.records_stop();
  bool done = false;
  if (!arbiter_->alone([&] { done = backend_.trace(wanted); }) || !done) return false;
  records_come_ = wanted.kernels;
  copy_records_come_ = wanted.copies;
  if (wanted.copies) copy_counts_.records_come();
  return true;
}

// Records lengthen what an autotuner times by some tenths of a microsecond for each kernel of a candidate,
// which is enough for it to choose another one. They are off from the kernel that it launches first to its
// reading of the time.
void Recording::pause_trace() {
  const std::lock_guard lock(trace_mutex_);
  if (!trace_paused_) (void)arbiter_->alone([this] { trace_paused_ = backend_.pause_trace(); });
}

void Recording::resume_trace() {
  if (!trace_paused_.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(trace_mutex_);
  if (!trace_paused_) return;
  (void)arbiter_->alone([this] {
    backend_.resume_trace();
    trace_paused_ = false;
  });
}

void Recording::keep_pace(PartFile& file) {
  const std::int64_t now_ns = backend_.now_ns(), uncounted_ns = uncounted_graph_ns_;
  const bool may_count = launches_counted_ && !callbacks_gone_ && now_ns - uncounted_ns >= kUncountedGraphNs;
  const bool kernels = file.keep_pace(now_ns, may_count, new_group_.exchange(false));
  const std::int64_t set_ns = set_ns_;
  const bool can_count = now_ns - set_ns >= kSetNs && copy_counts_.can_count();
  const Traced wanted{.kernels = kernels, .copies = kernels || !can_count};
  if (wanted == Traced{kernels_traced_, copies_traced_} || !trace(wanted)) return;
  kernels_traced_ = wanted.kernels;
  copies_traced_ = wanted.copies;
  const bool graph_came = !kernels && uncounted_graph_ns_ != uncounted_ns;
  const bool other_came = !wanted.copies && (set_ns_ != set_ns || !copy_counts_.can_count());
  if (graph_came || other_came) (void)trace({.kernels = graph_came || kernels});  // in between
}

void Recording::write_coverage(PartFile& file, bool last) {
  if (!last) call_sites_.look_for_python();
  if (!last) regain_trace(file);
  if (!last) keep_pace(file);
  arbiter_->tidy();
  call_sites_.write(file);
  program_log_.write(file, diagnostics_, options_.started_unix_ns, last);
  wait_log_.write(file, diagnostics_);
  if (last) say_untimed(file);
  if (last) say_unfollowed();
  file.write(diagnostics_.take_changed());
  // Thousands of groups would make this the writer's main work.
  const auto now_ns = backend_.now_ns();
  if (!last && now_ns - coverage_written_ns_ < kCoverageEveryNs) return;
  coverage_written_ns_ = now_ns;
  for (const model::KernelGroup& row : groups_.take_changed_rows()) file.replace(row);
  for (const model::ParameterValues& row : groups_.take_changed_values()) file.put(row);
  groups_.for_each([&](Group& group) {
    write_untimed(file, group, last);
    file.write_total(group);
    for (const Phase phase : kMeasuredPhases) {
      model::Coverage row;
      row.group_id = group.row.id;
      row.phase = phase;
      row.launches_seen = group.launches_seen.load(std::memory_order_relaxed);
      row.launches_measured = group.needs.taken[index_of(phase)];
      row.reason = arbiter_->reason(group, phase);
      write_changed(file, group, row);
    }
  });
}

}  // namespace coalescope::recorder
