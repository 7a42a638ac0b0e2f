#include "core/model/call_site.h"

#include <gtest/gtest.h>

namespace coalescope::model {
namespace {

TEST(RuntimeFunctions, AreKnownByTheirNames) {
  for (const char* name : {"cudaMalloc", "__cudaPushCallConfiguration", "libcudart_static_0123abc",
                           "_ZL10cudaMallocIfE9cudaErrorPPT_m"})
    EXPECT_TRUE(is_runtime_function(name)) << name;
  for (const char* name : {"main", "_ZN4cuda5allocEv", "_Z8allocatem", "my_cudaMalloc", "_Z", "_Z99"})
    EXPECT_FALSE(is_runtime_function(name)) << name;
}

TEST(RuntimeLibraries, AreKnownByTheirFiles) {
  EXPECT_TRUE(is_runtime_library("/usr/lib/x86_64-linux-gnu/libcuda.so.580.1"));
  EXPECT_TRUE(is_runtime_library("libcudart.so.13"));
  EXPECT_FALSE(is_runtime_library("/opt/app/libcudalike.so"));
}

}  // namespace
}  // namespace coalescope::model
