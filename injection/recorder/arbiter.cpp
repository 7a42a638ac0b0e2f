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

// A launch that the driver refused was counted as nothing.
void without_failed(const std::vector<bool>& ran, WindowRecord& record) {
  auto& readings = record.readings.launches;
  for (std::size_t i = ran.size(); i-- > 0;) {
    if (ran[i]) continue;
    record.launches.erase(record.launches.begin() + static_cast<std::ptrdiff_t>(i));
    if (i < readings.size()) readings.erase(readings.begin() + static_cast<std::ptrdiff_t>(i));
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
  return selected && !launch.cooperative && group.reason == CoverageReason::measured &&
         !in_stream_capture() && code_changes_.load(std::memory_order_acquire) == 0 &&
         !finished_.load(std::memory_order_acquire);
}

// Where its owner once took too long, as one that waits for a kernel without an end, nobody waits again.
bool Arbiter::shut_gate() {
  const bool shut = gate_.shut(overdue_ ? std::chrono::seconds(0) : kOwnerPatience, kLaunchPatience);
  overdue_ = !shut && gate_.is_shut();
  return shut;
}

Ticket Arbiter::before_launch(const LaunchInfo& launch, Group& group, bool selected) {
  // To leave a window waits for what runs on the GPU.
  if (group.may_never_end) close_window();
  // While a window is open a group that the budget refused may be measured cheaply.
  const bool asks = sweeping_.load(std::memory_order_relaxed) || !group.needs.rests();
  const bool wants =
      !group.satisfied.load(std::memory_order_acquire) && asks && may_measure(launch, group, selected);
  if (!wants && gate_.enter_native()) return Ticket::native;
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
  if (!host_.wait_for_gpu(launch.context)) return run_natively(group);
  timing_ = {&group, launch.context, host_.now_ns()};
  return Ticket::timed;
}

void Arbiter::end_timing() {
  if (!host_.wait_for_gpu(timing_.context)) return;
  timing_.group->needs.took(std::max<std::int64_t>(host_.now_ns() - timing_.began_ns, 1));
}

bool Arbiter::begin(const LaunchInfo& launch, Group& group, Phase phase) {
  Place& place = place_of(phase);
  if (place && (place->phase != phase || place->context != launch.context)) leave(place);
  // The range profiler has one object for both.
  if (phase == Phase::replay && sweep_) leave(sweep_);
  if (!place) open(place, phase, launch.context);
  if (!place) return false;
  // Whether a graph's kernels keep their records when these are switched off beside it is not known. A
  // patched launch waits for what was launched before it, which is no cost of its own.
  const bool waits = other_work_.exchange(false, std::memory_order_relaxed) || is_patched(phase);
  const auto idle = waits ? host_.wait_for_gpu(launch.context) : base::Result<void>();
  const auto began_ns = host_.now_ns();
  if (const auto begun = idle ? probe(phase)->begin(launch) : idle; !begun) {
    leave(place);
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
  other_work_.store(true, std::memory_order_relaxed);
  if (gate_.enter_native()) return Ticket::native;
  if (!shut_gate()) return go_unmeasured();
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

void Arbiter::end_measuring(bool ran) {
  Place& place = *current_;
  const Phase phase = place->phase;
  Group& group = *place->groups.back();
  probe(phase)->end();
  // A patched kernel takes many times as long, which is a cost of the launch.
  if (is_patched(phase)) (void)host_.wait_for_gpu(place->context);
  const auto now_ns = host_.now_ns();
  const auto extra_ns =
      now_ns - place->launches.back().began_ns - group.needs.native_ns.load(std::memory_order_relaxed);
  scheduler_.charge_launch(group.needs, phase, std::max<std::int64_t>(extra_ns, 0), now_ns);
  place->ran.back() = ran;
  if (!ran) count(group, phase, -1);
  group.satisfied.store(scheduler_.satisfied(group.needs), std::memory_order_release);
  used_ns_.store(now_ns, std::memory_order_relaxed);
  if (static_cast<std::int64_t>(place->launches.size()) >= probe(phase)->capacity(phase)) leave(place);
}

void Arbiter::open(Place& place, Phase phase, const ContextHandle& context) {
  const auto idle = host_.wait_for_gpu(context);
  Window window;
  window.phase = phase;
  window.began_ns = host_.now_ns();
  window.context = context;
  window.forced_before = gate_.forced();
  auto entered = idle ? probe(phase)->enter(context, phase) : idle;
  const auto entered_ns = host_.now_ns();
  window.cost_ns = entered_ns - window.began_ns;
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
  place = std::move(window);
  scheduler_.opened(phase, context.uid, entered_ns);
  if (sweeps(phase)) used_ns_.store(entered_ns, std::memory_order_relaxed);
  if (sweeps(phase)) sweeping_.store(true, std::memory_order_release);
}

CoverageReason Arbiter::judge(const Window& window, const WindowReadings& readings) const {
  const bool counted = window.phase == Phase::lines || readings.launches.size() == window.launches.size();
  if (!counted || readings.dropped != 0 || !readings.valid || gate_.forced() != window.forced_before)
    return CoverageReason::window_discarded;
  // Kernel activity beside patched counters makes every value zero without an error. A kernel without global
  // access is all zero, too: that is believed once the phase has been seen to work.
  if (all_zero(readings) && !proved_[index_of(window.phase)]) return CoverageReason::window_discarded;
  return CoverageReason::measured;
}

void Arbiter::leave(Place& place) {
  Window window = std::move(*place);
  place.reset();
  const Phase phase = window.phase;
  const auto idle = host_.wait_for_gpu(window.context);  // what still runs may be in a range
  const auto began_ns = host_.now_ns();
  auto readings = probe(phase)->leave();
  if (!idle) readings = base::relay(idle);
  if (sweeps(phase)) scheduler_.closed();
  if (sweeps(phase)) sweeping_.store(false, std::memory_order_release);
  if (readings && readings->released) scheduler_.forget_configuration();
  const auto ended_ns = host_.now_ns();
  scheduler_.charge(ended_ns - began_ns);

  WindowRecord record;
  record.window.id = model::WindowId{next_window_id_++};
  record.window.process_id = model::ProcessId{1};
  record.window.phase = phase;
  record.window.began_ns = window.began_ns;
  record.window.ended_ns = ended_ns;
  record.window.cost_ns = window.cost_ns + (ended_ns - began_ns);
  record.window.outcome = readings ? judge(window, *readings) : CoverageReason::failed;
  const auto i = index_of(phase);
  const bool kept = record.window.outcome == CoverageReason::measured;
  if (kept) {
    proved_[i] = proved_[i] || !all_zero(*readings);
    record.readings = std::move(*readings);
    tell_variants(window, record.readings);
  }
  for (std::size_t n = 0; n < window.groups.size() && !kept; ++n) {
    Group& group = *window.groups[n];
    if (window.ran[n]) count(group, phase, -1);
    // Once per window, however many of its launches are the group's.
    const auto own = std::ranges::find(window.groups, window.groups[n]);
    if (own - window.groups.begin() == static_cast<std::ptrdiff_t>(n)) ++group.needs.discarded[i];
    group.satisfied.store(scheduler_.satisfied(group.needs), std::memory_order_release);
  }
  record.launches = std::move(window.launches);
  without_failed(window.ran, record);
  record.window.launches = static_cast<std::int64_t>(record.launches.size());
  host_.deliver(std::move(record));
  if (!readings) disable(phase, readings.error());
}

void Arbiter::tell_variants(const Window& window, const WindowReadings& readings) {
  if (window.phase == Phase::lines) return;
  for (std::size_t n = 0; n < window.groups.size(); ++n) {
    Group& group = *window.groups[n];
    Variants* const variants = group.variants;
    if (variants == nullptr || !window.ran[n]) continue;
    variants->measured(group, readings.launches[n]);
    // A group whose launches differ needs more samples.
    group.satisfied.store(scheduler_.satisfied(group.needs), std::memory_order_release);
  }
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
  held_by_others_[index_of(phase)] = true;
  const auto name = model::name_of(phase);
  diagnostics_.add(model::diagnostic_kind("", "counters_busy"), {name, error.text()}, 1, name);
}

void Arbiter::disable(Phase phase, const base::Error& error) {
  scheduler_.disable(phase);
  set_state(phase, reason_for(error.code));
  const auto name = model::name_of(phase);
  diagnostics_.add(model::diagnostic_kind("", "phase_off"), {name, error.text()}, 1, name);
}

void Arbiter::close_window() {
  if (!sweeping_.load(std::memory_order_acquire) && !gate_.is_shut()) return;
  if (!shut_gate()) {
    diagnostics_.add(model::diagnostic_kind("gate", "window_not_closed"));
    return;
  }
  if (sweep_) leave(sweep_);
  gate_.release();
}

void Arbiter::wait_for_measuring() {
  if (gate_.is_shut() && shut_gate()) gate_.release();
}

void Arbiter::tidy() {
  if (!sweeping_.load(std::memory_order_acquire) || in_stream_capture()) return;
  if (host_.now_ns() - used_ns_.load(std::memory_order_relaxed) > kLongestUnusedNs) close_window();
}

void Arbiter::stream_capture_began() {
  // Sequentially consistent against LaunchGate::shut(): whoever opens a window sees the stream capture, or is
  // seen.
  stream_captures_.fetch_add(1, std::memory_order_seq_cst);
  close_window();
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

// Called by the gate's owner.
void Arbiter::release(const ContextHandle& context) {
  if (sweep_ && sweep_->context == context) leave(sweep_);
  for (PhaseProbe* each : probes_)
    if (each != nullptr) each->release(context);
  scheduler_.forget_configuration();
}

void Arbiter::context_ending(const ContextHandle& context) {
  if (!shut_gate()) return;
  release(context);
  gate_.release();
}

void Arbiter::memory_wanted(std::int64_t bytes, const FreeBytes& free_bytes) {
  const auto holds = [](const PhaseProbe* each) { return each != nullptr && each->holds_gpu_memory(); };
  if (std::none_of(probes_.begin(), probes_.end(), holds)) return;
  const auto free = free_bytes();
  if (!free || *free - kSpareGpuBytes > bytes) return;
  if (!shut_gate()) return;
  if (sweep_) leave(sweep_);
  for (PhaseProbe* each : probes_)
    if (holds(each)) each->give_gpu_memory_back();
  scheduler_.forget_configuration();
  gate_.release();
  diagnostics_.add(model::diagnostic_kind("memory", "given_back"));
}

// Contexts may end after the recording has, unseen: nothing may be configured for them then.
void Arbiter::finish() {
  finished_.store(true, std::memory_order_release);
  if (!shut_gate()) {
    if (sweeping_ || gate_.is_shut()) diagnostics_.add(model::diagnostic_kind("gate", "window_not_closed"));
    return;
  }
  if (sweep_) leave(sweep_);
  for (PhaseProbe* each : probes_)
    if (each != nullptr) each->release_all();
  gate_.release();
}

}  // namespace coalescope::recorder
