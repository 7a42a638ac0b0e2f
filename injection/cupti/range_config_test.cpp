// What CUPTI's host library says of our metrics, which needs its library but neither GPU nor driver: each
// chip that it knows has each metric, or a gap that core/model/metric_gaps.h explains, and counts each phase
// in one pass.
#include "injection/cupti/range_config.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "core/model/metric_gaps.h"

namespace coalescope::cupti {
namespace {

using model::Phase;

const std::vector<Phase> kAll{Phase::traffic, Phase::hits, Phase::bytes};

class RangeConfigTest : public testing::Test {
 protected:
  void SetUp() override {
    api_ = load_cupti(clues_of_process());
    if (!api_) GTEST_SKIP() << api_.error().text();
    const auto chips = supported_chips(*api_);
    ASSERT_TRUE(chips) << chips.error().text();
    for (const std::string& chip : *chips)
      if (!model::is_before_turing(chip)) chips_.push_back(chip);
  }
  [[nodiscard]] static bool has(const RangeConfig& config, model::MetricId metric) {
    return std::ranges::any_of(config.passes, [metric](const RangePass& pass) {
      return std::ranges::find(pass.metrics, metric) != pass.metrics.end();
    });
  }
  static void expect_all_or_explained(const RangeConfig& config, const std::string& chip, Phase phase) {
    for (const auto& metric : model::metric_catalogue())
      if (metric.phase == phase) {
        EXPECT_NE(has(config, metric.id), model::gap_of(metric.id, chip) != nullptr)
            << chip << ' ' << metric.key << ": it lacks it without a reason, or has it against one";
      }
  }

  base::Result<CuptiApi> api_;
  std::vector<std::string> chips_;
};

TEST_F(RangeConfigTest, FromTuringToBlackwellTheChipsAreKnown) {
  for (const char* chip : {"TU102", "TU104", "TU106", "TU116", "TU117", "GA100", "GA102", "GA104", "GA107",
                           "GA10B", "AD102", "AD107", "GH100", "GB100", "GB202"})
    EXPECT_NE(std::ranges::find(chips_, chip), chips_.end()) << chip;
}

TEST_F(RangeConfigTest, EveryChipCountsEachPhaseInOnePass) {
  for (const std::string& chip : chips_)
    for (const Phase phase : kAll) {
      const auto config = build_range_config(*api_, chip, {phase});
      ASSERT_TRUE(config) << chip << ' ' << model::name_of(phase) << ": " << config.error().text();
      EXPECT_EQ(config->cupti_passes, 1U) << chip;
      expect_all_or_explained(*config, chip, phase);
    }
}

// All phases in one configuration, which the recorder tries first. Where a release merges passes, it has one
// configuration a phase, as above.
TEST_F(RangeConfigTest, TogetherThePhasesTakeAPassEachOrAreRefused) {
  for (const std::string& chip : chips_) {
    const auto config = build_range_config(*api_, chip, kAll);
    constexpr std::uint32_t kCuda13 = 130'000;
    if (config) {
      EXPECT_EQ(config->cupti_passes, kAll.size()) << chip;
    } else {
      EXPECT_LT(api_->version, kCuda13) << chip << ": " << config.error().text();
      EXPECT_EQ(config.error().code, base::ErrorCode::unsupported) << chip;
    }
  }
}

TEST_F(RangeConfigTest, ReplayReadsAllOfALaunch) {
  for (const std::string& chip : chips_) {
    const auto config = build_replay_config(*api_, chip, kAll);
    ASSERT_TRUE(config) << chip << ": " << config.error().text();
    EXPECT_LE(config->cupti_passes, kAll.size()) << chip;
    for (const Phase phase : {Phase::traffic, Phase::hits, Phase::bytes})
      expect_all_or_explained(*config, chip, phase);
  }
}

TEST_F(RangeConfigTest, WhatStandsInForAMetricIsThere) {
  for (const model::MetricGap& gap : model::kMetricGaps) {
    if (gap.instead.empty()) continue;
    for (const std::string& chip : chips_) {
      if (!model::is_one_of_chips(gap.chips, chip)) continue;
      const auto config = build_replay_config(*api_, chip, kAll);
      ASSERT_TRUE(config) << chip;
      const auto all = model::metric_catalogue();
      const auto instead = std::ranges::find(all, gap.instead, &model::Metric::key);
      ASSERT_NE(instead, all.end()) << gap.instead;
      EXPECT_TRUE(has(*config, instead->id)) << chip << ' ' << gap.instead;
    }
  }
}

TEST_F(RangeConfigTest, AChipThatNobodyKnowsIsUnsupported) {
  const auto config = build_range_config(*api_, "XX999", {Phase::bytes});
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code, base::ErrorCode::unsupported) << config.error().text();
}

}  // namespace
}  // namespace coalescope::cupti
