#pragma once
// The range profiler: per launch, counters of one configuration (bytes, traffic or hits), without replay.
//
// Life cycle:
//   1. enter(): if another phase or context was configured: Disable. Enable, counter data image, SetConfig (a
//      second SetConfig on one object is ignored without an error). This takes about 0.2 s.
//   2. enter(): earlier work done, kernel activity off, image reset, Start. Each launch is now a range.
//   3. leave(): Stop, DecodeData, evaluate each range, kernel activity on. The object stays configured, which
//      costs a launch less than a microsecond.
//   4. release(): Disable, before the context ends.
// Never Start while a stream captures: it answers 999 and breaks the target's capture.

#include <array>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "injection/cupti/cupti_api.h"
#include "injection/cupti/driver_api.h"
#include "injection/cupti/kernel_trace.h"
#include "injection/cupti/range_config.h"
#include "injection/recorder/phase_probe.h"

namespace coalescope::cupti {

class RangeProbe final : public recorder::PhaseProbe {
 public:
  // Builds a configuration when it is asked for the first time. An error: the phase cannot be measured now.
  using FindConfig =
      std::function<base::Result<const RangeConfig*>(std::int32_t ordinal, model::Phase phase)>;

  RangeProbe(const CuptiApi& api, const DriverApi& driver, KernelTrace& trace, FindConfig find_config);

  [[nodiscard]] base::Result<void> enter(const recorder::ContextHandle& context, model::Phase phase) override;
  void note(const recorder::LaunchInfo& launch) override;
  [[nodiscard]] std::int64_t capacity(model::Phase phase) const override;
  [[nodiscard]] base::Result<recorder::WindowReadings> leave() override;
  void release(const recorder::ContextHandle& context) override;

 private:
  [[nodiscard]] base::Result<void> configure(const recorder::ContextHandle& context, model::Phase phase,
                                             const RangeConfig& config);
  [[nodiscard]] base::Result<void> reset_image();
  [[nodiscard]] base::Result<recorder::WindowReadings> evaluate(std::int64_t dropped);
  void disable();

  const CuptiApi& api_;
  const DriverApi& driver_;
  KernelTrace& trace_;
  FindConfig find_config_;
  recorder::ContextHandle context_;
  model::Phase phase_ = model::Phase::trace;  // trace: nothing is configured
  CUpti_RangeProfiler_Object* object_ = nullptr;
  const RangeConfig* config_ = nullptr;
  std::vector<std::uint8_t> image_;
};

}  // namespace coalescope::cupti
