// What CUPTI's host library says of our metrics, which needs its library but neither GPU nor driver: each
// chip that we name knows them, and counts each phase in one pass.
#include "injection/cupti/range_config.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace coalescope::cupti {
namespace {

class RangeConfigTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    api_ = load_cupti(clues_of_process());
    if (!api_) GTEST_SKIP() << api_.error().text();
  }
  [[nodiscard]] static bool has(const RangeConfig& config, model::MetricId metric) {
    return std::ranges::any_of(config.passes, [metric](const RangePass& pass) {
      return std::ranges::find(pass.metrics, metric) != pass.metrics.end();
    });
  }

  base::Result<CuptiApi> api_;
};

TEST_P(RangeConfigTest, EachPhaseTakesOnePass) {
  for (const auto phase : {model::Phase::bytes, model::Phase::traffic, model::Phase::hits}) {
    const auto config = build_range_config(*api_, GetParam(), {phase});
    ASSERT_TRUE(config) << model::name_of(phase) << ": " << config.error().text();
    EXPECT_EQ(config->passes.size(), 1U) << model::name_of(phase);
  }
}

TEST_P(RangeConfigTest, AsynchronousCopiesAreCountedWhereTheChipHasThem) {
  const std::string chip = GetParam();
  const auto config = build_range_config(*api_, chip, {model::Phase::bytes});
  ASSERT_TRUE(config) << config.error().text();
  const bool has_tma = chip != "GA100" && chip != "AD102";
  EXPECT_TRUE(has(*config, model::MetricId::async_copy_bytes));
  EXPECT_TRUE(has(*config, model::MetricId::async_copy_sectors));
  EXPECT_TRUE(has(*config, model::MetricId::async_copy_requests));
  EXPECT_EQ(has(*config, model::MetricId::tma_instructions), has_tma);
}

TEST_P(RangeConfigTest, ReplayCountsConstantLoadsToo) {
  const auto config = build_replay_config(*api_, GetParam(),
                                          {model::Phase::bytes, model::Phase::traffic, model::Phase::hits});
  ASSERT_TRUE(config) << config.error().text();
  EXPECT_TRUE(has(*config, model::MetricId::global_load_bytes));
  EXPECT_TRUE(has(*config, model::MetricId::l2_hit_sectors));
  EXPECT_TRUE(has(*config, model::MetricId::constant_divergent_loads));
  EXPECT_TRUE(has(*config, model::MetricId::constant_replays));
}

INSTANTIATE_TEST_SUITE_P(Chips, RangeConfigTest,
                         ::testing::Values("GA100", "AD102", "GH100", "GB100", "GB202"),
                         [](const auto& chip) { return std::string(chip.param); });

}  // namespace
}  // namespace coalescope::cupti
