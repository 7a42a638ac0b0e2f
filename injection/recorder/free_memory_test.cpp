#include "injection/recorder/free_memory.h"

#include <gtest/gtest.h>

namespace coalescope::recorder {
namespace {

constexpr std::int64_t kGib = std::int64_t{1} << 30;
constexpr model::DeviceId kOneGpu{1}, kOtherGpu{2};

class FreeMemoryTest : public testing::Test {
 protected:
  std::optional<std::int64_t> before(std::int64_t bytes, std::optional<model::DeviceId> device = kOneGpu) {
    return memory_.before(bytes, device, now_ns_, [this] {
      ++asked_;
      return free_;
    });
  }

  FreeMemory memory_;
  std::optional<std::int64_t> free_ = 10 * kGib;
  std::int64_t now_ns_ = 1'000'000'000;
  int asked_ = 0;
};

TEST_F(FreeMemoryTest, WhereThereIsPlentyTheDriverIsAskedOnce) {
  EXPECT_EQ(before(kGib), 10 * kGib);
  EXPECT_EQ(before(kGib), 9 * kGib) << "less what was asked for since";
  EXPECT_EQ(before(kGib), 8 * kGib);
  EXPECT_EQ(asked_, 1);
}

TEST_F(FreeMemoryTest, NearTheEndItIsAskedEachTime) {
  (void)before(5 * kGib);
  free_ = 5 * kGib;
  EXPECT_EQ(before(2 * kGib), 5 * kGib);
  free_ = 3 * kGib;
  EXPECT_EQ(before(1), 3 * kGib);
  EXPECT_EQ(asked_, 3);
}

TEST_F(FreeMemoryTest, AnAnswerHoldsForATenthOfASecond) {
  (void)before(1);
  now_ns_ += 100'000'000;
  free_ = 7 * kGib;
  EXPECT_EQ(before(1), 7 * kGib);
}

TEST_F(FreeMemoryTest, DevicesHaveTheirOwn) {
  (void)before(1);
  free_ = kGib;
  EXPECT_EQ(before(1, kOtherGpu), kGib);
  EXPECT_EQ(before(1, std::nullopt), kGib) << "not known which";
  EXPECT_EQ(asked_, 3);
}

TEST_F(FreeMemoryTest, WhatIsNotToldIsNotRemembered) {
  free_ = std::nullopt;
  EXPECT_EQ(before(1), std::nullopt);
  free_ = 10 * kGib;
  EXPECT_EQ(before(1), 10 * kGib);
}

}  // namespace
}  // namespace coalescope::recorder
