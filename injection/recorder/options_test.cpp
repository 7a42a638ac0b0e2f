#include "injection/recorder/options.h"

#include <gtest/gtest.h>
#include <map>

namespace coalescope::recorder {
namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

auto read(const Variables& variables) {
  return read_options([&](std::string_view name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

TEST(RecorderOptions, WithoutADirectoryNobodyAskedForARecording) {
  const auto options = read({});
  ASSERT_TRUE(options);
  EXPECT_FALSE(*options);
}

TEST(RecorderOptions, ReadsEverySetting) {
  const auto options = read({{"COALESCOPE_DIRECTORY", "/d"},
                             {"COALESCOPE_STARTED_NS", "1700000000000000000"},
                             {"COALESCOPE_SAMPLES", "5"},
                             {"COALESCOPE_PHASES", "bytes,hits"},
                             {"COALESCOPE_BUDGET", "25%"},
                             {"COALESCOPE_EXCLUDE", "^foo"},
                             {"COALESCOPE_CUPTI_PATH", "/cupti"}});
  ASSERT_TRUE(options && *options);
  EXPECT_EQ((*options)->started_unix_ns, 1700000000000000000);
  EXPECT_EQ((*options)->samples, 5);
  EXPECT_TRUE((*options)->wants(model::Phase::bytes));
  EXPECT_FALSE((*options)->wants(model::Phase::lines));
  EXPECT_FALSE((*options)->wants(model::Phase::traffic));
  EXPECT_TRUE((*options)->wants(model::Phase::hits));
  EXPECT_DOUBLE_EQ((*options)->budget_share.value(), 0.25);
  EXPECT_EQ((*options)->exclude, "^foo");
  EXPECT_EQ((*options)->cupti_folder, "/cupti");
}

TEST(RecorderOptions, TraceAloneSwitchesAllMeasuringOff) {
  const auto options = read({{"COALESCOPE_DIRECTORY", "/d"}, {"COALESCOPE_PHASES", "trace"}});
  ASSERT_TRUE(options && *options);
  EXPECT_FALSE((*options)->measure_bytes || (*options)->measure_lines || (*options)->measure_traffic ||
               (*options)->measure_hits);
}

TEST(RecorderOptions, NoBudgetMeansNoLimit) {
  const auto options = read({{"COALESCOPE_DIRECTORY", "/d"}, {"COALESCOPE_BUDGET", "none"}});
  ASSERT_TRUE(options && *options);
  EXPECT_FALSE((*options)->budget_share);
}

TEST(RecorderOptions, WhatIsNotUnderstoodIsNamed) {
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"COALESCOPE_STARTED_NS", "soon"},
                                                        {"COALESCOPE_SAMPLES", "0"},
                                                        {"COALESCOPE_SAMPLES", "2x"},
                                                        {"COALESCOPE_PHASES", "bytes,lines,everything"},
                                                        {"COALESCOPE_BUDGET", "10"},
                                                        {"COALESCOPE_BUDGET", "-1%"}}) {
    const auto options = read({{"COALESCOPE_DIRECTORY", "/d"}, {name, value}});
    ASSERT_FALSE(options) << name << "=" << value;
    EXPECT_EQ(options.error().code, base::ErrorCode::usage);
  }
}

}  // namespace
}  // namespace coalescope::recorder
