#include "injection/resolve/call_sites.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/capture/captures_test.h"
#include "core/capture/reader.h"
#include "core/capture/writer.h"
#include "injection/recorder/call_stack.h"

namespace coalescope::resolve {

// Outside of the anonymous namespace, so that they have the names that a linked-in runtime would have.
extern "C" __attribute__((noinline)) void cudaFakeAllocate(recorder::CallStack* stack) {
  *stack = recorder::take_call_stack();
  asm volatile("" ::: "memory");  // no tail call: the frame must be there
}
__attribute__((noinline)) recorder::CallStack program_function() {
  recorder::CallStack stack;
  cudaFakeAllocate(&stack);
  asm volatile("" ::: "memory");
  return stack;
}
__attribute__((noinline)) recorder::CallStack caller_of_program_function() {
  recorder::CallStack stack = program_function();
  asm volatile("" ::: "memory");
  return stack;
}

namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class CallSitesTest : public ::testing::Test {
 protected:
  model::CallSite named(model::CallSite site) {
    site.id = model::CallSiteId{1};
    site.process_id = model::ProcessId{1};
    const std::string part = folder_.file(std::to_string(++parts_) + ".part.coal");
    auto writer = capture::Writer::create(part);
    EXPECT_TRUE(writer);
    EXPECT_TRUE(writer->insert(model::Capture{}));
    EXPECT_TRUE(writer->insert(model::Process{.id = {1}, .pid = 1}));
    EXPECT_TRUE(writer->insert(site));
    EXPECT_TRUE(writer->commit());
    EXPECT_TRUE(name_call_sites(part));
    auto reader = capture::Reader::open(part);
    return reader->rows<model::CallSite>().value().at(0);
  }
  static model::CallSite recorded() {
    return recorder::CallSites().locate(caller_of_program_function()).value();
  }

  capture::TemporaryFolder folder_;
  int parts_ = 0;
};

// What the recorder sends of this program, which exports nothing; its innermost call is named like the
// runtime's.
TEST_F(CallSitesTest, FindsTheProgramsOwnCall) {
  const model::CallSite before = recorded();
  ASSERT_EQ(before.symbol, std::nullopt);
  const model::CallSite site = named(before);
  EXPECT_THAT(site.symbol.value_or(""), HasSubstr("program_function"));
  EXPECT_EQ(site.module, std::filesystem::read_symlink("/proc/self/exe"));
  EXPECT_NE(site.module_offset, before.module_offset);
  const std::string callers = site.callers.value_or("");
  EXPECT_THAT(callers.substr(0, callers.find('\n')), HasSubstr("caller_of_program_function"));
  EXPECT_LE(std::ranges::count(callers, '\n'), 5);
}

TEST_F(CallSitesTest, DoneAgainItChangesNothing) {
  const model::CallSite once = named(recorded());
  const model::CallSite again = named(once);
  EXPECT_EQ(once.symbol, again.symbol);
  EXPECT_EQ(once.module_offset, again.module_offset);
  EXPECT_EQ(once.callers, again.callers);
}

// Modules that were deleted meanwhile, code that was made while the program ran, paths that hold anything.
TEST_F(CallSitesTest, WhatIsNotFoundStaysAsItWas) {
  model::CallSite site;
  site.module = "/does/not/exist.so";
  site.module_offset = 0x1234;
  site.symbol = "_Z4ownsv";
  site.callers =
      "/does/not/a b+0x1 c.so+0x10 ?\nlinux-vdso.so.1+0x20 __vdso_time\nno call at all\n"
      "/does/not/exist.so+0x30 _Z5outerv /src/outer.cpp:12";
  const model::CallSite same = named(site);
  EXPECT_EQ(same.module, site.module);
  EXPECT_EQ(same.module_offset, site.module_offset);
  EXPECT_EQ(same.symbol, site.symbol);
  EXPECT_EQ(same.callers, site.callers);
}

TEST_F(CallSitesTest, WithoutNamesTheInnermostCallCounts) {
  model::CallSite site;
  site.module = "/does/not/exist.so";
  site.module_offset = 0x1234;
  site.callers = "/does/not/exist.so+0x30 ?";
  EXPECT_EQ(named(site).module_offset, 0x1234);
  // A nameless call between two of the runtime is the runtime's.
  site.callers = "/usr/lib/libcudart.so.13+0x10 cudaMalloc\n/does/not/exist.so+0x30 ?";
  EXPECT_EQ(named(site).module_offset, 0x30);
  EXPECT_EQ(named(site).callers, std::nullopt);
}

// Whatever else is called like the runtime further out, the innermost function with another name is meant.
TEST_F(CallSitesTest, ANamedFunctionEndsTheRuntime) {
  model::CallSite site;
  site.module = "/does/not/exist";
  site.module_offset = 1;
  site.callers = "/does/not/exist+0x2 cudaMalloc\n/does/not/exist+0x3 mine\n/does/not/exist+0x4 cudaMine";
  const model::CallSite found = named(site);
  EXPECT_EQ(found.symbol, "mine");
  EXPECT_EQ(found.callers, "/does/not/exist+0x4 cudaMine");
}

TEST_F(CallSitesTest, SaysThePlaceOfEachCaller) {
  const std::string program = std::string(COALESCOPE_PLACES_PROGRAMS) + "/dwarf5/program";
  std::FILE* pipe = ::popen(("'" + program + "'").c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  unsigned long inlined = 0;
  EXPECT_EQ(std::fscanf(pipe, "inlined %lx", &inlined), 1);
  ::pclose(pipe);
  model::CallSite site;
  site.module = "/does/not/exist";
  site.symbol = "mine";
  site.callers = fmt::format("{}+{:#x} ?", program, inlined + 1);
  EXPECT_THAT(named(site).callers.value_or(""),
              MatchesRegex(".*/program\\+0x[0-9a-f]+ _ZN6places9outermostEv .*/places_program.cpp:[0-9]+"));
}

TEST(RuntimeFunctions, AreKnownByTheirNames) {
  for (const char* name : {"cudaMalloc", "__cudaPushCallConfiguration", "libcudart_static_0123abc",
                           "_ZL10cudaMallocIfE9cudaErrorPPT_m"})
    EXPECT_TRUE(is_runtime_function(name)) << name;
  for (const char* name : {"main", "_ZN4cuda5allocEv", "_Z8allocatem", "my_cudaMalloc", "_Z", "_Z99"})
    EXPECT_FALSE(is_runtime_function(name)) << name;
}

}  // namespace
}  // namespace coalescope::resolve
