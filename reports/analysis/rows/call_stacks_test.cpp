#include "reports/analysis/rows/call_stacks.h"

#include <gtest/gtest.h>

#include "reports/analysis/rows/call_line_rows.h"

namespace coalescope::analysis {
namespace {

model::CallSite python(std::int64_t id, std::int64_t caller, std::string file, std::int64_t line,
                       std::string function) {
  model::CallSite site;
  site.id = model::CallSiteId{id};
  site.process_id = model::ProcessId{1};
  if (caller != 0) site.caller_id = model::CallSiteId{caller};
  site.kind = model::FrameKind::python;
  site.file = std::move(file);
  site.line = line;
  site.symbol = std::move(function);
  return site;
}

// main -> step -> (torch) __call__ -> Model.forward -> (torch) linear
std::vector<model::CallSite> training() {
  const std::string torch = "/usr/lib/python3/dist-packages/torch/nn/";
  return {python(1, 0, "/home/me/train.py", 90, "<module>"),
          python(2, 1, "/home/me/train.py", 37, "step"),
          python(3, 2, torch + "modules/module.py", 1739, "Module._call_impl"),
          python(4, 3, "/home/me/model.py", 12, "Model.forward"),
          python(5, 4, torch + "functional.py", 2230, "linear"),
          python(6, 0, torch + "data/worker.py", 7, "_worker_loop")};
}

TEST(CallStacks, NamesTheInnermostLineThatIsTheAuthors) {
  const auto rows = call_site_rows(training(), {});
  const CallStacks stacks(rows);
  EXPECT_EQ(stacks.stack(5).size(), 5U);
  ASSERT_NE(stacks.own_frame(5), nullptr);
  EXPECT_EQ(stacks.own_frame(5)->line, 12);
  EXPECT_EQ(stacks.text(5), "train.py:90 > train.py:37 step() > model.py:12 forward()");
  EXPECT_EQ(stacks.text(5, 2), "... > train.py:37 step() > model.py:12 forward()");
  EXPECT_EQ(stacks.text(3), "train.py:90 > train.py:37 step()");
}

TEST(CallStacks, NamesWhatThereIsWhereNothingIsTheAuthors) {
  const auto rows = call_site_rows(training(), {});
  const CallStacks stacks(rows);
  EXPECT_EQ(stacks.text(6), "worker.py:7 _worker_loop()");
  EXPECT_EQ(stacks.text(99), "");
  EXPECT_EQ(stacks.own_frame(99), nullptr);
}

TEST(CallStacks, TheReaderSaysWhoseCodeItIs) {
  const auto torch =
      call_site_rows(training(), {.roots = {"/usr/lib/python3/dist-packages/torch"}, .hidden = {}});
  EXPECT_EQ(CallStacks(torch).text(5, 1), "... > functional.py:2230 linear()");
  const auto without = call_site_rows(training(), {.roots = {}, .hidden = {"model.py"}});
  EXPECT_EQ(CallStacks(without).own_frame(5)->line, 37);
}

TEST(CallStacks, EachTimeCountsForOneOwnLine) {
  auto sites = training();
  sites.push_back(python(7, 4, "/usr/lib/python3/dist-packages/torch/b.py", 1, "gelu"));
  auto rows = call_site_rows(sites, {});
  add_times(rows, {{2, {10, 5, 7}}, {5, {30, 0, 0}}, {6, {100, 0, 0}}, {7, {40, 0, 0}}});
  const auto lines = call_line_rows(rows);
  ASSERT_EQ(lines.size(), 2U) << "time that no own line called for is no line's";
  EXPECT_EQ(lines[0].file, "/home/me/model.py");
  EXPECT_EQ(lines[0].function, "Model.forward");
  EXPECT_EQ(gpu_ns(lines[0]), 70);
  EXPECT_EQ(lines[1].line, 37);
  EXPECT_EQ(gpu_ns(lines[1]), 15);
  EXPECT_EQ(lines[1].times.wait_ns, 7);
}

TEST(CallStacks, KnowsWhoseFilesArePackages) {
  for (const char* own : {"/home/me/train.py", "<ipython-input-3>", "/tmp/ipykernel_7/123.py", "train.py"})
    EXPECT_TRUE(is_own_python(own, {})) << own;
  for (const char* foreign :
       {"/opt/venv/lib/python3.12/site-packages/torch/a.py", "/usr/lib/python3.11/threading.py",
        "<frozen importlib._bootstrap>", "/tmp/torchinductor_me/ab/cab.py", ""})
    EXPECT_FALSE(is_own_python(foreign, {})) << foreign;
}

TEST(CallStacks, WhatAPackageExecutesIsNotTheAuthors) {
  const std::vector<model::CallSite> sites{
      python(1, 0, "/home/me/train.py", 58, "step"),
      python(2, 1, "/opt/venv/lib/python3.12/site-packages/torch/_inductor/runtime/triton_heuristics.py", 1,
             "run"),
      python(3, 2, "<string>", 5, "launcher"),
      python(4, 1, "<string>", 2, "made"),
      python(5, 0, "<string>", 1, "<module>"),
      python(6, 5, "<string>", 1, "work")};
  const auto rows = call_site_rows(sites, {});
  const CallStacks stacks(rows);
  EXPECT_EQ(stacks.own_frame(3)->line, 58);
  EXPECT_EQ(stacks.own_frame(4)->file, "<string>") << "the author's exec()";
  EXPECT_TRUE(stacks.own_frame(6)->own) << "python -c";
}

model::CallSite native(std::int64_t id, std::int64_t caller, std::string symbol) {
  model::CallSite site;
  site.id = model::CallSiteId{id};
  site.process_id = model::ProcessId{1};
  if (caller != 0) site.caller_id = model::CallSiteId{caller};
  site.module = "/home/me/program";
  site.symbol = std::move(symbol);
  return site;
}

TEST(CallStacks, EndAtTheAuthorsLaunchAndBeginAtMain) {
  const std::vector<model::CallSite> sites{native(1, 0, "_start"),
                                           native(2, 1, "main"),
                                           native(3, 2, "_Z4stepPf"),
                                           native(4, 3, "_Z4movePfi"),
                                           native(5, 4, "_Z24__device_stub__Z4movePfiPfi"),
                                           native(6, 5, "cudaLaunchKernel"),
                                           native(7, 6, "libcudart_static_0123abc")};
  const auto rows = call_site_rows(sites, {});
  EXPECT_EQ(CallStacks(rows).text(7), "main (program) > step (program)");
}

// As nvcc of CUDA 13.0 makes them: where the host's code is not optimised, where it is, and what debug
// information calls them.
TEST(CallStacks, OfATemplatesLaunchEndAtTheLaunchToo) {
  const std::vector<std::vector<const char*>> launches{
      {"_ZN3libL4kernIfLi2EEEvPT_", "_ZN3libL27__wrapper__device_stub_kernIfLi2EEEvRPT_",
       "_ZL38__device_stub__ZN3lib4kernIfLi2EEEvPT_Pf",
       "_ZL25__cudaLaunchKernel_helperP9CUkern_st4dim3S1_PPvmP11CUstream_st"},
      {"_ZN3libL4kernIfLi2EEEvPT_", "_ZL38__device_stub__ZN3lib4kernIfLi2EEEvPT_Pf"},
      {"lib::kern<float, 2>", "lib::__wrapper__device_stub_kern<float, 2>"},
      {"lib::kern<long unsigned int>", "_ZL36__device_stub__ZN3lib4kernImEEvPT_Pm"},
      {"lib::_GLOBAL__N__a20b6033_5_ns_cu::anon<float>",
       "__device_stub__ZN3lib37_GLOBAL__N__a20b6033_5_ns_cu_f03cb5294anonIfEEvPT_"}};
  for (const auto& launch : launches) {
    std::vector<model::CallSite> sites{native(1, 0, "main"), native(2, 1, "_ZN3lib2goEPf")};
    for (const char* symbol : launch)
      sites.push_back(native(std::ssize(sites) + 1, std::ssize(sites), symbol));
    sites.push_back(native(std::ssize(sites) + 1, std::ssize(sites), "cudaLaunchKernel"));
    const auto rows = call_site_rows(sites, {});
    EXPECT_EQ(CallStacks(rows).text(std::ssize(sites)), "main (program) > lib::go (program)") << launch[0];
  }
}

// Without debug information no file says where they come from.
TEST(CallStacks, TemplatesOfLibrariesAreNotTheAuthors) {
  const std::vector<model::CallSite> sites{native(1, 0, "main"), native(2, 1, "_Z4sortPi"),
                                           native(3, 2, "_ZN6thrust4sortIPiEEvT_S2_"),
                                           native(4, 3, "_ZN3cub6detail6launchEv")};
  EXPECT_EQ(CallStacks(call_site_rows(sites, {})).text(4), "main (program) > sort (program)");
  CodeOwnership ownership;
  ownership.roots = {"/home/me"};
  EXPECT_THAT(CallStacks(call_site_rows(sites, ownership)).text(4),
              ::testing::HasSubstr("cub::detail::launch"));
}

// Without debug information the kernel's own function may be a part of it.
TEST(CallStacks, AFunctionNamedAsTheKernelThatItLaunchesStays) {
  const std::vector<model::CallSite> sites{native(1, 0, "main"), native(2, 1, "_ZN3lib4kernERKSt6vectorIfE"),
                                           native(3, 2, "_ZL38__device_stub__ZN3lib4kernIfLi2EEEvPT_Pf")};
  EXPECT_EQ(CallStacks(call_site_rows(sites, {})).text(3), "main (program) > lib::kern (program)");
}

TEST(CallStacks, TimesAreAddedUpAlongTheStack) {
  auto rows = call_site_rows(training(), {});
  add_times(rows, {{5, {.kernel_ns = 100, .transfer_ns = 0, .wait_ns = 0}},
                   {3, {.kernel_ns = 10, .transfer_ns = 5, .wait_ns = 7}},
                   {99, {.kernel_ns = 1, .transfer_ns = 1, .wait_ns = 1}}});
  EXPECT_EQ(rows[4].exclusive.kernel_ns, 100);
  EXPECT_EQ(rows[2].exclusive.kernel_ns, 10);
  EXPECT_EQ(rows[2].inclusive.kernel_ns, 110);
  EXPECT_EQ(rows[0].inclusive.kernel_ns, 110);
  EXPECT_EQ(rows[0].inclusive.wait_ns, 7);
  EXPECT_EQ(rows[5].inclusive.kernel_ns, 0);
}

TEST(CallStacks, OfADamagedCaptureEnd) {
  auto sites = training();
  sites[0].caller_id = model::CallSiteId{5};
  auto rows = call_site_rows(sites, {});
  EXPECT_LE(CallStacks(rows).stack(5).size(), 256U);
  add_times(rows, {{5, {.kernel_ns = 1, .transfer_ns = 0, .wait_ns = 0}}});
}

TEST(CallStacks, ProgramsFramesAreTheirsAndLibrariesAreNot) {
  std::vector<model::CallSite> sites(3);
  for (std::size_t i = 0; i < sites.size(); ++i) {
    sites[i].id = model::CallSiteId{static_cast<std::int64_t>(i) + 1};
    sites[i].process_id = model::ProcessId{1};
    if (i > 0) sites[i].caller_id = sites[i - 1].id;
  }
  sites[0].module = "/home/me/solver";
  sites[0].symbol = "_Z4stepi";
  sites[0].file = "/home/me/solver.cu";
  sites[0].line = 44;
  sites[1].module = "/usr/local/cuda-13.0/lib64/libcublas.so.13";
  sites[2].module = "/home/me/solver";
  sites[2].file = "/usr/include/c++/12/bits/stl_algo.h";
  sites[2].line = 3;
  const auto rows = call_site_rows(sites, {});
  EXPECT_EQ(CallStacks(rows).text(3), "solver.cu:44 step()");
}

}  // namespace
}  // namespace coalescope::analysis
