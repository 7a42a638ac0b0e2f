#pragma once
// Seam A: what the recorder needs of a way of measuring, in our words. One implementation a CUPTI interface
// in injection/cupti; tests use fakes that return canned readings or fail at the n-th call.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/model/enums.h"
#include "core/model/launch.h"
#include "core/model/metric.h"
#include "injection/recorder/launch_info.h"

namespace coalescope::recorder {

using MetricValue = std::pair<model::MetricId, std::int64_t>;

// The counters of one instruction of the window's kernel.
struct InstructionCounts {
  std::string kernel_name;  // mangled
  std::int64_t module_crc = 0;
  std::int64_t pc_offset = 0;
  std::vector<MetricValue> values;
};

// The row that says by which name a metric was asked for.
[[nodiscard]] inline model::MetricUsed metric_used(model::MetricId id, std::string_view cupti_name) {
  const auto& metric = model::metric(id);
  return {id, std::string(metric.key), std::string(cupti_name), metric.phase,
          std::string(model::name_of(metric.unit))};
}

struct WindowReadings {
  std::vector<std::vector<MetricValue>> launches;  // in the order of begin(); empty for `lines`
  std::vector<InstructionCounts> instructions;     // only for `lines`
  std::vector<model::MetricUsed> metrics;          // what was asked for, by the names that the chip accepted
  std::int64_t dropped = 0;                        // ranges or records that were lost: the window is void
  bool valid = true;                               // false: a value was not a number
  bool released = false;                           // the next window of this probe has to configure it anew
};

// What must stay free of the GPU's memory when a probe has taken its part: a program that asks for more gets
// it, and ours back.
inline constexpr std::int64_t kSpareGpuBytes = std::int64_t{256} << 20;

class PhaseProbe {
 public:
  PhaseProbe() = default;
  virtual ~PhaseProbe() = default;
  PhaseProbe(const PhaseProbe&) = delete;
  PhaseProbe& operator=(const PhaseProbe&) = delete;

  // Begins a window. Only at a safe point: no stream capture open, no other launch in flight, the GPU idle.
  [[nodiscard]] virtual base::Result<void> enter(const ContextHandle& context, model::Phase phase) = 0;
  // A launch is about to be measured in this window, and has ended. Others may run natively between two of
  // them. If any do meanwhile the window is void, and they have no records.
  [[nodiscard]] virtual base::Result<void> begin(const LaunchInfo& launch) = 0;
  virtual void end() = 0;
  // The most launches that one window measures.
  [[nodiscard]] virtual std::int64_t capacity(model::Phase phase) const = 0;
  // Ends the window, while the GPU is idle. Whatever it returns, the target runs natively afterwards.
  [[nodiscard]] virtual base::Result<WindowReadings> leave() = 0;
  // Whether enter() has left memory of the GPU taken, and how it is given back: the next window configures
  // anew. Asked by any thread; given back by the gate's owner, outside of a window.
  [[nodiscard]] virtual bool holds_gpu_memory() const { return false; }
  virtual void give_gpu_memory_back() {}
  // Gives up what enter() configured for a context that is about to end.
  virtual void release(const ContextHandle& context) = 0;
  // The same for all contexts: nothing is measured any more.
  virtual void release_all() {}
};

}  // namespace coalescope::recorder
