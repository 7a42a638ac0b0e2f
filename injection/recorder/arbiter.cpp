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

Arbiter::Arbiter(const SchedulerOptions& options, std::array<PhaseProbe*, kPhaseCount> probes,
                 ArbiterHost& host, Diagnostics& diagnostics)
    : scheduler_(options), probes_(probes), host_(host), diagnostics_(diagnostics) {
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
  group.needs.launches = group.launches_seen.load(std::memory_order_relaxed);
  const bool may = may_measure(launch, group, selected);
  const bool elsewhere = window_ && window_->context != launch.context;
  if (window_ && (!may || elsewhere)) leave();
  const Decision decision =
      may ? scheduler_.decide(group.needs, host_.now_ns(), host_.all_gpu_ns()) : Decision{};
  if (window_ && decision.leave) leave();
  if (decision.window && !window_) open(*decision.window, launch.context);
  if (!window_) return run_natively(group);

  probe(window_->phase)->note(launch);
  // Counted now, so that a window is not filled with one group; leave() takes it back from a discarded one.
  count(group, window_->phase, 1);
  window_->groups.push_back(&group);
  window_->launches.push_back({group.row.id, host_.stream_id(launch)});
  launch_began_ns_ = host_.now_ns();
  return Ticket::owner;
}

Ticket Arbiter::run_natively(Group& group) {
  group.satisfied.store(group.reason != CoverageReason::measured || scheduler_.satisfied(group.needs),
                        std::memory_order_release);
  gate_.release_into_native();
  return Ticket::native;
}

// A replayed launch counts for all that it read.
void Arbiter::count(Group& group, Phase phase, int launches) {
  group.needs.count(phase, launches);
  if (phase != Phase::replay) return;
  for (const Phase read : kReplayed) group.needs.count(read, launches);
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
  const Phase phase = window_->phase;
  Group& group = *window_->groups.back();
  const auto extra_ns =
      host_.now_ns() - launch_began_ns_ - group.needs.native_ns.load(std::memory_order_relaxed);
  group.needs.cost_ns[index_of(phase)] = std::max<std::int64_t>(extra_ns, 1);
  scheduler_.charge_launch(group.needs, std::max<std::int64_t>(extra_ns, 0));
  group.satisfied.store(scheduler_.satisfied(group.needs), std::memory_order_release);
  if (static_cast<std::int64_t>(window_->launches.size()) >= probe(phase)->capacity(phase)) leave();
  gate_.release(window_.has_value());
}

void Arbiter::open(Phase phase, const ContextHandle& context) {
  Window window;
  window.phase = phase;
  window.began_ns = host_.now_ns();
  window.context = context;
  window.forced_before = gate_.forced();
  auto entered = probe(phase)->enter(context, phase);
  window.cost_ns = host_.now_ns() - window.began_ns;
  scheduler_.charge(window.cost_ns);
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
  window_ = std::move(window);
  scheduler_.opened(phase);
}

CoverageReason Arbiter::judge(const WindowReadings& readings) const {
  const bool counted = window_->phase == Phase::lines || readings.launches.size() == window_->launches.size();
  if (!counted || readings.dropped != 0 || !readings.valid || gate_.forced() != window_->forced_before)
    return CoverageReason::window_discarded;
  // Kernel activity beside patched counters makes every value zero without an error. A kernel without global
  // access is all zero, too: that is believed once the phase has been seen to work.
  if (all_zero(readings) && !proved_[index_of(window_->phase)]) return CoverageReason::window_discarded;
  return CoverageReason::measured;
}

void Arbiter::leave() {
  const Phase phase = window_->phase;
  const auto began_ns = host_.now_ns();
  auto readings = probe(phase)->leave();
  scheduler_.closed();
  if (readings && readings->released) scheduler_.forget_configuration();
  const auto ended_ns = host_.now_ns();
  scheduler_.charge(ended_ns - began_ns);

  WindowRecord record;
  record.window.id = model::WindowId{next_window_id_++};
  record.window.process_id = model::ProcessId{1};
  record.window.phase = phase;
  record.window.began_ns = window_->began_ns;
  record.window.ended_ns = ended_ns;
  record.window.launches = static_cast<std::int64_t>(window_->launches.size());
  record.window.cost_ns = window_->cost_ns + (ended_ns - began_ns);
  record.window.outcome = readings ? judge(*readings) : CoverageReason::failed;
  const auto i = index_of(phase);
  const bool kept = record.window.outcome == CoverageReason::measured;
  if (kept) {
    proved_[i] = proved_[i] || !all_zero(*readings);
    record.readings = std::move(*readings);
  }
  for (Group* group : window_->groups) {
    if (kept) break;
    count(*group, phase, -1);
    ++group->needs.discarded[i];
    group->satisfied.store(scheduler_.satisfied(group->needs), std::memory_order_release);
  }
  record.launches = std::move(window_->launches);
  window_.reset();
  host_.deliver(std::move(record));
  if (!readings) disable(phase, readings.error());
}

void Arbiter::set_state(Phase phase, CoverageReason reason) {
  phase_state_[index_of(phase)] = reason;
  if (phase != Phase::replay) return;
  for (const Phase read : kReplayed) phase_state_[index_of(read)] = reason;
}

// Until they let go, it is they who are the reason for what is missing.
void Arbiter::wait_for_others(Phase phase, const base::Error& error) {
  scheduler_.postpone(phase, host_.now_ns() + kBusyPauseNs);
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
  scheduler_.interrupted(host_.now_ns());
  if (!gate_.is_shut()) return;
  if (!gate_.shut(kOwnerPatience, kLaunchPatience)) {
    diagnostics_.add(model::Severity::error, "gate", "window_not_closed",
                     "a window could not be closed in time before a stream capture or a graph launch");
    return;
  }
  scheduler_.cut_short();
  if (window_) leave();
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
  if (window_ && window_->context == context) leave();
  for (PhaseProbe* each : probes_)
    if (each != nullptr) each->release(context);
  scheduler_.forget_configuration();
}

void Arbiter::context_ending(const ContextHandle& context) {
  if (!gate_.shut(kOwnerPatience, kLaunchPatience)) return;
  release(context);
  gate_.release(window_.has_value());
}

void Arbiter::memory_wanted(std::int64_t bytes, const FreeBytes& free_bytes) {
  const auto holds = [](const PhaseProbe* each) { return each != nullptr && each->holds_gpu_memory(); };
  if (std::none_of(probes_.begin(), probes_.end(), holds)) return;
  const auto free = free_bytes();
  if (!free || *free - kSpareGpuBytes > bytes) return;
  if (!gate_.shut(kOwnerPatience, kLaunchPatience)) return;
  if (window_) leave();
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
  const SizeClass* sizes = group.needs.size_class;
  if (sizes != nullptr && sizes->taken[i] > 0) return CoverageReason::size_measured;
  if (group.needs.discarded[i] > 0) return CoverageReason::window_discarded;
  // An autotuner may have timed some outside.
  if (2 * group.launches_in_graph > group.launches_seen) return CoverageReason::in_graph;
  if (group.launches_seen == 0 && group.launches_captured > 0) return CoverageReason::in_capture;
  if (group.cooperative) return CoverageReason::skip_listed;
  if (group.needs.refused_for_budget) return CoverageReason::budget_spent;
  if (group.needs.refused_while_timed) return CoverageReason::timed_by_program;
  if (group.needs.refused_by_selection) return CoverageReason::not_selected;
  return CoverageReason::too_few_launches;
}

}  // namespace coalescope::recorder
