#include "reports/analysis/rows/autotuned.h"

#include <gtest/gtest.h>

namespace coalescope::analysis {
namespace {

CallSiteRow frame(std::int64_t id, std::optional<std::int64_t> caller, const char* file,
                  const char* function) {
  CallSiteRow row;
  row.id = id;
  row.caller_id = caller;
  row.kind = model::FrameKind::python;
  row.file = file;
  row.function = function;
  return row;
}

// 1: the program; 2: Triton's autotuner; 3: its benchmark; 4 and 5: what both launch; 6: Inductor's
// benchmark.
const std::vector<CallSiteRow> kSites{
    frame(1, std::nullopt, "/home/me/train.py", "main"),
    frame(2, 1, "/site-packages/triton/runtime/autotuner.py", "Autotuner.run"),
    frame(3, 2, "/site-packages/triton/runtime/autotuner.py", "Autotuner._bench.<locals>.kernel_call"),
    frame(4, 2, "/site-packages/triton/runtime/jit.py", "JITFunction.run"),
    frame(5, 3, "/site-packages/triton/runtime/jit.py", "JITFunction.run"),
    frame(6, 1, "/site-packages/torch/_inductor/runtime/benchmarking.py",
          "InductorBenchmarker.benchmark_gpu"),
};

KernelRow named(std::initializer_list<std::int64_t> sites) {
  KernelRow row;
  row.origin = Origin::library;
  row.owner = "Triton";
  for (const std::int64_t site : sites) row.call_sites.push_back({.call_site_id = site});
  std::vector rows{row};
  name_autotuned(rows, kSites);
  return rows.front();
}

TEST(Autotuned, WhatOnlyABenchmarkLaunchedIsOfATool) {
  EXPECT_EQ(named({5}).origin, Origin::tool);
  EXPECT_EQ(named({5}).owner, "Triton autotuning");
  EXPECT_EQ(named({6}).owner, "torch.compile autotuning");
  EXPECT_EQ(named({5, 6}).origin, Origin::tool);
}

TEST(Autotuned, WhatTheProgramLaunchesTooIsItsOwn) {
  EXPECT_EQ(named({5, 4}).origin, Origin::library);
  EXPECT_EQ(named({4, 5}).origin, Origin::library);
  EXPECT_EQ(named({4}).owner, "Triton");
  EXPECT_EQ(named({}).origin, Origin::library) << "nothing is known of its calls";
}

}  // namespace
}  // namespace coalescope::analysis
