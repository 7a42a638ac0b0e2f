#include "injection/cupti/array_bytes.h"

#include <gtest/gtest.h>

namespace coalescope::cupti {
namespace {

TEST(ArrayBytes, AreThoseOfItsElements) {
  EXPECT_EQ(array_bytes(CUDA_ARRAY_DESCRIPTOR{640, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1}), 640);
  EXPECT_EQ(array_bytes(CUDA_ARRAY_DESCRIPTOR{640, 480, CU_AD_FORMAT_FLOAT, 4}), 640 * 480 * 16);
  EXPECT_EQ(array_bytes(CUDA_ARRAY3D_DESCRIPTOR{8, 4, 2, CU_AD_FORMAT_HALF, 2, 0}), 8 * 4 * 2 * 4);
}

TEST(ArrayBytes, AreUnknownOfCompressedFormats) {
  EXPECT_EQ(array_bytes(CUDA_ARRAY_DESCRIPTOR{64, 64, CU_AD_FORMAT_BC1_UNORM, 4}), std::nullopt);
}

}  // namespace
}  // namespace coalescope::cupti
