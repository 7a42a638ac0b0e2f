#include "core/model/call_site.h"

#include <gtest/gtest.h>

namespace coalescope::model {
namespace {

TEST(RuntimeFunctions, AreKnownByTheirNames) {
  for (const char* name : {"cudaMalloc", "__cudaPushCallConfiguration", "libcudart_static_0123abc",
                           "_ZL10cudaMallocIfE9cudaErrorPPT_m", "_Z24__device_stub__Z4movePfiPfi",
                           "_ZL25__cudaLaunchKernel_helperP9CUkern_st4dim3S1_PPvmP11CUstream_st",
                           "_Z27__wrapper__device_stub_moveIfEvRPT_RPKS0_",
                           "_ZN3libL27__wrapper__device_stub_kernIfLi2EEEvRPT_"})
    EXPECT_TRUE(is_runtime_function(name)) << name;
  for (const char* name : {"main", "_ZN4cuda5allocEv", "_Z8allocatem", "my_cudaMalloc", "_Z", "_Z99"})
    EXPECT_FALSE(is_runtime_function(name)) << name;
}

TEST(StartupFunctions, AreThoseThatCallMain) {
  for (const char* name : {"_start", "__libc_start_main", "__libc_start_call_main"})
    EXPECT_TRUE(is_startup_function(name)) << name;
  for (const char* name : {"", "main", "_start_", "start"}) EXPECT_FALSE(is_startup_function(name)) << name;
}

TEST(Stubs, AreOfOneKernel) {
  EXPECT_TRUE(is_launched_by_stub("_Z4movePfi", "_Z24__device_stub__Z4movePfiPfi"));
  EXPECT_TRUE(is_launched_by_stub("_ZN1n4moveEPfi", "_ZL29__device_stub__ZN1n4moveEPfiPfi"));
  EXPECT_FALSE(is_launched_by_stub("_Z4stepPfi", "_Z24__device_stub__Z4movePfiPfi"));
  EXPECT_FALSE(is_launched_by_stub("main", "_Z24__device_stub__Z4movePfiPfi"));
  EXPECT_FALSE(is_launched_by_stub("_Z4movePfi", "cudaLaunchKernel"));
  EXPECT_FALSE(is_launched_by_stub("", "_Z24__device_stub__Z4movePfiPfi"));
  EXPECT_FALSE(is_launched_by_stub("_Z4movePfi", ""));
}

// As nvcc of CUDA 13.0 names them.
TEST(Stubs, OfTemplatesHaveAnotherBetween) {
  const char* const kernel = "_ZN3libL4kernIfLi2EEEvPT_";
  EXPECT_TRUE(is_launched_by_stub(kernel, "_ZL38__device_stub__ZN3lib4kernIfLi2EEEvPT_Pf"));
  EXPECT_FALSE(
      is_launched_by_stub("_ZN5otherL4kernIfLi2EEEvPT_", "_ZL38__device_stub__ZN3lib4kernIfLi2EEEvPT_Pf"));
  EXPECT_EQ(kernel_of_stub("_ZL38__device_stub__ZN3lib4kernIfLi2EEEvPT_Pf"), "_ZN3lib4kernIfLi2EEEvPT_Pf");
  EXPECT_EQ(kernel_of_stub("lib::__wrapper__device_stub_kern<float, 2>"), "lib::kern<float, 2>");
  for (const char* other :
       {"", "main", "_ZN3libL27__wrapper__device_stub_kernIfLi2EEEvRPT_", "__device_stub_"})
    EXPECT_EQ(kernel_of_stub(other), "") << other;
}

TEST(RuntimeLibraries, AreKnownByTheirFiles) {
  EXPECT_TRUE(is_runtime_library("/usr/lib/x86_64-linux-gnu/libcuda.so.580.1"));
  EXPECT_TRUE(is_runtime_library("libcudart.so.13"));
  EXPECT_FALSE(is_runtime_library("/opt/app/libcudalike.so"));
}

}  // namespace
}  // namespace coalescope::model
