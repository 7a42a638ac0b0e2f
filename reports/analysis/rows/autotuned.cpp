#include "reports/analysis/rows/autotuned.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "reports/analysis/rows/call_stacks.h"

namespace coalescope::analysis {
namespace {

// A frame that is on the stack only while a candidate is timed. `function` is the beginning of its name, or
// empty for any.
struct Benchmark {
  std::string_view owner, file, function;
};
constexpr std::array kBenchmarks{
    Benchmark{"torch.compile autotuning", "/torch/_inductor/runtime/benchmarking.py", ""},
    Benchmark{"Triton autotuning", "/triton/runtime/autotuner.py", "Autotuner._bench"},
};

const Benchmark* benchmark_in(const std::vector<const CallSiteRow*>& stack) {
  for (const Benchmark& each : kBenchmarks)
    if (std::ranges::any_of(stack, [&](const CallSiteRow* frame) {
          return frame->file && frame->file->ends_with(each.file) &&
                 frame->function.starts_with(each.function);
        }))
      return &each;
  return nullptr;
}

// nullptr: one of its launches was no benchmark's, or none is known.
const Benchmark* only_benchmark(const KernelRow& row, const CallStacks& stacks) {
  const Benchmark* found = nullptr;
  for (const SiteUse& use : row.call_sites) {
    found = benchmark_in(stacks.stack(use.call_site_id));
    if (found == nullptr) return nullptr;
  }
  return found;
}

}  // namespace

void name_autotuned(std::vector<KernelRow>& kernels, std::span<const CallSiteRow> sites) {
  const CallStacks stacks(sites);
  for (KernelRow& row : kernels) {
    const Benchmark* benchmark = only_benchmark(row, stacks);
    if (benchmark == nullptr) continue;
    row.origin = Origin::tool;
    row.owner = benchmark->owner;
  }
}

}  // namespace coalescope::analysis
