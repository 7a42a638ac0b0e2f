#pragma once
// Everything of CUPTI that one process uses, behind the recorder's Backend: the loaded functions, the trace,
// the probes, and the configurations of each device.

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "injection/cupti/cupti_api.h"
#include "injection/cupti/driver_api.h"
#include "injection/cupti/kernel_trace.h"
#include "injection/cupti/lines_probe.h"
#include "injection/cupti/module_store.h"
#include "injection/cupti/range_config.h"
#include "injection/cupti/range_probe.h"
#include "injection/recorder/backend.h"
#include "injection/recorder/diagnostics.h"

namespace coalescope::cupti {

class Session final : public recorder::Backend {
 public:
  Session(const CuptiApi& api, const DriverApi& driver, std::int64_t started_unix_ns,
          KernelTrace::Deliver deliver, recorder::Diagnostics& diagnostics);

  [[nodiscard]] base::Result<void> start_trace() { return trace_.start(); }

  // Backend
  [[nodiscard]] std::int64_t now_ns() override;
  [[nodiscard]] std::int64_t stream_id(const recorder::LaunchInfo& launch) override;
  [[nodiscard]] recorder::PhaseProbe* probe(model::Phase phase) override;
  [[nodiscard]] base::Result<model::Device> describe_device(std::int32_t ordinal) override;
  [[nodiscard]] std::vector<model::MetricUsed> prepare_device(std::int32_t ordinal) override;
  void decode(const recorder::ActivityBuffer& buffer, recorder::TraceSink& sink) override;
  void flush(bool everything) override { trace_.flush(everything); }

 private:
  struct DeviceState {
    base::Result<std::string> chip;
    std::map<model::Phase, base::Result<RangeConfig>> configs;
  };

  [[nodiscard]] base::Result<std::string> identify(std::int32_t ordinal);
  // Both wait, bounded, until the writer thread has prepared the device.
  [[nodiscard]] base::Result<std::string> chip_name(std::int32_t ordinal);
  [[nodiscard]] base::Result<const RangeConfig*> find_config(std::int32_t ordinal, model::Phase phase);

  const CuptiApi& api_;
  const DriverApi& driver_;
  recorder::Diagnostics& diagnostics_;
  const std::int64_t zero_ns_;
  KernelTrace trace_;
  RangeProbe range_probe_;
  LinesProbe lines_probe_;
  std::mutex devices_mutex_;
  std::condition_variable device_ready_;
  std::map<std::int32_t, DeviceState> devices_;
};

}  // namespace coalescope::cupti
