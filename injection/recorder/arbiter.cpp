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

// A kernel may wait for the very thread that waits for it. So each wait has a limit, and waits in vain have
// one together: a fixed time, and a part of the run.
constexpr std::int64_t kGpuPatienceNs = 2'000'000'000;
constexpr std::int64_t kInVainGrantNs = 4'000'000'000;
constexpr std::int64_t kInVainPart = 20;
// With less nothing is measured: an ordinary kernel might not end in it.
constexpr std::int64_t kLeastPatienceNs = 100'000'000;
constexpr std::int64_t kInVainPauseNs = 100'000'000;
// What a launch is expected to take is only an estimate.
constexpr std::int64_t kTimesExpected = 2;

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
  return selected && !launch.cooperative && group.reason == CoverageReason::measured && may_wait() &&
         !in_stream_capture() && code_changes_.load(std::memory_order_acquire) == 0 &&
         !finished_.load(std::memory_order_acquire);
}

std::int64_t Arbiter::patience_ns(std::int64_t now_ns) const {
  const auto left_ns = kInVainGrantNs + now_ns / kInVainPart - in_vain_ns_.load(std::memory_order_relaxed);
  return std::clamp<std::int64_t>(left_ns, 0, kGpuPatienceNs);
}

bool Arbiter::may_wait() const {
  if (in_vain_ns_.load(std::memory_order_relaxed) == 0) return true;
  const auto now_ns = host_.now_ns();
  return now_ns >= waits_again_ns_.load(std::memory_order_relaxed) && patience_ns(now_ns) >= kLeastPatienceNs;
}

// After a wait in vain the context is only polled until its work is over.
base::Result<void> Arbiter::wait_for_gpu(const ContextHandle& context, std::int64_t expected_ns) {
  const auto began_ns = host_.now_ns();
  const bool polls = late_ == context;
  const auto patience_ns = polls ? 0 : this->patience_ns(began_ns) + kTimesExpected * expected_ns;
  auto idle = host_.wait_for_gpu(context, std::chrono::nanoseconds(patience_ns));
  const auto now_ns = host_.now_ns();
  waited_ns_ += now_ns - began_ns;
  if (!is_busy(idle)) {
    if (polls) late_.reset();
    return idle;
  }
  late_ = context;
  in_vain_ns_ += std::max<std::int64_t>(now_ns - began_ns, 1);
  waits_again_ns_ = now_ns + kInVainPauseNs;
  if (!polls) diagnostics_.add(model::diagnostic_kind("gpu", "waited_in_vain"));
  return idle;
}

// Where its owner once took too long, as one that waits for a kernel without an end, nobody waits again.
bool Arbiter::shut_gate() {
  const bool shut = gate_.shut(overdue_ ? std::chrono::seconds(0) : kOwnerPatience, kLaunchPatience);
  overdue_ = !shut && gate_.is_shut();
  return shut;
}

// Whoever wants nothing does not shut the gate: threads that shut it for each other would go on with that
// (docs/decisions/025).
Ticket Arbiter::pass_gate() {
  if (gate_.enter_native()) return Ticket::native;
  const bool passed = gate_.pass(overdue_ ? std::chrono::seconds(0) : kOwnerPatience);
  overdue_ = !passed && gate_.is_shut();
  return passed ? Ticket::native : go_unmeasured();
}

Ticket Arbiter::before_launch(const LaunchInfo& launch, Group& group, bool selected) {
  // To leave a window waits for what runs on the GPU.
  if (group.may_never_end) close_window();
  // While a window is open a group that the budget refused may be measured cheaply.
  const bool asks = sweeping_.load(std::memory_order_relaxed) || !group.needs.rests();
  const bool wants =
      !group.satisfied.load(std::memory_order_acquire) && asks && may_measure(launch, group, selected);
  if (!wants) return pass_gate();
  if (!shut_gate()) return go_unmeasured();
  // From here on this thread owns the gate, until after_launch.
  group.needs.launches = group.launches_seen.load(std::memory_order_relaxed);
  const auto phase =
      may_measure(launch, group, selected)
          ? scheduler_.decide(group.needs, launch.context.uid, host_.now_ns(), host_.all_gpu_ns())
          : std::nullopt;
  if (phase == Phase::trace) return begin_timing(launch, group);
  return phase && begin(launch, group, *phase) ? Ticket::owner : run_natively(group);
}

Ticket Arbiter::begin_timing(const LaunchInfo& launch, Group& group) {
  if (!wait_for_gpu(launch.context)) return run_natively(group);
  timing_ = {&group, launch.context, host_.now_ns()};
  return Ticket::timed;
}

void Arbiter::end_timing() {
  const auto idle = wait_for_gpu(timing_.context);
  if (is_busy(idle)) ++timing_.group->needs.overdue;
  if (!idle) return;
  timing_.group->needs.took(std::max<std::int64_t>(host_.now_ns() - timing_.began_ns, 1));
}

