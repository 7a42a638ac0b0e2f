#include "injection/recorder/call_stack.h"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ring/function_names.h"

namespace coalescope::recorder {
namespace {

using ::testing::HasSubstr;

}  // namespace

const void* in_runtime = nullptr;  // where the calls return to
const void* in_program = nullptr;

// Outside of the anonymous namespace, so that they have the names that a linked-in runtime would have.
__attribute__((noinline)) CallStack inner_of_runtime() {
  in_runtime = __builtin_return_address(0);
  CallStack stack = take_call_stack();
  asm volatile("" ::: "memory");  // no tail call: the frame must be there
  return stack;
}
extern "C" __attribute__((noinline)) void cudaFakeAllocate(CallStack* stack) {
  in_program = __builtin_return_address(0);
  *stack = inner_of_runtime();
  asm volatile("" ::: "memory");
}
__attribute__((noinline)) CallStack program_function() {
  CallStack stack;
  cudaFakeAllocate(&stack);
  asm volatile("" ::: "memory");
  return stack;
}

namespace {

TEST(CallStack, HoldsTheCallsInnermostFirst) {
  const CallStack stack = program_function();
  const auto place_of = [&](const void* address) {
    return std::ranges::find(stack.frames, reinterpret_cast<std::uint64_t>(address)) - stack.frames.begin();
  };
  ASSERT_LT(place_of(in_program), std::ssize(stack.frames)) << "not among the frames";
  EXPECT_EQ(place_of(in_runtime) + 1, place_of(in_program));
}

// This program is not exporting its functions: their names come from its own symbol table.
TEST(CallSites, NamesTheProgramsFunction) {
  CallStack stack = program_function();
  // Without the function inside of the fake runtime, which has a name of its own here.
  CallStack from_runtime;
  from_runtime.count = stack.count - 1;
  std::copy(stack.frames.begin() + 1, stack.frames.end(), from_runtime.frames.begin());
  CallSites sites(ring::find_function);
  const auto site = sites.resolve(from_runtime);
  ASSERT_TRUE(site);
  EXPECT_THAT(site->symbol.value_or(""), HasSubstr("program_function"));
  EXPECT_THAT(site->module, HasSubstr("recorder_test"));
  EXPECT_GT(site->module_offset, 0);
  EXPECT_THAT(site->callers.value_or(""), HasSubstr("NamesTheProgramsFunction"));
}

// Whatever else is called like the runtime further out, the innermost function with another name is meant.
TEST(CallSites, ANamedFunctionEndsTheRuntime) {
  CallSites sites(ring::find_function);
  const auto site = sites.resolve(program_function());
  ASSERT_TRUE(site);
  EXPECT_THAT(site->symbol.value_or(""), HasSubstr("inner_of_runtime"));
}

TEST(CallSites, SaysNothingOfAnEmptyStack) {
  EXPECT_FALSE(CallSites(ring::find_function).resolve(CallStack{}));
}

TEST(CallSites, SurvivesAddressesOfNobody) {
  CallStack stack;
  stack.frames = {1, 2, 0xffffffffffff0000U};
  stack.count = 3;
  EXPECT_FALSE(CallSites(ring::find_function).resolve(stack));
}

TEST(CallSites, TellsTheRuntimesFunctionsByTheirNames) {
  for (const char* name : {"cudaMalloc", "__cudaPushCallConfiguration", "libcudart_static_0123abc",
                           "_ZL10cudaMallocIfE9cudaErrorPPT_m"})
    EXPECT_TRUE(is_runtime_function(name)) << name;
  for (const char* name : {"main", "_ZN4cuda5allocEv", "_Z8allocatem", "my_cudaMalloc", "_Z", "_Z99"})
    EXPECT_FALSE(is_runtime_function(name)) << name;
}

TEST(CallSites, TellsTheRuntimesLibraries) {
  EXPECT_TRUE(is_runtime_library("/usr/lib/x86_64-linux-gnu/libcuda.so.580.1"));
  EXPECT_TRUE(is_runtime_library("libcudart.so.13"));
  EXPECT_FALSE(is_runtime_library("/opt/app/libcudalike.so"));
}

}  // namespace
}  // namespace coalescope::recorder
