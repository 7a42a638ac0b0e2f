#pragma once
// What the range profiler needs for its phases on one chip: the metrics that the chip has, and the image that
// configures them. Built on the host alone; works without a GPU.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/model/metric.h"
#include "injection/cupti/cupti_api.h"

namespace coalescope::cupti {

// The phases that the range profiler counts, in the order in which CUPTI takes the passes of one
// configuration, seen on an H100: hardware counters first.
inline constexpr std::array kRangePhases{model::Phase::traffic, model::Phase::hits, model::Phase::bytes};

// The metrics that one pass over a launch reads.
struct RangePass {
  model::Phase phase = model::Phase::bytes;
  std::vector<model::MetricId> metrics;
  std::vector<std::string> names;  // what the chip accepted, one for each metric

  [[nodiscard]] std::vector<const char*> name_pointers() const;
};

struct RangeConfig {
  // Without replay: as many as CUPTI's passes, each with the metrics of one phase. With kernel replay: one,
  // because every launch goes through all of CUPTI's passes.
  std::vector<RangePass> passes;
  bool kernel_replay = false;
  std::size_t cupti_passes = 0;  // over each launch that is replayed; else over as many launches
  std::vector<std::uint8_t> image;
  CUpti_Profiler_Host_Object* host = nullptr;  // evaluates counter data; lives as long as the process

  [[nodiscard]] std::vector<const char*> name_pointers() const;  // of all passes
};

// Every chip of which CUPTI's host library knows the metrics.
[[nodiscard]] base::Result<std::vector<std::string>> supported_chips(const CuptiApi& api);

// One pass a phase, so that a launch of each phase is measured without replay. Fails if the chip has none of
// a phase's metrics, or needs another number of passes.
[[nodiscard]] base::Result<RangeConfig> build_range_config(const CuptiApi& api, const std::string& chip,
                                                           const std::vector<model::Phase>& phases);
// All that these phases read and what is read by replay alone, of one launch, which CUPTI runs once a pass.
[[nodiscard]] base::Result<RangeConfig> build_replay_config(const CuptiApi& api, const std::string& chip,
                                                            const std::vector<model::Phase>& phases);

}  // namespace coalescope::cupti
