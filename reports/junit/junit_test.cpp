#include "reports/junit/junit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coalescope::junit {
namespace {

using gate::Outcome;
using gate::Result;
using gate::Severity;
using gate::Violation;
using testing::HasSubstr;
using testing::Not;

Violation violation(Severity severity, const std::string& subject) {
  return {"G01", "Uncoalesced loads", severity, subject, "32 sectors per request"};
}

TEST(JUnit, ErrorsFailWarningsSpeakAndWhatIsSuppressedIsSkipped) {
  Result result;
  result.outcome = Outcome::failed;
  result.violations = {violation(Severity::error, "a"), violation(Severity::warn, "b"),
                       violation(Severity::error, "c")};
  result.violations[2].suppressed = "until 2026-12-31: known";
  result.passed = {"d"};
  const std::string text = to_junit(result);
  EXPECT_THAT(text, HasSubstr("tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"1\""));
  EXPECT_THAT(text, HasSubstr("name=\"a\">\n      <failure message=\"Uncoalesced loads: 32 sectors"));
  EXPECT_THAT(text, HasSubstr("name=\"b\">\n      <system-out>warning: "));
  EXPECT_THAT(text, HasSubstr("<skipped message=\"until 2026-12-31: known\"/>"));
  EXPECT_THAT(text, HasSubstr("<testcase classname=\"coalescope.kernel\" name=\"d\"/>"));
}

TEST(JUnit, WhatWasNotJudgedIsAnError) {
  Result result;
  result.outcome = Outcome::little_coverage;
  result.verdict = "Not judged";
  EXPECT_THAT(to_junit(result), HasSubstr("tests=\"1\" failures=\"0\" errors=\"1\""));
}

TEST(JUnit, NamesCannotLeaveTheirPlace) {
  Result result;
  result.violations = {violation(Severity::error, "k<\"a\", 'b'>&\x01\xff</testcase>")};
  const std::string text = to_junit(result);
  EXPECT_THAT(text, HasSubstr("name=\"k&lt;&quot;a&quot;, 'b'&gt;&amp;??&lt;/testcase&gt;\""));
  EXPECT_THAT(text, Not(HasSubstr("\x01")));
}

}  // namespace
}  // namespace coalescope::junit
