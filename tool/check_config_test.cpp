#include "tool/check_config.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tool/check_values.h"

namespace coalescope::tool {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

base::Result<CheckConfig> parsed(std::string_view text) {
  return parse_config(text, "repository/.coalescope.toml");
}

std::string fault_of(std::string_view text) {
  const auto config = parsed(text);
  return config ? "none" : config.error().text();
}

TEST(CheckConfig, HoldsAllThatAPolicyMayDemand) {
  const auto config = parsed(R"(
[check]
baseline = "ci/good.coal"
min-degree = 0.5
max-lost-time = "2ms"
max-regression = "2%"
min-coverage = 0.75

[rules]
G01 = "error"
t03 = "off"
regression = "warn"

[[suppress]]
rule = "G01"
kernel = "^transpose"
call-site = "train.py:37"
reason = "replaced by the next release"
until = 2026-12-31
)");
  ASSERT_TRUE(config) << config.error().text();
  EXPECT_EQ(config->baseline, "repository/ci/good.coal");
  const gate::Policy& policy = config->policy;
  EXPECT_EQ(policy.min_degree, 0.5);
  EXPECT_EQ(policy.max_lost_time->ns, 2'000'000);
  EXPECT_EQ(policy.max_regression, 0.02);
  EXPECT_EQ(policy.min_coverage, 0.75);
  EXPECT_EQ(policy.rules.at("G01"), gate::Severity::error);
  EXPECT_EQ(policy.rules.at("T03"), gate::Severity::off);
  EXPECT_EQ(policy.rules.at("regression"), gate::Severity::warn);
  ASSERT_EQ(policy.suppressions.size(), 1U);
  EXPECT_EQ(policy.suppressions[0].until, "2026-12-31");
  EXPECT_EQ(policy.suppressions[0].call_site, "train.py:37");
  EXPECT_EQ(policy.suppressions[0].line, 14);
}

TEST(CheckConfig, AnEmptyFileDemandsNothing) {
  EXPECT_TRUE(parsed(""));
}

TEST(CheckConfig, FaultsNameTheirPlace) {
  EXPECT_THAT(fault_of("[check]\nmin-degree = = 1\n"), HasSubstr("line 2, column 14"));
  EXPECT_THAT(fault_of("[check\n"), HasSubstr("line 1, column 7"));
  EXPECT_THAT(fault_of("\n[chek]\n"), HasSubstr("line 2"));
  EXPECT_THAT(fault_of("[check]\nmin_degree = 1\n"),
              HasSubstr("line 2, column 1: [check] has no 'min_degree'"));
  EXPECT_THAT(fault_of("[check]\nmin-degree = 50\n"), HasSubstr("wants a share"));
  EXPECT_THAT(fault_of("[check]\nmax-lost-time = \"soon\"\n"), HasSubstr("line 2, column 17"));
  EXPECT_THAT(fault_of("check = 1\n"), HasSubstr("'check' is no table"));
  EXPECT_THAT(fault_of("[rules]\nG1 = \"error\"\n"), HasSubstr("did you mean 'G01'"));
  EXPECT_THAT(fault_of("[rules]\nG01 = \"fatal\"\n"), HasSubstr("line 2, column 7: 'G01' wants"));
}

TEST(CheckConfig, SuppressionsMustBeWhole) {
  const std::string begin = "[[suppress]]\n", rule = "rule = \"G01\"\n", reason = "reason = \"known\"\n",
                    until = "until = 2026-12-31\n";
  EXPECT_EQ(fault_of(begin + rule + reason + until), "none");
  EXPECT_THAT(fault_of(begin + reason + until), HasSubstr("a suppression of everything"));
  EXPECT_THAT(fault_of(begin + rule + until), HasSubstr("without a reason"));
  EXPECT_THAT(fault_of(begin + rule + reason), HasSubstr("without an end"));
  EXPECT_THAT(fault_of(begin + rule + reason + "until = \"2026-12-31\"\n"), HasSubstr("line 4, column 9"));
  EXPECT_THAT(fault_of(begin + rule + reason + until + "kernel = \"(\"\n"),
              HasSubstr("'(' is not a regular expression"));
  EXPECT_THAT(fault_of("suppress = 1\n"), HasSubstr("no list of tables"));
}

TEST(CheckConfig, HostileTextIsRefused) {
  EXPECT_THAT(fault_of(std::string("a\0b", 3)), HasSubstr("line 1"));
  EXPECT_THAT(fault_of("\xff\xfe"), HasSubstr("line 1"));
  EXPECT_THAT(fault_of("x = " + std::string(5000, '[')), HasSubstr("line 1"));
}

TEST(CheckConfig, IsFoundAboveUpToTheRepositorysRoot) {
  const fs::path root = fs::path(testing::TempDir()) / ("coalescope-config-" + std::to_string(::getpid()));
  fs::create_directories(root / "repository/.git");
  fs::create_directories(root / "repository/src/deep");
  std::ofstream(root / kConfigName) << "";
  EXPECT_EQ(find_config(root / "repository/src/deep"), std::nullopt) << "what lies outside is not meant";
  std::ofstream(root / "repository" / kConfigName) << "";
  EXPECT_EQ(find_config(root / "repository/src/deep"), root / "repository" / kConfigName);
  fs::remove_all(root);
}

TEST(CheckValues, SharesAndTimes) {
  EXPECT_EQ(read_share("5%"), 0.05);
  EXPECT_EQ(read_share("0.05"), 0.05);
  EXPECT_EQ(read_share("1"), 1);
  for (const char* text : {"", "%", "101%", "-1%", "1.5", "5 %", "nan"})
    EXPECT_EQ(read_share(text), std::nullopt);
  EXPECT_EQ(read_lost_time("2ms")->ns, 2'000'000);
  EXPECT_EQ(read_lost_time("2%")->share, 0.02);
  EXPECT_EQ(read_lost_time("2 parsecs"), std::nullopt);
}

}  // namespace
}  // namespace coalescope::tool
