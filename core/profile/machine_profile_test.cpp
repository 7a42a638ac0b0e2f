#include "core/profile/machine_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coalescope::profile {
namespace {

using testing::DoubleNear;
using testing::Optional;

Curve sizes() {
  return {"GB/s", "bytes", true, {{1024, 1, {}}, {4096, 3, {}}, {65536, 10, {}}}};
}

TEST(Curve, IsStraightBetweenItsPoints) {
  const Curve words{"GB/s", "words", false, {{1, 100, {}}, {3, 50, {}}}};
  EXPECT_THAT(value_at(words, 1), Optional(100.0));
  EXPECT_THAT(value_at(words, 2), Optional(75.0));
  EXPECT_THAT(value_at(sizes(), 2048), Optional(DoubleNear(2, 1e-9))) << "halfway in the logarithm";
}

TEST(Curve, SaysNothingBeyondItsEnds) {
  EXPECT_EQ(value_at(sizes(), 1023), std::nullopt);
  EXPECT_EQ(value_at(sizes(), 65537), std::nullopt);
  EXPECT_EQ(value_at(Curve{}, 1), std::nullopt);
  EXPECT_EQ(value_near(Curve{}, 1), std::nullopt);
  EXPECT_THAT(value_near(sizes(), 1), Optional(1.0));
  EXPECT_THAT(value_near(sizes(), 1e9), Optional(10.0));
}

TEST(Profiles, TheFirstThatKnowsAFigureGivesIt) {
  MachineProfile own, shipped;
  own.figures["copy_fixed_ns"] = {2000, "ns", {}};
  shipped.origin = Origin::shipped;
  shipped.gpu_name = "A GPU";
  shipped.figures["copy_fixed_ns"] = {3000, "ns", {}};
  shipped.figures["launch_ns"] = {4000, "ns", {}};
  shipped.curves["bandwidth_over_offset"] = sizes();
  const std::vector<MachineProfile> both{own, shipped};
  EXPECT_EQ(find_figure(both, figure::kCopyFixed)->value, 2000);
  EXPECT_EQ(find_figure(both, figure::kLaunch)->value, 4000);
  EXPECT_EQ(origin_words(*find_figure(both, figure::kLaunch)->from), "measured on another A GPU");
  EXPECT_EQ(find_curve(both, curve::kOffset)->from, &both[1]);
  EXPECT_EQ(find_curve(both, curve::kStride), std::nullopt);
}

}  // namespace
}  // namespace coalescope::profile