bool Arbiter::begin(const LaunchInfo& launch, Group& group, Phase phase) {
  Place& place = place_of(phase);
  // A range begins on the GPU once it is idle: what still runs would keep the launch from beginning.
  const auto idle = wait_for_gpu(launch.context);
  if (is_busy(idle) || !make_room(place, launch.context, phase)) return false;
  if (!place) open(place, phase, launch.context);
  if (!place) return false;
  const auto began_ns = host_.now_ns();
  if (const auto begun = idle ? probe(phase)->begin(launch) : idle; !begun) {
    (void)leave(place);
    disable(phase, begun.error());
    return false;
  }
  // Counted now, so that a window is not filled with one group; leave() takes it back from a discarded one.
  count(group, phase, 1);
  place->groups.push_back(&group);
  place->launches.push_back({group.row.id, host_.stream_id(launch), began_ns});
  place->ran.push_back(true);
  current_ = &place;
  return true;
}

Ticket Arbiter::run_natively(Group& group) {
  group.satisfied.store(group.reason != CoverageReason::measured || scheduler_.satisfied(group.needs),
                        std::memory_order_release);
  gate_.release_into_native();
  return Ticket::native;
}

Ticket Arbiter::before_other_work() {
  return pass_gate();
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
  diagnostics_.add(model::diagnostic_kind("gate", "launch_missed"));
  return Ticket::none;
}

void Arbiter::after_launch(Ticket ticket, bool ran) {
  if (ticket == Ticket::native) gate_.exit_native();
  if (ticket != Ticket::owner && ticket != Ticket::timed) return;
  if (ticket == Ticket::owner)
    end_measuring(ran);
  else
    end_timing();
  gate_.release();
}

Arbiter::Meter Arbiter::read_meter() {
  return {host_.now_ns(), spent_ns(), waited_ns()};
}

void Arbiter::charge_since(const Meter& meter) {
  const Meter now = read_meter();
  const auto cost_ns =
      now.began_ns - meter.began_ns - (now.spent_ns - meter.spent_ns) - (now.waited_ns - meter.waited_ns);
  scheduler_.charge(std::max<std::int64_t>(cost_ns, 0));
}

// The range ends on the GPU once it is idle, and work that is launched after it waits for that: nothing may
// come behind a launch that has not ended.
void Arbiter::end_measuring(bool ran) {
  Place& place = *current_;
  const Phase phase = place->phase;
  Group& group = *place->groups.back();
  const auto launched_ns = host_.now_ns();
  place->goes_on = is_busy(wait_for_gpu(place->context, scheduler_.longest_ns(group.needs, phase)));
  const auto ended_ns = host_.now_ns();
  if (place->goes_on) {
    ++group.needs.overdue;
    goes_on_.store(true, std::memory_order_release);
  } else {
    probe(phase)->end();
  }
  // A patched kernel takes many times as long, which is a cost of the launch.
  const auto ran_ns = ended_ns - launched_ns;
  const auto gpu_ns = is_patched(phase) ? group.needs.native_ns.load(std::memory_order_relaxed) : ran_ns;
  waited_ns_ -= std::max<std::int64_t>(ran_ns - gpu_ns, 0);
  const auto now_ns = host_.now_ns();
  const auto extra_ns = std::max<std::int64_t>(now_ns - place->launches.back().began_ns - gpu_ns, 0);
  place->launches_cost_ns += extra_ns;
  scheduler_.charge_launch(group.needs, phase, extra_ns, now_ns);
  place->ran.back() = ran;
  if (!ran) count(group, phase, -1);
  group.satisfied.store(scheduler_.satisfied(group.needs), std::memory_order_release);
  used_ns_.store(now_ns, std::memory_order_relaxed);
  if (!place->goes_on && is_full(*place)) (void)leave(place);
}

void Arbiter::stream_capture_began() {
  // Sequentially consistent against LaunchGate::shut(): whoever opens a window sees the stream capture, or is
  // seen.
  const bool is_first = stream_captures_.fetch_add(1, std::memory_order_seq_cst) == 0;
  if (!sweeping_.load(std::memory_order_acquire) && !gate_.is_shut()) return;
  if (!shut_gate()) {
    diagnostics_.add(model::diagnostic_kind("gate", "window_not_closed"));
    return;
  }
  for (Place* each : {&sweep_, &single_})
    if (is_first && *each && (each == &single_ || (*each)->goes_on)) (void)leave_now(*each, true);
  gate_.release();
}

// One whose beginning was not seen does not count.
void Arbiter::stream_capture_ended() {
  auto open = stream_captures_.load(std::memory_order_relaxed);
  while (open > 0 && !stream_captures_.compare_exchange_weak(open, open - 1, std::memory_order_acq_rel)) {
  }
}

// As with stream captures: whoever measures a launch sees the change, or is seen.
void Arbiter::code_change_began() {
  code_changes_.fetch_add(1, std::memory_order_seq_cst);
  wait_for_measuring();
}

void Arbiter::code_change_ended() {
  code_changes_.fetch_sub(1, std::memory_order_acq_rel);
}

}  // namespace coalescope::recorder
