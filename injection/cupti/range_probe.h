#pragma once
// The range profiler: per launch, the counters of one phase (bytes, traffic or hits), without replay; or of
// all of them (replay), when the user asked for it.
//
// One configuration holds a pass for each phase. CUPTI takes the passes in turn: each Start and Stop is the
// next one, round and round. So one slow configuration serves the process (the first Start takes 0.2-0.3 s on
// an H100, a later one 0-16 ms), and a phase that is not the next one is reached by windows without a launch.
//
// Life cycle:
//   1. enter(), if nothing or another context is configured: Disable. Enable, counter data image, SetConfig
//      (a second one on one object is ignored without an error).
//   2. enter(): earlier work done, other passes skipped, image reset, Start.
//   3. begin(): kernel activity off, PushRange. end(): PopRange, kernel activity on. Outside of ranges
//      launches run and are recorded as without a window, in any stream. With replay each launch is a range.
//   4. leave(): Stop, DecodeData, evaluate each range. The object stays configured, which costs a launch less
//      than a microsecond.
//   5. release(): Disable, before the context ends.
// Never Start while a stream captures: it answers 999 and breaks the target's stream capture.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <vector>

#include "injection/cupti/cupti_api.h"
#include "injection/cupti/driver_api.h"
#include "injection/cupti/kernel_trace.h"
#include "injection/cupti/range_config.h"
#include "injection/recorder/backend.h"
#include "injection/recorder/phase_probe.h"

namespace coalescope::cupti {

class RangeProbe final : public recorder::PhaseProbe {
 public:
  // Builds a configuration when it is asked for the first time. An error: the phase cannot be measured now.
  using FindConfig =
      std::function<base::Result<const RangeConfig*>(std::int32_t ordinal, model::Phase phase)>;

  // Whether others want this GPU's counters, too; from now on they know that this process does.
  using Shared = std::function<bool(std::int32_t ordinal)>;

  // `capacity`: the most launches of a window. Counters that are shared, which only one can hold, are let go
  // after each window.
  RangeProbe(const CuptiApi& api, const DriverApi& driver, KernelTrace& trace, FindConfig find_config,
             std::int64_t capacity, Shared shared);

  [[nodiscard]] base::Result<void> enter(const recorder::ContextHandle& context, model::Phase phase) override;
  [[nodiscard]] base::Result<void> begin(const recorder::LaunchInfo& launch) override;
  void end() override;
  [[nodiscard]] std::int64_t capacity(model::Phase phase) const override {
    return phase == model::Phase::replay ? 1 : capacity_;
  }
  [[nodiscard]] base::Result<recorder::WindowReadings> leave() override;
  void release(const recorder::ContextHandle& context) override;
  void release_all() override;
  [[nodiscard]] bool holds_gpu_memory() const override { return holds_memory_; }
  void give_gpu_memory_back() override;

  // Code is about to be unloaded, by itself or with its context. If any of it was patched, no function may be
  // patched from then on: at the first launch of a new one CUPTI uses what it kept of the old one, and
  // crashes the process (seen on an H100; see docs/decisions/008). By any thread. True: patched code goes.
  [[nodiscard]] bool code_unloading(const recorder::UnloadedCode& code);

 private:
  [[nodiscard]] base::Result<void> configure(const recorder::ContextHandle& context, model::Phase phase,
                                             const RangeConfig& config);
  [[nodiscard]] base::Result<void> check_safe(const recorder::ContextHandle& context, model::Phase phase);
  [[nodiscard]] base::Result<void> reset_image();
  [[nodiscard]] base::Result<void> start();
  [[nodiscard]] base::Result<void> stop();
  [[nodiscard]] base::Result<void> skip_to(model::Phase phase);
  [[nodiscard]] base::Result<void> note_patched(const recorder::LaunchInfo& launch);
  [[nodiscard]] base::Result<void> may_patch();
  [[nodiscard]] base::Result<void> push_range();
  [[nodiscard]] base::Result<void> pop_range();
  [[nodiscard]] const RangePass& next_pass() const { return passes_[next_]; }
  [[nodiscard]] base::Result<recorder::WindowReadings> evaluate(std::int64_t dropped);
  [[nodiscard]] base::Result<std::vector<double>> values_of(std::size_t range, const RangePass& pass);
  // Without what a range adds to a time; nullopt: too much to tell.
  [[nodiscard]] std::optional<double> value_of(model::MetricId metric, std::size_t range, double value) const;
  [[nodiscard]] base::Result<std::vector<std::vector<double>>> values_of_all(std::size_t ranges);
  [[nodiscard]] base::Result<void> learn_pass();
  void disable();

  const CuptiApi& api_;
  const DriverApi& driver_;
  KernelTrace& trace_;
  FindConfig find_config_;
  const std::int64_t capacity_;
  Shared shared_;
  recorder::ContextHandle context_;
  CUpti_RangeProfiler_Object* object_ = nullptr;
  const RangeConfig* config_ = nullptr;
  std::vector<std::uint8_t> image_;
  std::vector<RangePass> passes_;  // the configuration's, as CUPTI takes them, as far as that was seen
  std::size_t next_ = 0;           // CUPTI's number of the pass that the next Start begins
  std::size_t measured_ = 0;       // and of that which the last Stop ended
  std::atomic<bool> holds_memory_{false};
  bool patches_ = false;            // the open window does
  std::int64_t ranges_ = 0;         // begun so far: no two may have one name
  base::Result<void> range_ended_;  // an Error: the last one could not be
  std::mutex patched_mutex_;
  std::set<std::uint64_t> patched_;  // modules and libraries of the functions that were patched; 0: not known
  std::set<std::uint64_t> patched_in_;  // their contexts
  bool patched_code_is_gone_ = false;
};

}  // namespace coalescope::cupti
