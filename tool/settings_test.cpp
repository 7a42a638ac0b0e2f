#include "tool/settings.h"

#include <gtest/gtest.h>

#include "core/model/options.h"

namespace coalescope::tool {
namespace {

namespace option = model::option;

bool accepted(std::string_view variable, const std::string& value) {
  return check({{variable, value}}).has_value();
}

TEST(Settings, TakeWhatTheLibraryUnderstands) {
  EXPECT_TRUE(accepted(option::kSamples, "3"));
  EXPECT_TRUE(accepted(option::kPhases, "bytes"));
  EXPECT_TRUE(accepted(option::kPhases, "trace,bytes,lines,traffic,hits"));
  EXPECT_TRUE(accepted(option::kBudget, "7.5%"));
  EXPECT_TRUE(accepted(option::kBudget, "none"));
  EXPECT_TRUE(accepted(option::kExclude, "^nccl"));
  EXPECT_TRUE(accepted(option::kPhases, "lines"));
  EXPECT_TRUE(accepted(option::kPhases, "counters,lines"));
  EXPECT_TRUE(accepted(option::kBudget, "2s"));
  EXPECT_TRUE(accepted(option::kReplay, "kernel"));
  EXPECT_TRUE(accepted(option::kKernel, "copy|scale"));
  EXPECT_TRUE(accepted(option::kSkip, "0"));
  EXPECT_TRUE(accepted(option::kAfter, "30s"));
  EXPECT_TRUE(accepted(option::kFor, "500ms"));
  EXPECT_TRUE(accepted(option::kRange, "step@train"));
  EXPECT_TRUE(accepted(option::kFromStart, "off"));
  EXPECT_TRUE(accepted(option::kTrace, "all"));
  EXPECT_TRUE(accepted(option::kTrace, "5000"));
}

TEST(Settings, RefuseTheRestBeforeTheTargetStarts) {
  for (const char* value : {"", "0", "-1", "three", "3 "})
    EXPECT_FALSE(accepted(option::kSamples, value)) << value;
  for (const char* value : {"", "byte", "bytes,", ",bytes", "replay"})
    EXPECT_FALSE(accepted(option::kPhases, value)) << value;
  for (const char* value : {"", "10", "%", "-1%", "10%%"})
    EXPECT_FALSE(accepted(option::kBudget, value)) << value;
  for (const auto variable : {option::kExclude, option::kKernel}) EXPECT_FALSE(accepted(variable, "("));
  for (const auto variable : {option::kAfter, option::kFor})
    for (const char* value : {"", "10", "soon", "-1s"}) EXPECT_FALSE(accepted(variable, value)) << value;
  EXPECT_FALSE(accepted(option::kSkip, "-1"));
  EXPECT_FALSE(accepted(option::kLaunches, "0"));
  EXPECT_FALSE(accepted(option::kRange, ""));
  EXPECT_FALSE(accepted(option::kReplay, "application"));
  EXPECT_FALSE(accepted(option::kFromStart, "yes"));
  EXPECT_FALSE(accepted(option::kTrace, "0"));
  EXPECT_FALSE(accepted(option::kAllocations, "jax"));
  EXPECT_EQ(check({{option::kSamples, "0"}}).error().text(),
            "'0' is not a value for --samples; give a positive number");
}

TEST(Settings, WhatHooksPythonNeedsStacks) {
  EXPECT_TRUE(check({{option::kModules, "on"}, {option::kAllocations, "pytorch"}}));
  EXPECT_EQ(check({{option::kAllocations, "pytorch"}, {option::kStacks, "none"}}).error().text(),
            "--allocations needs stacks; leave --stacks none out");
  EXPECT_TRUE(check({{option::kModules, "on"}, {option::kStacks, "python"}}));
  const auto refused = check({{option::kModules, "on"}, {option::kStacks, "none"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text(), "--modules needs stacks; leave --stacks none out");
}

TEST(Settings, AreStoredWhereverTheyCameFrom) {
  const std::vector<std::string> environment{"HOME=/", "COALESCOPE_SAMPLES=5", "COALESCOPE_DIRECTORY=/x"};
  EXPECT_EQ(settings_json(environment), R"({"COALESCOPE_SAMPLES":"5"})");
}

}  // namespace
}  // namespace coalescope::tool
