// K01: kernels that a library launches only to change the layout of a tensor.

#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/figures/layout_kernels.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr double kAny = 1;

bool is_conversion(const KernelRow& row) {
  return row.origin == Origin::library && converts_layout(row.full_name);
}

Cost whole_kernel(const KernelRow& row) {
  if (!row.median_gpu_ns || *row.median_gpu_ns <= 0)
    return unknown_cost("cost unknown: none of its launches was timed");
  return {total(real(row.median_gpu_ns), row), "all of its time: it does nothing but convert"};
}

Assessment assess_layout(const KernelSubject& kernel) {
  const KernelRow& row = kernel.row;
  if (!is_conversion(row)) return {measured(0)};
  return {measured(real(row.launches)),
          whole_kernel(row),
          {FactList().count("conversions", row.launches, "launches").take(),
           fmt::format("{} launches that change the layout of a tensor", base::format_count(row.launches))},
          {"K01.keep_layout",
           {},
           "The library converts tensors from NCHW to NHWC or back, because they are not in the layout that "
           "it computes in. Keep them in that layout: in PyTorch, convert the model and its input once "
           "(.to(memory_format=torch.channels_last), or channels_last_3d for 3-D convolutions)."}};
}

}  // namespace

constinit const Rule<KernelSubject> kLayoutConversions{
    {.id = "K01",
     .title = "Layout conversions by a library",
     .repair = "keep tensors in the layout that the library computes in",
     .families = "none",
     .measure = "launches that only change the layout of a tensor",
     .limit = kAny,
     .unpriced_limit = kAny,
     .note = false,
     .calibrated = "no family: the names of cuDNN's kernels say what they do",
     .has_one_repair = true},
    assess_layout,
    nullptr};

}  // namespace coalescope::analysis
