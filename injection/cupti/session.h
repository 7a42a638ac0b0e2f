#pragma once
// Everything of CUPTI that one process uses, behind the recorder's Backend: the loaded functions, the trace,
// the probes, and the configurations of each device.

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "core/ring/channel.h"
#include "injection/cupti/cupti_api.h"
#include "injection/cupti/driver_api.h"
#include "injection/cupti/gpu_wait.h"
#include "injection/cupti/kernel_trace.h"
#include "injection/cupti/lines_probe.h"
#include "injection/cupti/own_heap.h"
#include "injection/cupti/range_config.h"
#include "injection/cupti/range_probe.h"
#include "injection/cupti/target_use.h"
#include "injection/recorder/backend.h"
#include "injection/recorder/options.h"

namespace coalescope::cupti {

class Session final : public recorder::Backend {
 public:
  // A device can be described with its chip from now on.
  using ChipKnown = std::function<void(std::int32_t ordinal)>;

  Session(const CuptiApi& api, const DriverApi& driver, const recorder::RecorderOptions& options,
          ring::Channel& channel, KernelTrace::Deliver deliver, ChipKnown chip_known,
          recorder::Diagnostics& diagnostics);

  [[nodiscard]] base::Result<void> start_trace();
  [[nodiscard]] base::Result<void> start_unified_memory() {
    return trace_.start_unified_memory(driver_.device_count());
  }

  // Gives everything up that CUPTI holds for us, for the target's own use; what it has recorded is still
  // delivered. Both under the mutex of that use.
  void leave(const TargetUse& use);
  [[nodiscard]] bool has_left() const { return trace_.has_left(); }

  // Backend
  [[nodiscard]] std::int64_t now_ns() override;
  [[nodiscard]] std::int64_t stream_id(const recorder::LaunchInfo& launch) override;
  [[nodiscard]] base::Result<void> wait_for_gpu(const recorder::ContextHandle& context,
                                                std::chrono::nanoseconds patience) override;
  [[nodiscard]] bool is_stream_captured(const recorder::LaunchInfo& launch) override;
  [[nodiscard]] bool code_unloading(const recorder::UnloadedCode& code) override {
    return range_probe_.code_unloading(code);
  }
  [[nodiscard]] std::uint64_t module_of(const recorder::LaunchInfo& launch) override {
    return driver_.code_of(reinterpret_cast<CUfunction>(launch.function));
  }
  [[nodiscard]] std::optional<std::int64_t> peak_bytes() override { return own_heap_peak_bytes(); }
  [[nodiscard]] std::optional<std::int64_t> free_gpu_bytes() override { return driver_.free_bytes(nullptr); }
  [[nodiscard]] recorder::PhaseProbe* probe(model::Phase phase) override;
  [[nodiscard]] base::Result<std::vector<model::GroupPointer>> pointers(
      const recorder::LaunchInfo& launch) override;
  [[nodiscard]] base::Result<model::Device> describe_device(std::int32_t ordinal) override;
  void decode(const recorder::ActivityBuffer& buffer, recorder::TraceSink& sink) override;
  [[nodiscard]] std::optional<std::vector<recorder::ParameterPlace>> parameters(
      const recorder::LaunchInfo& launch) override {
    return driver_.parameters(reinterpret_cast<CUfunction>(launch.function));
  }
  [[nodiscard]] std::optional<std::int64_t> regain_trace() override;
  bool trace(recorder::Traced wanted) override { return trace_.want(wanted); }
  bool pause_trace() override { return trace_.pause(); }
  void resume_trace() override { trace_.resume(); }
  void flush() override { trace_.flush(); }

 private:
  // Both answer from memory after the first time. They ask libnvperf_host, and are therefore called by the
  // target's threads alone, when a launch is to be measured: a thread of ours that is still inside of it when
  // the process exits finds it torn down, and crashes (seen on an H100), because its exit handlers may run
  // before ours.
  [[nodiscard]] base::Result<std::string> chip_name(std::int32_t ordinal);
  [[nodiscard]] base::Result<const RangeConfig*> find_config(std::int32_t ordinal, model::Phase phase);
  [[nodiscard]] base::Result<const RangeConfig*> find_config(std::int32_t ordinal,
                                                             const std::vector<model::Phase>& phases);

  // The chip, and whether it was asked for just now.
  [[nodiscard]] std::pair<base::Result<std::string>, bool> find_chip(std::int32_t ordinal);

  const CuptiApi& api_;
  const DriverApi& driver_;
  ChipKnown chip_known_;
  recorder::Diagnostics& diagnostics_;
  const std::int64_t started_unix_ns_;
  const base::Result<std::int64_t> zero_ns_;
  const bool
      sanitized_;  // the program; asked once, because the loader's lock may be held while mutex_ is wanted
  std::int64_t left_ns_ = 0;                     // under the mutex of the target's use
  std::atomic<bool> cupti_clock_trusted_{true};  // the target may have put one of its own in place of it
  GpuWait gpu_wait_;
  KernelTrace trace_;
  RangeProbe range_probe_;
  LinesProbe lines_probe_;
  std::mutex mutex_;
  std::map<std::int32_t, base::Result<std::string>> chips_;
  const std::vector<model::Phase> range_phases_;  // that are switched on, as CUPTI takes their passes
  std::map<std::pair<std::int32_t, std::vector<model::Phase>>, base::Result<RangeConfig>> configs_;
};

}  // namespace coalescope::cupti
