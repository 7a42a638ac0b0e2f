#pragma once
// SASS metrics: counters of each memory instruction of a single launch.
//
// Life cycle:
//   1. enter(), first time for a device: SetConfig, once for the life of the process (a second one always
//   fails)
//   2. enter(): earlier work done, kernel activity off, Enable with lazy patching; the launch follows
//   3. leave(): the launch is waited for, its data flushed (one launch between two flushes: its own values),
//      Disable, kernel activity on
//   4. release(): UnsetConfig before the context ends, or CUPTI's own exit handler crashes the process (seen
//   on an
//      H100 after cudaDeviceReset). The device cannot be configured again.
// The RESOURCE callback domain must be on from the first context to the last, or only one function is
// counted.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "injection/cupti/cupti_api.h"
#include "injection/cupti/kernel_trace.h"
#include "injection/recorder/phase_probe.h"

namespace coalescope::cupti {

class LinesProbe final : public recorder::PhaseProbe {
 public:
  using ChipName = std::function<base::Result<std::string>(std::int32_t ordinal)>;

  LinesProbe(const CuptiApi& api, KernelTrace& trace, ChipName chip_name);

  [[nodiscard]] base::Result<void> enter(const recorder::ContextHandle& context, model::Phase phase) override;
  // A window is one launch.
  [[nodiscard]] base::Result<void> begin(const recorder::LaunchInfo&) override { return {}; }
  void end() override {}
  [[nodiscard]] std::int64_t capacity(model::Phase) const override { return 1; }
  [[nodiscard]] base::Result<recorder::WindowReadings> leave() override;
  void release(const recorder::ContextHandle& context) override;
  void release_all() override;

 private:
  [[nodiscard]] base::Result<void> configure(const recorder::ContextHandle& context);
  [[nodiscard]] base::Result<recorder::WindowReadings> flush();

  const CuptiApi& api_;
  KernelTrace& trace_;
  ChipName chip_name_;
  CUcontext context_ = nullptr;
  std::map<std::int32_t, recorder::ContextHandle> configured_;  // by device: the context it was done in
  struct Metric {
    model::MetricId id{};
    std::string_view name;  // by which this chip has it
  };
  std::map<std::uint64_t, Metric> metrics_;  // by CUPTI's id
};

}  // namespace coalescope::cupti
