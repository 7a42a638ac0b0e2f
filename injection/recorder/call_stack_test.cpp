#include "injection/recorder/call_stack.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <gmock/gmock.h>
#include <gnu/libc-version.h>
#include <gtest/gtest.h>
#include <span>
#include <sys/auxv.h>

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

// Which of them is the program's own is found out later, by the names that this program does not export.
TEST(FrameFinder, TellsModulesAndOffsets) {
  const auto frames = FrameFinder().locate(program_function());
  const auto offset_of = [](const void* address) {
    Dl_info info{};
    EXPECT_NE(::dladdr(address, &info), 0);
    return static_cast<const char*>(address) - static_cast<char*>(info.dli_fbase);
  };
  ASSERT_GE(frames.size(), 3U);
  for (const auto& frame : std::span(frames).first(3)) {
    EXPECT_EQ(frame.module, std::filesystem::read_symlink("/proc/self/exe"));
    EXPECT_EQ(frame.symbol, std::nullopt);
  }
  EXPECT_EQ(frames[1].offset, offset_of(in_runtime));
  EXPECT_EQ(frames[2].offset, offset_of(in_program));
}

// The C library's functions are known to the loader, and its file is not the program's.
TEST(FrameFinder, TakesTheLoadersNames) {
  CallStack stack;
  stack.frames[stack.count++] = reinterpret_cast<std::uint64_t>(&::gnu_get_libc_version) + 1;
  const auto frames = FrameFinder().locate(stack);
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].symbol, "gnu_get_libc_version");
  EXPECT_THAT(frames[0].module, HasSubstr("/libc"));
}

// The kernel's own code has no file; nothing of the program's is taken for it.
TEST(FrameFinder, SaysNoFileOfTheKernelsCode) {
  const auto begin = ::getauxval(AT_SYSINFO_EHDR);
  if (begin == 0) GTEST_SKIP() << "no vdso";
  CallStack stack;
  stack.frames[stack.count++] = begin + 64;
  const auto frames = FrameFinder().locate(stack);
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_THAT(frames[0].module, HasSubstr("vdso"));
}

TEST(FrameFinder, SurvivesAddressesOfNobody) {
  CallStack stack;
  EXPECT_TRUE(FrameFinder().locate(stack).empty());
  stack.frames = {1, 2, 0xffffffffffff0000U};
  stack.count = 3;
  EXPECT_TRUE(FrameFinder().locate(stack).empty());
}

}  // namespace
}  // namespace coalescope::recorder
