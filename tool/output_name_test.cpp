#include "tool/output_name.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace coalescope::tool {
namespace {

const NameMarks kMarks{"node7", "4711", [](const std::string& name) -> std::optional<std::string> {
                         if (name == "RANK") return "3";
                         if (name == "PLACE") return "../up";
                         return std::nullopt;
                       }};

std::string expanded(std::string_view pattern) {
  return expand_name(pattern, kMarks).value();
}

TEST(OutputName, TakesTheMarksOfNsight) {
  EXPECT_EQ(expanded("x.coal"), "x.coal");
  EXPECT_EQ(expanded("out-%h-%p-%q{RANK}.coal"), "out-node7-4711-3.coal");
  EXPECT_EQ(expanded("%q{RANK}%q{RANK}"), "33");
}

TEST(OutputName, LeavesOtherPercentSignsAlone) {
  EXPECT_EQ(expanded("100%.coal"), "100%.coal");
  EXPECT_EQ(expanded("%"), "%");
  EXPECT_EQ(expanded("%%p"), "%p");
  EXPECT_EQ(expanded("%q"), "%q");
  EXPECT_EQ(expanded("%x%"), "%x%");
}

TEST(OutputName, RefusesWhatWouldGiveAllRanksOneName) {
  const auto unset = expand_name("out-%q{NO_SUCH}.coal", kMarks);
  ASSERT_FALSE(unset);
  EXPECT_EQ(unset.error().code, base::ErrorCode::usage);
  EXPECT_NE(unset.error().message.find("'NO_SUCH', which is not set"), std::string::npos);
  EXPECT_FALSE(expand_name("out-%q{RANK.coal", kMarks));
}

TEST(OutputName, NamesAFileAndNoPlaceByAVariable) {
  EXPECT_EQ(expanded("out-%q{PLACE}.coal"), "out-.._up.coal");
}

TEST(OutputName, KnowsThisProcess) {
  const NameMarks marks = name_marks();
  EXPECT_EQ(marks.pid, std::to_string(::getpid()));
  EXPECT_FALSE(marks.host.empty());
  EXPECT_EQ(marks.host.find('\0'), std::string::npos);
}

}  // namespace
}  // namespace coalescope::tool
