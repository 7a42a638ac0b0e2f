// The windows in which launches are measured: how they are entered and left.

#include <algorithm>
#include <string>

#include "core/base/scope_exit.h"
#include "core/base/whole.h"
#include "injection/recorder/arbiter.h"
#include "injection/recorder/phase_prices.h"

namespace coalescope::recorder {
namespace {

using model::CoverageReason;
using model::Phase;

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
    case base::ErrorCode::busy:
      return CoverageReason::counters_busy;
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

void Arbiter::open(Place& place, Phase phase, const ContextHandle& context) {
  Window window;
  window.phase = phase;
  window.began_ns = host_.now_ns();
  window.context = context;
  window.forced_before = gate_.forced();
  const auto entered = probe(phase)->enter(context, phase);
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
  if (std::ranges::find(measured_in_, context) == measured_in_.end()) measured_in_.push_back(context);
  place = std::move(window);
  scheduler_.opened(phase, context.uid, entered_ns);
  if (sweeps(phase)) used_ns_.store(entered_ns, std::memory_order_relaxed);
  if (sweeps(phase)) sweeping_.store(true, std::memory_order_release);
}

CoverageReason Arbiter::judge(const Window& window, const WindowReadings& readings) const {
  const bool counted = window.phase == Phase::lines || readings.launches.size() == window.launches.size();
  if (window.goes_on || !counted || readings.dropped != 0 || !readings.valid ||
      gate_.forced() != window.forced_before)
    return CoverageReason::window_discarded;
  // Kernel activity beside patched counters makes every value zero without an error. A kernel without global
  // access is all zero, too: that is believed once the phase has been seen to work.
  if (all_zero(readings) && !proved_[index_of(window.phase)]) return CoverageReason::window_discarded;
  return CoverageReason::measured;
}

bool Arbiter::is_full(const Window& window) const {
  return static_cast<std::int64_t>(window.launches.size()) >= probe(window.phase)->capacity(window.phase);
}

// No other window may stand in the way of one for such a launch.
bool Arbiter::make_room(Place& place, const ContextHandle& context, Phase phase) {
  for (Place* each : {&sweep_, &single_})
    if (*each && (*each)->goes_on && !leave(*each)) return false;
  const bool fits = place && place->phase == phase && place->context == context && !is_full(*place);
  if (!fits && !leave(place)) return false;
  // The range profiler has one object for both.
  return phase != Phase::replay || leave(sweep_);
}

// What still runs may be in a range, and to leave it would wait for that. False: the window stays open.
bool Arbiter::leave(Place& place, bool waits) {
  if (!place) return true;
  // To wait for the GPU would end the stream capture.
  return !in_stream_capture() && leave_now(place, waits);
}

bool Arbiter::leave_now(Place& place, bool waits) {
  if (context_lost_.load(std::memory_order_acquire)) return false;
  const auto idle =
      waits ? wait_for_gpu(place->context) : host_.wait_for_gpu(place->context, std::chrono::nanoseconds(0));
  if (is_busy(idle)) return false;
  leave_idle(place, idle);
  return true;
}

void Arbiter::leave_idle(Place& place, const base::Result<void>& idle) {
  Window window = std::move(*place);
  place.reset();
  const Phase phase = window.phase;
  if (window.goes_on) {
    probe(phase)->end();
    goes_on_.store(false, std::memory_order_release);
  }
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
  record.window.launches_cost_ns = window.launches_cost_ns;
  record.window.outcome = readings ? judge(window, *readings) : CoverageReason::failed;
  const auto i = index_of(phase);
  const bool kept = record.window.outcome == CoverageReason::measured;
  if (kept) {
    proved_[i] = proved_[i] || !all_zero(*readings);
    record.readings = std::move(*readings);
    learn_instructions(window, record.readings);
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

namespace {

// As many on all multiprocessors take as long as these on those that have a block.
std::int64_t as_if_everywhere(std::int64_t instructions, const model::KernelGroup& launched) {
  const double blocks = static_cast<double>(launched.grid_x) * static_cast<double>(launched.grid_y) *
                        static_cast<double>(launched.grid_z);
  return base::whole(static_cast<double>(instructions) * std::max(1.0, kPricedMultiprocessors / blocks));
}

}  // namespace

// The scheduler estimates from them what patching a kernel costs.
void Arbiter::learn_instructions(const Window& window, const WindowReadings& readings) {
  if (window.phase != Phase::traffic) return;
  for (std::size_t n = 0; n < window.groups.size(); ++n)
    for (const auto& [metric, value] : readings.launches[n])
      if (metric == model::MetricId::executed_instructions)
        window.groups[n]->needs.instructions = as_if_everywhere(value, window.groups[n]->row);
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
  (void)leave(single_);
  (void)leave(sweep_);
  gate_.release();
}

// A window must be left before code that was patched in it is unloaded. Where that is impossible, it is never
// touched again.
void Arbiter::patched_code_unloads() {
  close_window();
  if (!in_stream_capture() || !sweeping_.load(std::memory_order_acquire) || !shut_gate()) return;
  if (sweep_ && is_patched(sweep_->phase)) {
    sweep_.reset();
    sweeping_.store(false, std::memory_order_release);
    context_lost_.store(true, std::memory_order_release);
    finished_.store(true, std::memory_order_release);
  }
  gate_.release();
}

bool Arbiter::alone(const std::function<void()>& run) {
  if (!shut_gate()) return false;
  const base::ScopeExit release([this] { gate_.release(); });
  run();
  return true;
}

void Arbiter::wait_for_measuring() {
  if (gate_.is_shut() && shut_gate()) gate_.release();
}

void Arbiter::tidy() {
  if (in_stream_capture()) return;
  const bool unused = sweeping_.load(std::memory_order_acquire) &&
                      host_.now_ns() - used_ns_.load(std::memory_order_relaxed) > kLongestUnusedNs;
  if ((!unused && !goes_on_.load(std::memory_order_acquire)) || !shut_gate()) return;
  for (Place* each : {&sweep_, &single_})
    if (*each && (unused || (*each)->goes_on)) (void)leave(*each, false);
  gate_.release();
}

// Called by the gate's owner. A window whose launch goes on cannot be left: CUPTI would wait for that.
// Nothing is measured any more.
void Arbiter::release(const ContextHandle& context) {
  const PhaseProbe* held = nullptr;
  for (Place* place : {&sweep_, &single_}) {
    if (!*place || (*place)->context != context || leave(*place)) continue;
    held = probe((*place)->phase);
    place->reset();
    finished_.store(true, std::memory_order_release);
  }
  for (PhaseProbe* each : probes_)
    if (each != nullptr && each != held) each->release(context);
  scheduler_.forget_configuration();
  std::erase(measured_in_, context);
}

void Arbiter::context_ending(const ContextHandle& context) {
  if (!shut_gate()) {
    // What is open or configured for it must not be touched any more.
    context_lost_.store(true, std::memory_order_release);
    finished_.store(true, std::memory_order_release);
    return;
  }
  release(context);
  gate_.release();
}

void Arbiter::memory_wanted(std::int64_t bytes, const FreeBytes& free_bytes) {
  const auto holds = [](const PhaseProbe* each) { return each != nullptr && each->holds_gpu_memory(); };
  if (std::none_of(probes_.begin(), probes_.end(), holds)) return;
  const auto free = free_bytes();
  if (!free || *free - kSpareGpuBytes > bytes) return;
  if (!shut_gate()) return;
  const bool left = leave(sweep_);
  for (PhaseProbe* each : probes_)
    if (left && holds(each)) each->give_gpu_memory_back();
  if (left) scheduler_.forget_configuration();
  gate_.release();
  if (left) diagnostics_.add(model::diagnostic_kind("memory", "given_back"));
}

void Arbiter::process_ends() {
  stream_captures_.store(0, std::memory_order_release);
  finish();
}

// Contexts may end after the recording has, unseen: nothing may be configured for them then.
void Arbiter::finish() {
  finished_.store(true, std::memory_order_release);
  if (context_lost_.load(std::memory_order_acquire) || !shut_gate()) {
    if (sweeping_ || gate_.is_shut()) diagnostics_.add(model::diagnostic_kind("gate", "window_not_closed"));
    return;
  }
  // What the probes hold is given up while nothing runs, which may be until the process ends.
  bool idle = !in_stream_capture() && leave(single_) && leave(sweep_);
  for (const ContextHandle& context : measured_in_) idle = idle && !is_busy(wait_for_gpu(context));
  for (PhaseProbe* each : probes_)
    if (idle && each != nullptr) each->release_all();
  gate_.release();
}

}  // namespace coalescope::recorder
