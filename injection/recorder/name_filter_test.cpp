#include "injection/recorder/name_filter.h"

#include <gtest/gtest.h>

namespace coalescope::recorder {
namespace {

TEST(NameFilter, KernelsThatWaitForPeersAreAlwaysSkipped) {
  const auto filter = NameFilter::compile("");
  ASSERT_TRUE(filter);
  EXPECT_TRUE(filter->skips("_Z23ncclDevKernel_AllReducePv"));
  EXPECT_TRUE(filter->skips("nvshmemi_barrier"));
  EXPECT_FALSE(filter->skips("_Z6kernelPf"));
}

TEST(NameFilter, TheUsersExpressionIsAdded) {
  const auto filter = NameFilter::compile("^_Z[0-9]+(spin|wait)");
  ASSERT_TRUE(filter);
  EXPECT_TRUE(filter->skips("_Z4spinPi"));
  EXPECT_FALSE(filter->skips("_Z6kernelPf"));
  EXPECT_TRUE(filter->skips("ncclKernel"));
}

TEST(NameFilter, AVeryLongNameIsNoDanger) {
  const auto filter = NameFilter::compile("(a|b)*c$");
  ASSERT_TRUE(filter);
  EXPECT_FALSE(filter->skips(std::string(20'000, 'x')));
}

TEST(NameFilter, AWrongExpressionIsNamed) {
  const auto filter = NameFilter::compile("(unclosed");
  ASSERT_FALSE(filter);
  EXPECT_NE(filter.error().message.find("(unclosed"), std::string::npos);
}

}  // namespace
}  // namespace coalescope::recorder
