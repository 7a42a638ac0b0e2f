#pragma once
// The closed-form answers of the reference kernels, as data: host C++ only, no CUDA. Each case is a kernel
// function of its own (parameters are template arguments), so a kernel group of a capture IS a case.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/enums.h"
#include "core/model/metric.h"

namespace coalescope::kernels {

// `count` of one metric, for one launch of the case; of an instruction's metric, over all its instructions.
struct ExpectedCount {
  model::MetricId metric;
  std::int64_t count;
  bool or_more = false;  // the compiler decides how much more; whatever it is, it is the same in every launch
};

// A copy between host and device that one run of the case makes.
struct HostCopy {
  model::Direction direction = model::Direction::unknown;
  model::MemoryKind host_memory = model::MemoryKind::unknown;
  std::int64_t bytes = 0;
};

// One run of a case is a launch, a copy, or (copy + kernel, against zero-copy) both, one after the other.
struct Case {
  std::string family;  // "A3"
  std::string id;      // "offset_copy/3": unique
  std::string kernel;  // demangled name without parameters: "coalescope::kernels::offset_copy<3>", or empty
  std::string title;   // one line for people: "copy at word offset 3"
  std::optional<double> abscissa;  // the curve's x, where the case is a point of one
  // For effective bandwidth: distinct bytes read + written by one run. Of D cases those of the host's memory
  // alone, as the bus is what they are about; of E cases all that the threads move.
  std::int64_t useful_bytes = 0;
  std::int64_t threads = 0;           // of the launch
  std::vector<ExpectedCount> counts;  // exact
  std::optional<HostCopy> copy;
  int least_capability = 0;  // 80: compute capability 8.0, before which the hardware cannot do it
};

// All cases, family by family, in the order in which coalescope_kernels runs them.
std::span<const Case> cases();

}  // namespace coalescope::kernels
