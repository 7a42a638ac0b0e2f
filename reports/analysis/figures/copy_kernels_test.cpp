#include "reports/analysis/figures/copy_kernels.h"

#include <gtest/gtest.h>

#include "reports/analysis/figures/owners.h"

namespace coalescope::analysis {
namespace {

KernelRow of(std::string_view owner, const char* name) {
  KernelRow row;
  row.owner = owner;
  row.full_name = name;
  return row;
}

TEST(CopyKernels, StoreWhatTheyLoad) {
  EXPECT_TRUE(copies_elements(of(kTorch, "at::native::elementwise_kernel<direct_copy_kernel_cuda(X)>(int)")));
  EXPECT_TRUE(copies_elements(of(kCupy, "cupy_copy__float32_float32")));
  EXPECT_FALSE(copies_elements(of(kTorch, "at::native::vectorized_elementwise_kernel<4, Add>(int)")));
  EXPECT_FALSE(copies_elements(of("", "direct_copy_kernel_cuda(float*)"))) << "the author's own";
}

TEST(CopyKernels, SomeConvert) {
  EXPECT_TRUE(converts_type(of(kTorch, "at::native::elementwise_kernel<bfloat16_copy_kernel_cuda(X)>(int)")));
  EXPECT_TRUE(converts_type(of(kTorch, "at::native::unrolled<direct_copy_kernel_cuda, LoadWithCast<1> >()")));
  EXPECT_FALSE(converts_type(of(kTorch, "at::native::elementwise_kernel<direct_copy_kernel_cuda(X)>(int)")));
  EXPECT_FALSE(converts_type(of(kTorch, "at::native::unrolled<Add, LoadWithCast<1> >()"))) << "it adds";
  EXPECT_TRUE(converts_type(of(kCupy, "cupy_copy__float32_float64")));
  EXPECT_FALSE(converts_type(of(kCupy, "cupy_copy__complex64_complex64")));
}

}  // namespace
}  // namespace coalescope::analysis
