#include "kernels/program/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coalescope::kernels {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

base::Result<Options> parse(std::vector<const char*> arguments) {
  return parse_options(arguments);
}

std::vector<std::string> ids_selected(const Options& options) {
  const std::vector<const Case*> selected = select_cases(options, cases()).value();
  std::vector<std::string> ids;
  for (const Case* one : selected) ids.push_back(one->id);
  return ids;
}

TEST(Options, WithoutArgumentsAllCasesRunSixteenTimes) {
  const Options options = parse({}).value();
  EXPECT_EQ(options.launches, 16);
  EXPECT_EQ(ids_selected(options).size(), cases().size());
}

TEST(Options, ValuesMayBeListsAndRepeated) {
  const Options options = parse({"--family", "A1,D6", "--family", "A5", "--launches", "3"}).value();
  EXPECT_THAT(options.families, ElementsAre("A1", "D6", "A5"));
  EXPECT_EQ(options.launches, 3);
}

TEST(Options, FlagsAreOffUnlessGiven) {
  const Options none = parse({}).value();
  EXPECT_FALSE(none.help || none.list || none.probe || none.showcase || none.quiet);
  EXPECT_TRUE(parse({"--help"}).value().help);
  EXPECT_TRUE(parse({"--list"}).value().list);
  EXPECT_TRUE(parse({"--probe"}).value().probe);
  EXPECT_TRUE(parse({"--showcase"}).value().showcase);
  EXPECT_TRUE(parse({"--quiet"}).value().quiet);
}

TEST(Options, ExperimentsAndProgressHaveTheirOwn) {
  const Options options =
      parse({"--measure", "rows.json", "--progress", "20:60", "--brief", "--with-curves"}).value();
  EXPECT_EQ(options.measure, "rows.json");
  ASSERT_TRUE(options.progress);
  EXPECT_EQ(options.progress->from, 20);
  EXPECT_EQ(options.progress->to, 60);
  EXPECT_TRUE(options.brief && options.with_curves);
  for (const char* wrong : {"", "20", "20:", "60:20", "0:101", "a:b", "1:2:3", "-1:2"})
    EXPECT_FALSE(parse({"--progress", wrong})) << wrong;
}

TEST(Options, AFamilyOfExperimentsAloneSelectsNoCaseAndIsNoMistake) {
  EXPECT_TRUE(ids_selected(parse({"--family", "C2"}).value()).empty());
  EXPECT_FALSE(select_cases(parse({"--family", "Z"}).value(), cases()));
}

TEST(Options, ALetterStandsForItsFamilies) {
  for (const std::string& id : ids_selected(parse({"--family", "D"}).value()))
    EXPECT_THAT(id, testing::ContainsRegex("copy_|staged_"));
}

TEST(Options, AFamilyIsNotItsTens) {
  EXPECT_THAT(ids_selected(parse({"--family", "A1"}).value()), ElementsAre("sequential_copy"));
}

TEST(Options, FamilyAndCaseNarrowEachOther) {
  EXPECT_THAT(ids_selected(parse({"--family", "A3", "--case", "offset_copy/3,broadcast"}).value()),
              ElementsAre("offset_copy/3"));
}

TEST(Options, ShowcaseHoldsTheCleanCopyAndEightCases) {
  const std::vector<std::string> ids = ids_selected(parse({"--showcase"}).value());
  EXPECT_EQ(ids.size(), 8U);
  EXPECT_THAT(ids, testing::Contains("sequential_copy"));
}

TEST(Options, MistakesAreNamed) {
  EXPECT_THAT(parse({"--fast"}).error().text(), HasSubstr("'--fast'"));
  EXPECT_THAT(parse({"--case"}).error().text(), HasSubstr("--case needs a value"));
  for (const char* launches : {"0", "-1", "x", "3x", "", "10001", "99999999999"})
    EXPECT_EQ(parse({"--launches", launches}).error().code, base::ErrorCode::usage) << launches;
}

TEST(Options, ATwinAndItsSideNeedEachOther) {
  EXPECT_FALSE(select_twin(parse({}).value()).value().has_value());
  const auto chosen = select_twin(parse({"--twin", "grid_strided", "--side", "clean"}).value()).value();
  ASSERT_TRUE(chosen.has_value());
  EXPECT_EQ(chosen->twin->id, "grid_strided");
  EXPECT_EQ(chosen->side, Side::clean);
  for (const std::vector<const char*>& arguments : {std::vector<const char*>{"--twin", "grid_strided"},
                                                    {"--side", "fault"},
                                                    {"--twin", "no_such_twin", "--side", "fault"},
                                                    {"--twin", "grid_strided", "--side", "left"}})
    EXPECT_EQ(select_twin(parse(arguments).value()).error().code, base::ErrorCode::usage);
  EXPECT_TRUE(parse({"--list-twins"}).value().list_twins);
}

TEST(Options, SelectingNothingIsAnError) {
  const Options options = parse({"--case", "no_such_case"}).value();
  EXPECT_THAT(select_cases(options, cases()).error().text(), HasSubstr("--list"));
}

}  // namespace
}  // namespace coalescope::kernels
