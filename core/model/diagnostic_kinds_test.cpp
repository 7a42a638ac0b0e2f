#include "core/model/diagnostic_kinds.h"

#include <gtest/gtest.h>
#include <set>
#include <utility>

namespace coalescope::model {
namespace {

TEST(DiagnosticKinds, EachHasACodeOfItsOwn) {
  std::set<std::pair<std::string_view, std::string_view>> codes;
  for (const auto& kind : kDiagnosticKinds) {
    EXPECT_TRUE(codes.emplace(kind.origin, kind.code).second) << kind.origin << " " << kind.code;
    EXPECT_FALSE(kind.happened.empty()) << kind.code;
    EXPECT_TRUE(kind.remedy.empty() || kind.remedy.ends_with('.')) << kind.code;
  }
}

TEST(DiagnosticKinds, DetailsStandWhereTheyBelong) {
  const auto row = make_diagnostic(diagnostic_kind("record", "other_tool"), {"VARIABLE", "tool {}"});
  EXPECT_EQ(row.text,
            "VARIABLE is 'tool {}': the driver loads that tool and has no room for a second one, so nothing "
            "was recorded. Unset the variable and record again.");
  EXPECT_EQ(row.severity, Severity::error);
  EXPECT_EQ(row.origin, "record");
  EXPECT_EQ(row.code, "other_tool");
}

TEST(DiagnosticKinds, TooFewOrTooManyDetailsDoNoHarm) {
  EXPECT_TRUE(make_diagnostic(diagnostic_kind("record", "other_tool"), {"A"}).text.starts_with("A is '{}'"));
  EXPECT_EQ(make_diagnostic(diagnostic_kind("queue", "full"), {"x"}).text,
            diagnostic_kind("queue", "full").happened);
}

}  // namespace
}  // namespace coalescope::model
