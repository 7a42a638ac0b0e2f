#include "core/source/library_header.h"

#include <gtest/gtest.h>

namespace coalescope::source {
namespace {

TEST(LibraryHeader, OfCudaAndTriton) {
  EXPECT_TRUE(is_library_header("/usr/local/cuda/targets/x86_64-linux/include/sm_20_atomic_functions.hpp"));
  EXPECT_TRUE(is_library_header("/usr/local/cuda-13.0/include/cccl/cub/block/block_reduce.cuh"));
  EXPECT_TRUE(is_library_header("/venv/lib/python3.12/site-packages/nvidia/cuda_cccl/include/cub/cub.cuh"));
  EXPECT_TRUE(is_library_header("/venv/lib/python3.12/site-packages/triton/language/standard.py"));
}

TEST(LibraryHeader, TheUsersOwnFilesAreNone) {
  EXPECT_FALSE(is_library_header("/home/user/cuda/stencil.cu"));
  EXPECT_FALSE(is_library_header("/home/user/stencil/include/halo.cuh"));
  EXPECT_FALSE(is_library_header("/home/user/triton/rows.py"));
  EXPECT_FALSE(is_library_header(""));
}

}  // namespace
}  // namespace coalescope::source
