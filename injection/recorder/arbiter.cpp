#include "injection/recorder/arbiter.h"

#include <algorithm>
#include <chrono>
#include <string>

namespace coalescope::recorder {
namespace {

using model::CoverageReason;
using model::Phase;

// The gate's owner may be configuring (up to 1.4 s, seen on an H100) or waiting for the GPU.
constexpr auto kOwnerPatience = std::chrono::seconds(5);
// Long enough for another thread's launch to return, short enough for a person not to notice.
constexpr auto kLaunchPatience = std::chrono::milliseconds(200);

// What a window with kernel replay reads of each launch.
constexpr std::array kReplayed{Phase::bytes, Phase::traffic, Phase::hits};

// Another process of the run may be in a window, which takes up to a second; another profiler stays.
constexpr int kMostBusy = 50;
constexpr std::int64_t kBusyPauseNs = 100'000'000;

CoverageReason reason_for(base::ErrorCode code) {
  switch (code) {
    case base::ErrorCode::not_permitted:
      return CoverageReason::no_permission;
    case base::ErrorCode::unsupported:
      return CoverageReason::unsupported;
    case base::ErrorCode::unsafe:
      return CoverageReason::code_unloaded;
    default:
      return CoverageReason::failed;
  }
}

bool all_zero(const WindowReadings& readings) {
  const auto zero = [](const auto& values) {
    return std::all_of(values.begin(), values.end(),
                       [](const MetricValue& value) { return value.second == 0; });
  };
  return std::all_of(readings.launches.begin(), readings.launches.end(), zero) &&
         std::all_of(readings.instructions.begin(), readings.instructions.end(),
                     [&](const InstructionCounts& counts) { return zero(counts.values); });
}

}  // namespace

Arbiter::Arbiter(const SchedulerOptions& options, std::array<PhaseProbe*, kPhaseCount> probes, Clock clock,
                 StreamId stream_id, AllGpuTime all_gpu_ns, Deliver deliver, Diagnostics& diagnostics)
    : scheduler_(options),
      probes_(probes),
      clock_(std::move(clock)),
      stream_id_(std::move(stream_id)),
      all_gpu_ns_(std::move(all_gpu_ns)),
      deliver_(std::move(deliver)),
      diagnostics_(diagnostics) {
  for (std::size_t i = 0; i < kPhaseCount; ++i)
    phase_state_[i] = options.enabled[i] ? CoverageReason::measured : CoverageReason::phase_off;
  if (options.enabled[index_of(Phase::replay)])
    for (const Phase read : kReplayed) phase_state_[index_of(read)] = CoverageReason::measured;
}

bool Arbiter::may_measure(const LaunchInfo& launch, const Group& group, bool selected) const {
  return selected && !launch.cooperative && group.reason == CoverageReason::measured && !capturing() &&
         code_changes_.load(std::memory_order_acquire) == 0 && !finished_.load(std::memory_order_acquire);
}

Ticket Arbiter::before_launch(const LaunchInfo& launch, Group& group, bool selected) {
  const bool wants = !group.satisfied.load(std::memory_order_acquire) && !group.needs.rests() &&
                     may_measure(launch, group, selected);
  if (!wants && gate_.enter_native()) return Ticket::native;
  if (!gate_.shut(kOwnerPatience, kLaunchPatience)) return go_unmeasured();
  // From here on this thread owns the gate, until after_launch.
  const bool may = may_measure(launch, group, selected);
  group.needs.launches = group.launches_seen.load(std::memory_order_relaxed);
  const Phase chosen = may ? scheduler_.choose(group.needs, clock_(), all_gpu_ns_()) : Phase::trace;
  if (window_.phase != Phase::trace &&
      (!may || scheduler_.must_close(chosen, group.needs) || window_.context != launch.context))
    leave();
  if (chosen != Phase::trace && window_.phase == Phase::trace) open(chosen, launch.context);

  if (window_.phase == Phase::trace) {
    ++group.needs.taken[index_of(Phase::trace)];
    group.satisfied.store(group.reason != CoverageReason::measured || scheduler_.satisfied(group.needs),
                          std::memory_order_release);
    gate_.release_into_native();
    return Ticket::native;
  }
  probe(window_.phase)->note(launch);
  // Counted now, so that a window is not filled with one group; leave() takes it back from a discarded one.
  count(group, window_.phase, 1);
  window_.groups.push_back(&group);
  window_.launches.push_back({group.row.id, stream_id_(launch)});
  launch_began_ns_ = clock_();
  return Ticket::owner;
}

// A replayed launch counts for all that it read.
void Arbiter::count(Group& group, Phase phase, int launches) {
  group.needs.taken[index_of(phase)] += launches;
  if (phase != Phase::replay) return;
  for (const Phase read : kReplayed) group.needs.taken[index_of(read)] += launches;
}

Ticket Arbiter::go_unmeasured() {
  if (gate_.enter_native()) return Ticket::native;
  // Into somebody's window: the target must not wait any longer. Its owner discards the window.
  gate_.force();
  diagnostics_.add(model::Severity::data_loss, "gate", "launch_missed",
                   "launches were not recorded because they could not wait any longer for another thread's "
                   "measurement; exclude that thread's kernels with --exclude");
  return Ticket::none;
}

void Arbiter::after_launch(Ticket ticket) {
  if (ticket == Ticket::native) gate_.exit_native();
  if (ticket != Ticket::owner) return;
  const Phase phase = window_.phase;
  Group& group = *window_.groups.back();
  const auto extra_ns = clock_() - launch_began_ns_ - group.needs.native_ns.load(std::memory_order_relaxed);
  group.needs.cost_ns[index_of(phase)] = std::max<std::int64_t>(extra_ns, 1);
  scheduler_.charge_launch(group.needs, std::max<std::int64_t>(extra_ns, 0));
  group.satisfied.store(scheduler_.satisfied(group.needs), std::memory_order_release);
  if (static_cast<std::int64_t>(window_.launches.size()) >= probe(phase)->capacity(phase)) leave();
  gate_.release(window_.phase != Phase::trace);
}

void Arbiter::open(Phase phase, const ContextHandle& context) {
  const auto began_ns = clock_();
  window_ = Window{};
  window_.began_ns = began_ns;
  window_.context = context;
  window_.forced_before = gate_.forced();
  auto entered = probe(phase)->enter(context, phase);
  window_.cost_ns = clock_() - began_ns;
  scheduler_.charge(window_.cost_ns);
  if (!entered) {
    const bool busy = entered.error().code == base::ErrorCode::busy && ++busy_ < kMostBusy;
    if (busy)
      wait_for_others(phase, entered.error());
    else
      disable(phase, entered.error());
    return;
  }
  busy_ = 0;
  set_state(phase, CoverageReason::measured);
  window_.phase = phase;
  scheduler_.opened(phase);
}

CoverageReason Arbiter::judge(const WindowReadings& readings) const {
  const bool counted = window_.phase == Phase::lines || readings.launches.size() == window_.launches.size();
  if (!counted || readings.dropped != 0 || !readings.valid || gate_.forced() != window_.forced_before)
    return CoverageReason::window_discarded;
  // Kernel activity beside patched counters makes every value zero without an error. A kernel without global
  // access is all zero, too: that is believed once the phase has been seen to work.
  if (all_zero(readings) && !proved_[index_of(window_.phase)]) return CoverageReason::window_discarded;
  return CoverageReason::measured;
}

void Arbiter::leave() {
  const Phase phase = window_.phase;
  const auto began_ns = clock_();
  auto readings = probe(phase)->leave();
  scheduler_.closed();
  if (readings && readings->released) scheduler_.forget_configuration();
  const auto ended_ns = clock_();
  scheduler_.charge(ended_ns - began_ns);

  WindowRecord record;
  record.window.id = model::WindowId{next_window_id_++};
  record.window.process_id = model::ProcessId{1};
  record.window.phase = phase;
  record.window.began_ns = window_.began_ns;
  record.window.ended_ns = ended_ns;
  record.window.launches = static_cast<std::int64_t>(window_.launches.size());
  record.window.cost_ns = window_.cost_ns + (ended_ns - began_ns);
  record.window.outcome = readings ? judge(*readings) : CoverageReason::failed;
  const auto i = index_of(phase);
  const bool kept = record.window.outcome == CoverageReason::measured;
  if (kept) {
    proved_[i] = proved_[i] || !all_zero(*readings);
    record.readings = std::move(*readings);
  }
  for (Group* group : window_.groups) {
    if (kept) break;
    count(*group, phase, -1);
    ++group->needs.discarded[i];
    group->satisfied.store(scheduler_.satisfied(group->needs), std::memory_order_release);
  }
  record.launches = std::move(window_.launches);
  window_ = Window{};
  deliver_(std::move(record));
  if (!readings) disable(phase, readings.error());
}

void Arbiter::set_state(Phase phase, CoverageReason reason) {
  phase_state_[index_of(phase)] = reason;
  if (phase != Phase::replay) return;
  for (const Phase read : kReplayed) phase_state_[index_of(read)] = reason;
}

// Until they let go, it is they who are the reason for what is missing.
void Arbiter::wait_for_others(Phase phase, const base::Error& error) {
  scheduler_.postpone(phase, clock_() + kBusyPauseNs);
  set_state(phase, reason_for(error.code));
  diagnostics_.add(model::Severity::info, model::name_of(phase), "counters_busy",
                   error.text() + " (asked again after a while)");
}

void Arbiter::disable(Phase phase, const base::Error& error) {
  scheduler_.disable(phase);
  set_state(phase, reason_for(error.code));
  diagnostics_.add(model::name_of(phase), "phase_off", error);
}

void Arbiter::close_window() {
  if (!gate_.is_shut()) return;
  if (!gate_.shut(kOwnerPatience, kLaunchPatience)) {
    diagnostics_.add(model::Severity::error, "gate", "window_not_closed",
                     "a window could not be closed in time before a stream capture or a graph launch");
    return;
  }
  if (window_.phase != Phase::trace) leave();
  gate_.release(false);
}

void Arbiter::capture_began() {
  // Sequentially consistent against LaunchGate::shut(): whoever opens a window sees the capture, or is seen.
  captures_.fetch_add(1, std::memory_order_seq_cst);
  close_window();
}

void Arbiter::capture_ended() {
  captures_.fetch_sub(1, std::memory_order_acq_rel);
}

// As with captures: whoever opens a window sees the change, or is seen.
void Arbiter::code_change_began() {
  code_changes_.fetch_add(1, std::memory_order_seq_cst);
  close_window();
}

void Arbiter::code_change_ended() {
  code_changes_.fetch_sub(1, std::memory_order_acq_rel);
}

// Called by the gate's owner.
void Arbiter::release(const ContextHandle& context) {
  if (window_.phase != Phase::trace && window_.context == context) leave();
  for (PhaseProbe* each : probes_)
    if (each != nullptr) each->release(context);
  scheduler_.forget_configuration();
}

void Arbiter::context_ending(const ContextHandle& context) {
  if (!gate_.shut(kOwnerPatience, kLaunchPatience)) return;
  release(context);
  gate_.release(window_.phase != Phase::trace);
}

void Arbiter::memory_wanted(std::int64_t bytes, const FreeBytes& free_bytes) {
  const auto holds = [](const PhaseProbe* each) { return each != nullptr && each->holds_gpu_memory(); };
  if (std::none_of(probes_.begin(), probes_.end(), holds)) return;
  const auto free = free_bytes();
  if (!free || *free - kSpareGpuBytes > bytes) return;
  if (!gate_.shut(kOwnerPatience, kLaunchPatience)) return;
  if (window_.phase != Phase::trace) leave();
  for (PhaseProbe* each : probes_)
    if (holds(each)) each->give_gpu_memory_back();
  scheduler_.forget_configuration();
  gate_.release(false);
  diagnostics_.add(model::Severity::info, "memory", "given_back",
                   "the program needed the GPU's memory: what was configured for measuring was given up, and "
                   "is configured again when there is room");
}

void Arbiter::finish() {
  finished_.store(true, std::memory_order_release);
  close_window();
}

namespace {

// In a window a launch is counted, not timed.
CoverageReason reason_untimed(const Group& group) {
  if (group.launches_timed > 0) return CoverageReason::measured;
  if (group.launches_seen == 0 && group.launches_captured > 0) return CoverageReason::in_capture;
  return group.needs.measured >= group.launches_seen ? CoverageReason::too_few_launches
                                                     : CoverageReason::failed;
}

}  // namespace

CoverageReason Arbiter::reason(const Group& group, Phase phase) const {
  if (phase == Phase::trace) return reason_untimed(group);
  const auto i = index_of(phase);
  if (group.needs.taken[i] > 0) return CoverageReason::measured;
  if (group.reason != CoverageReason::measured) return group.reason;
  if (const auto state = phase_state_[i].load(); state != CoverageReason::measured) return state;
  if (group.needs.discarded[i] > 0) return CoverageReason::window_discarded;
  if (group.launches_in_graph > 0 && group.launches_in_graph == group.launches_seen)
    return CoverageReason::in_graph;
  if (group.launches_seen == 0 && group.launches_captured > 0) return CoverageReason::in_capture;
  if (group.cooperative) return CoverageReason::skip_listed;
  if (group.needs.refused_for_budget) return CoverageReason::budget_spent;
  if (group.needs.refused_while_timed) return CoverageReason::timed_by_program;
  if (group.needs.refused_by_selection) return CoverageReason::not_selected;
  return CoverageReason::too_few_launches;
}

}  // namespace coalescope::recorder
