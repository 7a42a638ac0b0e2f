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

TEST(OtherUser, GivesThePlaceBack) {
  const auto recorded = record(R"(
kernel strided global_load_bytes=12800
launch strided times=10
sync
repeat 2 {
  profile {
    launch strided times=20
    sync
  }
  sleep ms=1000
  launch strided times=30
  copy to_device bytes=4096
  sync
  sleep ms=100
}
)");
  expect_unharmed(recorded);
  EXPECT_NE(recorded.under.out.find("the profiler saw 40 kernels"), std::string::npos) << recorded.under.out;
  EXPECT_TRUE(recorded.says("cupti_given_back")) << recorded.diagnostics_text();
  EXPECT_EQ(recorded.launches_of("strided"), 70) << recorded.diagnostics_text();
  // What was not recorded is no time in which nothing happened, and what was has its place in the run.
  const auto& gaps = recorded.rows.trace_gaps;
  ASSERT_EQ(gaps.size(), 2U);
  std::int64_t after = 0;
  for (const auto& launch : recorded.rows.launches) {
    if (!launch.start_ns) continue;
    EXPECT_GE(*launch.start_ns, 0);
    EXPECT_LT(*launch.start_ns, 60'000'000'000);
    after += *launch.start_ns > *gaps.front().ended_ns ? 1 : 0;
  }
  EXPECT_EQ(after, 60);
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
