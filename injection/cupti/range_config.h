#pragma once
// What the range profiler needs for one phase on one chip: the metrics that the chip has, and the image that
// configures them. Built on the host alone, slowly, on the writer thread; works without a GPU.

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/model/metric.h"
#include "injection/cupti/cupti_api.h"

namespace coalescope::cupti {

struct RangeConfig {
  std::vector<model::MetricId> metrics;
  std::vector<std::string> names;  // what the chip accepted, one for each metric
  std::vector<std::uint8_t> image;
  CUpti_Profiler_Host_Object* host = nullptr;  // evaluates counter data; lives as long as the process

  [[nodiscard]] std::vector<const char*> name_pointers() const;
};

// Fails if the chip has none of the phase's metrics, or needs more than one pass for them: nothing is
// replayed.
[[nodiscard]] base::Result<RangeConfig> build_range_config(const CuptiApi& api, const std::string& chip,
                                                           model::Phase phase);

}  // namespace coalescope::cupti
