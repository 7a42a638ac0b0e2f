#pragma once
// Carries out what the scheduler chooses: shuts the gate, enters and leaves windows through the probes, keeps
// or discards what they read. It runs in the launch callbacks of the target's threads; only tidy() is the
// writer thread's.
//
// Order of events for a launch that is measured:
//   1. before_launch: the gate is shut, the scheduler decides, the window of its phase is entered if it is
//      not open, and the launch begins in it; the gate stays with this thread
//   2. the driver launches
//   3. after_launch: the launch ends; its window is left if it is full; the gate opens
// A window that stays open costs the launches that it does not measure nothing: they run natively.
//
// A launch whose kernel has no time yet may run natively and be waited for: records of times come half a
// second later, and to count by patching may take a hundred times as long as the kernel.

#include <array>
#include <atomic>
#include <chrono>
#include <functional>

#include "injection/recorder/diagnostics.h"
#include "injection/recorder/group_table.h"
#include "injection/recorder/launch_gate.h"
#include "injection/recorder/phase_probe.h"
#include "injection/recorder/records.h"
#include "injection/recorder/scheduler.h"

namespace coalescope::recorder {

// What before_launch hands to after_launch of the same call.
// `owner`: it is measured; `timed`: it runs natively, and its thread waits for it.
enum class Ticket : std::uint64_t { none = 0, native = 1, owner = 2, timed = 3 };

// What the arbiter asks of the recording that it serves, in the target's threads.
class ArbiterHost {
 public:
  [[nodiscard]] virtual std::int64_t now_ns() = 0;                             // since the capture began
  [[nodiscard]] virtual std::int64_t stream_id(const LaunchInfo& launch) = 0;  // the trace's id of its stream
  [[nodiscard]] virtual std::int64_t all_gpu_ns() = 0;  // of the timed launches of all groups
  // For all work of the context. What the program has queued keeps the GPU busy meanwhile, so that this costs
  // it next to nothing. Error `busy`: it goes on.
  [[nodiscard]] virtual base::Result<void> wait_for_gpu(const ContextHandle& context,
                                                        std::chrono::nanoseconds patience) = 0;
  virtual void deliver(WindowRecord record) = 0;  // must only queue

 protected:
  ~ArbiterHost() = default;
};

class Arbiter {
 public:
  Arbiter(const SchedulerOptions& options, std::array<PhaseProbe*, kPhaseCount> probes, ArbiterHost& host,
          Diagnostics& diagnostics);

  // `selected`: the user wants launches like this one measured.
  [[nodiscard]] Ticket before_launch(const LaunchInfo& launch, Group& group, bool selected = true);
  // Of work that is not measured and must not fall into a launch that is, such as a graph launch.
  [[nodiscard]] Ticket before_other_work();
  // `ran`: the driver took the work.
  void after_launch(Ticket ticket, bool ran = true);

  // Runs while no thread asks the driver for a launch, a memory set or a graph launch. False: some thread did
  // so for too long, and it was not run.
  [[nodiscard]] bool alone(const std::function<void()>& run);
  // Leaves the open window, unless a stream captures: then it stays, and nothing is measured in it.
  void close_window();
  // The same; if the window stays and has patched code, measuring ends.
  void patched_code_unloads();
  // Leaves a window that has measured nothing since long. Asked now and then by the writer thread, because no
  // launch may come that would.
  void tidy();
  void stream_capture_began();
  void stream_capture_ended();
  // Code is loaded or unloaded: nothing may be measured meanwhile.
  void code_change_began();
  void code_change_ended();
  // The program asks for GPU memory: what is configured for measuring is given up if it could be missed.
  // `free_bytes` is called only if there is something to give up.
  using FreeBytes = std::function<std::optional<std::int64_t>()>;
  void memory_wanted(std::int64_t bytes, const FreeBytes& free_bytes);
  [[nodiscard]] bool in_stream_capture() const {
    return stream_captures_.load(std::memory_order_acquire) > 0;
  }

  void context_ending(const ContextHandle& context);
  // No measuring from here on; an open window is left, and the probes give up what they hold, unless a stream
  // captures.
  void finish();
  // The same at the end of the process, when stream captures no longer matter.
  void process_ends();

  // Why a group has no readings of a phase; of the trace, why none of its launches has a time.
  [[nodiscard]] model::CoverageReason reason(const Group& group, model::Phase phase) const;
  // What measuring has cost so far: windows, and launches in them beyond their native time.
  [[nodiscard]] std::int64_t spent_ns() const { return scheduler_.spent_ns(); }
  // How long launches were held until the program's own work on the GPU was done, measured launches included.
  [[nodiscard]] std::int64_t waited_ns() const { return waited_ns_.load(std::memory_order_relaxed); }
  // What the recorder does between the two costs the time that passes, less what is charged by itself and the
  // waits for the program's own work.
  struct Meter {
    std::int64_t began_ns, spent_ns, waited_ns;
  };
  [[nodiscard]] Meter read_meter();
  void charge_since(const Meter& meter);
  // Whether anything is left of the budget.
  [[nodiscard]] bool may_spend() { return scheduler_.left_for_first_ns(host_.now_ns()) > 0; }

