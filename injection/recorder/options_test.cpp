#include "injection/recorder/options.h"

#include <gtest/gtest.h>
#include <map>

namespace coalescope::recorder {
namespace {

using model::Phase;
using Variables = std::map<std::string, std::string, std::less<>>;

auto read(const Variables& variables) {
  return read_options([&](std::string_view name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

std::vector<Phase> measured(const RecorderOptions& options) {
  std::vector<Phase> phases;
  for (const auto& entry : model::kPhaseNames)
    if (entry.value != Phase::trace && options.scheduling.enabled[index_of(entry.value)])
      phases.push_back(entry.value);
  return phases;
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
                             {"COALESCOPE_KERNEL", "bar$"},
                             {"COALESCOPE_EXCLUDE", "^foo"},
                             {"COALESCOPE_SKIP", "7"},
                             {"COALESCOPE_LAUNCHES", "9"},
                             {"COALESCOPE_AFTER", "1.5s"},
                             {"COALESCOPE_FOR", "2ms"},
                             {"COALESCOPE_RANGE", "step@train"},
                             {"COALESCOPE_FROM_START", "off"},
                             {"COALESCOPE_ALLOCATIONS", "pytorch"}});
  ASSERT_TRUE(options && *options);
  EXPECT_EQ((*options)->started_unix_ns, 1700000000000000000);
  EXPECT_EQ((*options)->scheduling.samples, 5);
  EXPECT_EQ(measured(**options), (std::vector{Phase::bytes, Phase::hits}));
  EXPECT_DOUBLE_EQ((*options)->scheduling.budget->share, 0.25);
  EXPECT_TRUE((*options)->torch_allocations);
  const Selection& selection = (*options)->selection;
  EXPECT_EQ(selection.kernel, "bar$");
  EXPECT_EQ(selection.exclude, "^foo");
  EXPECT_EQ(selection.skip, 7);
  EXPECT_EQ(selection.launches, 9);
  EXPECT_EQ(selection.after_ns, 1'500'000'000);
  EXPECT_EQ(selection.for_ns, 2'000'000);
  EXPECT_EQ(selection.range, "step@train");
  EXPECT_FALSE(selection.from_start);
}

TEST(RecorderOptions, TraceAloneSwitchesAllMeasuringOff) {
  const auto options = read({{"COALESCOPE_DIRECTORY", "/d"}, {"COALESCOPE_PHASES", "trace"}});
  ASSERT_TRUE(options && *options);
  EXPECT_TRUE(measured(**options).empty());
}

TEST(RecorderOptions, NoBudgetMeansNoLimit) {
  const auto options = read({{"COALESCOPE_DIRECTORY", "/d"}, {"COALESCOPE_BUDGET", "none"}});
  ASSERT_TRUE(options && *options);
  EXPECT_FALSE((*options)->scheduling.budget);
}

TEST(RecorderOptions, ABudgetInSecondsDoesNotGrow) {
  const auto options = read({{"COALESCOPE_DIRECTORY", "/d"}, {"COALESCOPE_BUDGET", "2s"}});
  ASSERT_TRUE(options && *options);
  EXPECT_EQ((*options)->scheduling.budget->grant_ns, 2'000'000'000);
  EXPECT_DOUBLE_EQ((*options)->scheduling.budget->share, 0);
}

TEST(RecorderOptions, ABudgetOfNothingMeasuresNothing) {
  const auto options = read({{"COALESCOPE_DIRECTORY", "/d"}, {"COALESCOPE_BUDGET", "0%"}});
  ASSERT_TRUE(options && *options);
  EXPECT_EQ((*options)->scheduling.budget->grant_ns, 0);
}

TEST(RecorderOptions, ReplayStandsForTheCountersThatAreWanted) {
  const auto options = read({{"COALESCOPE_DIRECTORY", "/d"}, {"COALESCOPE_REPLAY", "kernel"}});
  const auto lines =
      read({{"COALESCOPE_DIRECTORY", "/d"}, {"COALESCOPE_REPLAY", "kernel"}, {"COALESCOPE_PHASES", "lines"}});
  ASSERT_TRUE(options && *options && lines && *lines);
  EXPECT_EQ(measured(**options), (std::vector{Phase::lines, Phase::replay}));
  EXPECT_EQ(measured(**lines), (std::vector{Phase::lines}));
}

TEST(RecorderOptions, CountersAreAllThatIsNotLines) {
  const auto options = read({{"COALESCOPE_DIRECTORY", "/d"}, {"COALESCOPE_PHASES", "counters"}});
  ASSERT_TRUE(options && *options);
  EXPECT_EQ(measured(**options), (std::vector{Phase::bytes, Phase::traffic, Phase::hits}));
}

TEST(RecorderOptions, WhatIsNotUnderstoodIsNamed) {
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"COALESCOPE_STARTED_NS", "soon"},
                                                        {"COALESCOPE_SAMPLES", "0"},
                                                        {"COALESCOPE_SAMPLES", "2x"},
                                                        {"COALESCOPE_PHASES", "bytes,lines,everything"},
                                                        {"COALESCOPE_BUDGET", "10"},
                                                        {"COALESCOPE_BUDGET", "-1%"},
                                                        {"COALESCOPE_REPLAY", "yes"},
                                                        {"COALESCOPE_SKIP", "-1"},
                                                        {"COALESCOPE_LAUNCHES", "0"},
                                                        {"COALESCOPE_AFTER", "soon"},
                                                        {"COALESCOPE_FOR", "10"},
                                                        {"COALESCOPE_FROM_START", "maybe"}}) {
    const auto options = read({{"COALESCOPE_DIRECTORY", "/d"}, {name, value}});
    ASSERT_FALSE(options) << name << "=" << value;
    EXPECT_EQ(options.error().code, base::ErrorCode::usage);
  }
}

TEST(RecorderOptions, TheTraceIsBoundedUnlessAllIsAskedFor) {
  EXPECT_EQ((*read({{"COALESCOPE_DIRECTORY", "/x"}}))->most_listed, model::kMostListed);
  EXPECT_EQ((*read({{"COALESCOPE_DIRECTORY", "/x"}, {"COALESCOPE_TRACE", "500"}}))->most_listed, 500);
  EXPECT_EQ((*read({{"COALESCOPE_DIRECTORY", "/x"}, {"COALESCOPE_TRACE", "all"}}))->most_listed,
            std::nullopt);
  EXPECT_FALSE(read({{"COALESCOPE_DIRECTORY", "/x"}, {"COALESCOPE_TRACE", "some"}}));
}

}  // namespace
}  // namespace coalescope::recorder
