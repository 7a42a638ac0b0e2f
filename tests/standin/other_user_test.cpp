// Programs that profile themselves through CUPTI: their profiler gets what it gets without us, and the
// capture holds what came before.

#include <gtest/gtest.h>

#include "tests/standin/harness_test.h"

namespace standin {
namespace {

TEST(OtherUser, GetsEveryKernelAndThePlace) {
  const auto recorded = record(R"(
kernel strided global_load_bytes=12800
launch strided times=40
sync
profile {
  launch strided times=20
  sync
}
launch strided times=5
)");
  expect_unharmed(recorded);
  EXPECT_NE(recorded.alone.out.find("the profiler saw 20 kernels"), std::string::npos) << recorded.alone.out;
  EXPECT_NE(recorded.alone.out.find("subscribed: 0"), std::string::npos) << recorded.alone.out;
  EXPECT_TRUE(recorded.says("cupti_in_use")) << recorded.diagnostics_text();
  EXPECT_GE(recorded.launches_of("strided"), 40);
  EXPECT_GT(recorded.measured("strided", coalescope::model::Phase::bytes), 0);
}

TEST(OtherUser, MayComeWhileAWindowIsOpen) {
  for (int launches = 1; launches < 12; ++launches) {
    const auto recorded =
        record("kernel k global_load_bytes=128\nlaunch k times=" + std::to_string(launches) +
               "\nprofile {\n  launch k times=3\n  sync\n}\n");
    expect_unharmed(recorded);
    EXPECT_NE(recorded.under.out.find("the profiler saw 3 kernels"), std::string::npos) << recorded.under.out;
    EXPECT_EQ(recorded.launches_of("k"), launches) << recorded.diagnostics_text();
  }
}

TEST(OtherUser, MayComeBeforeCudaDoes) {
  const auto recorded = record(R"(
kernel k
profile {
  launch k times=7
  sync
}
)");
  expect_unharmed(recorded);
  EXPECT_NE(recorded.under.out.find("the profiler saw 7 kernels"), std::string::npos) << recorded.under.out;
  EXPECT_TRUE(recorded.says("used CUPTI itself before it used CUDA")) << recorded.diagnostics_text();
}

}  // namespace
}  // namespace standin