 private:
  struct Window {
    model::Phase phase = model::Phase::bytes;
    ContextHandle context;
    std::int64_t began_ns = 0;
    std::int64_t cost_ns = 0;
    std::int64_t launches_cost_ns = 0;
    std::int64_t forced_before = 0;
    std::vector<Group*> groups;  // of each launch
    std::vector<WindowLaunch> launches;
    std::vector<bool> ran;
    bool goes_on = false;  // its last launch still runs: it is void, and is left once that has ended
  };
  using Place = std::optional<Window>;

  [[nodiscard]] Ticket go_unmeasured();
  [[nodiscard]] bool shut_gate();
  [[nodiscard]] Ticket pass_gate();
  void wait_for_measuring();
  [[nodiscard]] bool may_measure(const LaunchInfo& launch, const Group& group, bool selected) const;
  void count(Group& group, model::Phase phase, int launches);
  [[nodiscard]] bool begin(const LaunchInfo& launch, Group& group, model::Phase phase);
  [[nodiscard]] Ticket begin_timing(const LaunchInfo& launch, Group& group);
  void end_timing();
  void end_measuring(bool ran);
  void open(Place& place, model::Phase phase, const ContextHandle& context);
  [[nodiscard]] bool make_room(Place& place, const ContextHandle& context, model::Phase phase);
  [[nodiscard]] bool is_full(const Window& window) const;
  [[nodiscard]] bool leave(Place& place, bool waits = true);
  [[nodiscard]] bool leave_now(Place& place, bool waits);
  void leave_idle(Place& place, const base::Result<void>& idle);
  [[nodiscard]] std::int64_t patience_ns(std::int64_t now_ns) const;
  [[nodiscard]] bool may_wait() const;
  // `expected_ns`: what was launched should take no longer.
  [[nodiscard]] base::Result<void> wait_for_gpu(const ContextHandle& context, std::int64_t expected_ns = 0);
  [[nodiscard]] static bool is_busy(const base::Result<void>& idle) {
    return !idle && idle.error().code == base::ErrorCode::busy;
  }
  [[nodiscard]] Ticket run_natively(Group& group);
  void disable(model::Phase phase, const base::Error& error);
  void wait_for_others(model::Phase phase, const base::Error& error);
  void release(const ContextHandle& context);
  static void learn_instructions(const Window& window, const WindowReadings& readings);
  void tell_variants(const Window& window, const WindowReadings& readings);
  void set_state(model::Phase phase, model::CoverageReason reason);
  [[nodiscard]] model::CoverageReason judge(const Window& window, const WindowReadings& readings) const;
  [[nodiscard]] PhaseProbe* probe(model::Phase phase) const { return probes_[index_of(phase)]; }
  [[nodiscard]] Place& place_of(model::Phase phase) { return sweeps(phase) ? sweep_ : single_; }

  Scheduler scheduler_;
  std::array<PhaseProbe*, kPhaseCount> probes_;
  ArbiterHost& host_;
  Diagnostics& diagnostics_;
  LaunchGate gate_;
  std::atomic<std::int64_t> stream_captures_{0};
  std::atomic<std::int64_t> code_changes_{0};
  std::atomic<bool> overdue_{false};  // the gate was not opened in time
  std::atomic<bool> finished_{false};
  std::atomic<bool> sweeping_{false};            // a window is open
  std::atomic<bool> context_lost_{false};        // one ended while the gate could not be shut
  std::atomic<bool> goes_on_{false};             // a measured launch still runs
  std::atomic<std::int64_t> used_ns_{0};         // when it last measured a launch
  std::atomic<std::int64_t> waited_ns_{0};       // for the program's own work on the GPU
  std::atomic<std::int64_t> in_vain_ns_{0};      // spent on waiting for a GPU that stayed busy
  std::atomic<std::int64_t> waits_again_ns_{0};  // not before then
  // All below belongs to the gate's owner.
  Place sweep_;                             // the window that is open over many launches
  Place single_;                            // the window of the launch that is being measured
  Place* current_ = nullptr;                // where that launch is
  std::optional<ContextHandle> late_;       // what was waited for in vain last
  std::vector<ContextHandle> measured_in_;  // contexts that have had a window
  // The launch that is timed by waiting for it.
  struct Timing {
    Group* group = nullptr;
    ContextHandle context;
    std::int64_t began_ns = 0;
  } timing_;
  std::int64_t next_window_id_ = 1;
  int busy_ = 0;                            // times that others held the counters
  std::array<bool, kPhaseCount> proved_{};  // the phase has given something other than zero in this process
  // `measured` stands for a phase that is on; read by the writer thread, too.
  std::array<std::atomic<model::CoverageReason>, kPhaseCount> phase_state_{};
  std::array<std::atomic<bool>, kPhaseCount>
      held_by_others_{};  // the counters, at some time; read by the writer thread, too
};

}  // namespace coalescope::recorder
