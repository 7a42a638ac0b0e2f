#include "injection/recorder/call_stack.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/auxv.h>

namespace coalescope::recorder {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

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

// Which of them is the program's own is found out later, by the names that this program does not export.
TEST(CallSites, TellsModulesAndOffsets) {
  const CallStack stack = program_function();
  const auto site = CallSites().locate(stack);
  ASSERT_TRUE(site);
  EXPECT_EQ(site->module, std::filesystem::read_symlink("/proc/self/exe"));
  EXPECT_GT(site->module_offset, 0);
  EXPECT_EQ(site->symbol, std::nullopt);
  const auto line_of = [&](const void* address) {
    Dl_info info{};
    EXPECT_NE(::dladdr(address, &info), 0);
    return fmt::format("{}+{:#x} ?\n", site->module,
                       static_cast<const char*>(address) - static_cast<char*>(info.dli_fbase));
  };
  EXPECT_THAT(site->callers.value_or(""), StartsWith(line_of(in_runtime) + line_of(in_program)));
}

// The C library's functions are known to the loader, and its file is not the program's.
TEST(CallSites, TakesTheLoadersNames) {
  CallStack stack;
  stack.frames[stack.count++] = reinterpret_cast<std::uint64_t>(&::qsort) + 1;
  const auto site = CallSites().locate(stack);
  ASSERT_TRUE(site);
  EXPECT_EQ(site->symbol, "qsort");
  EXPECT_THAT(site->module, HasSubstr("/libc"));
}

// The kernel's own code has no file; nothing of the program's is taken for it.
TEST(CallSites, SaysNoFileOfTheKernelsCode) {
  const auto begin = ::getauxval(AT_SYSINFO_EHDR);
  if (begin == 0) GTEST_SKIP() << "no vdso";
  CallStack stack;
  stack.frames[stack.count++] = begin + 64;
  const auto site = CallSites().locate(stack);
  ASSERT_TRUE(site);
  EXPECT_THAT(site->module, HasSubstr("vdso"));
}

TEST(CallSites, SaysNothingOfAnEmptyStack) {
  EXPECT_FALSE(CallSites().locate(CallStack{}));
}

TEST(CallSites, SurvivesAddressesOfNobody) {
  CallStack stack;
  stack.frames = {1, 2, 0xffffffffffff0000U};
  stack.count = 3;
  EXPECT_FALSE(CallSites().locate(stack));
}

TEST(CallSites, TellsTheRuntimesLibraries) {
  EXPECT_TRUE(is_runtime_library("/usr/lib/x86_64-linux-gnu/libcuda.so.580.1"));
  EXPECT_TRUE(is_runtime_library("libcudart.so.13"));
  EXPECT_FALSE(is_runtime_library("/opt/app/libcudalike.so"));
}

}  // namespace
}  // namespace coalescope::recorder
