#pragma once
// The closed-form answers of the reference kernels, as data: host C++ only, no CUDA. Each case is a kernel
// function of its own (parameters are template arguments), so a kernel group of a capture IS a case.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/metric.h"

namespace coalescope::kernels {

// `count` of one metric, for one launch of the case.
struct ExpectedCount {
  model::MetricId metric;
  std::int64_t count;
};

struct Case {
  std::string family;       // "A3"
  std::string id;           // "offset_copy/3": unique
  std::string kernel;       // demangled name without parameters: "coalescope::kernels::offset_copy<3>"
  std::string title;        // one line for people: "copy with an offset of 3 words"
  std::optional<double> abscissa;  // the curve's x, where the case is a point of one
  std::int64_t useful_bytes = 0;   // read + written by one launch, for effective bandwidth
  std::vector<ExpectedCount> counts;
};

// All cases, family by family, in the order in which coalescope_kernels runs them.
std::span<const Case> cases();

}  // namespace coalescope::kernels
