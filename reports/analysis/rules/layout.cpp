// K01: kernels that a library launches only to change the layout of a tensor, and what its other kernels lose
// in the layout that it converts from.

#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/units.h"
#include "reports/analysis/figures/called_for.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rules/few_blocks.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr double kAny = 1;

Cost whole_kernel(const KernelRow& row) {
  if (!row.median_gpu_ns || *row.median_gpu_ns <= 0)
    return unknown_cost("cost unknown: none of its launches was timed");
  return {total(real(row.median_gpu_ns), row), "all of its time: it does nothing but convert"};
}

constexpr std::string_view kOneBlockAChannel =
    " In NCHW batch normalisation also has one block per channel, so that most of the GPU idles.";

Advice keep_layout(std::string_view besides = {}) {
  std::string text =
      "The library converts tensors from NCHW to NHWC or back, because they are not in the layout that "
      "it computes in.";
  text += besides;
  text +=
      " Keep the tensors in that layout: in PyTorch, convert the model and its input once "
      "(.to(memory_format=torch.channels_last), or channels_last_3d for 3-D convolutions).";
  return {"K01.keep_layout", {}, std::move(text)};
}

// PyTorch's kernels for channels_last divide a channel among many blocks.
Assessment assess_channel_norm(const KernelSubject& kernel) {
  const KernelRow& row = kernel.row;
  const Measure idle = idle_multiprocessors(kernel);
  if (!idle.value) return {idle};
  if (!idle.reaches(kIdleMultiprocessors)) return {measured(0)};
  return {measured(real(row.launches)),
          few_blocks_cost(kernel),
          {FactList().count("launches", row.launches, "launches").add("idle", *idle.value, "share").take(),
           fmt::format("batch normalisation gives each channel one block in NCHW, so that {} of the "
                       "multiprocessors idle",
                       base::format_share(*idle.value))},
          keep_layout(kOneBlockAChannel)};
}

Assessment assess_layout(const KernelSubject& kernel) {
  const KernelRow& row = kernel.row;
  const CalledFor use = row.origin == Origin::library ? called_for(row) : CalledFor::any;
  if (use == CalledFor::channel_norm && kernel.beside_conversions) return assess_channel_norm(kernel);
  if (use != CalledFor::layout) return {measured(0)};
  return {measured(real(row.launches)),
          whole_kernel(row),
          {FactList().count("conversions", row.launches, "launches").take(),
           fmt::format("{} launches that change the layout of a tensor", base::format_count(row.launches))},
          keep_layout()};
}

}  // namespace

constinit const Rule<KernelSubject> kLayoutConversions{
    {.id = "K01",
     .title = "Layout conversions by a library",
     .repair = "keep tensors in the layout that the library computes in",
     .families = "none",
     .measure = "launches that only change the layout of a tensor, or lose time in it",
     .limit = kAny,
     .unpriced_limit = kAny,
     .note = false,
     .calibrated = "no family: the names of cuDNN's kernels say what they do",
     .has_one_repair = true},
    assess_layout,
    nullptr};

}  // namespace coalescope::analysis
