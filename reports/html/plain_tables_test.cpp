#include "reports/html/plain_tables.h"

#include <array>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace coalescope::html {
namespace {

using testing::HasSubstr;
using testing::Not;

analysis::Report report_with(std::initializer_list<std::optional<std::int64_t>> freed_ns) {
  analysis::Report report;
  for (const auto& freed : freed_ns) {
    auto& row = report.program.largest.emplace_back();
    row.bytes = 1 << 20;
    row.freed_ns = freed;
  }
  return report;
}

constexpr std::array<std::string_view, 1> kLargest{"largest-allocations"};

// As texts, "12.0 GiB" would stand before "5.64 GiB".
TEST(PlainTables, NumbersAreSortedByTheirValue) {
  const std::string markup =
      plain_tables(report_with({2'000'000, std::nullopt}), kLargest, Fold::all).markup();
  const auto begin = markup.find('>', markup.find("<script")) + 1;
  const auto columns =
      nlohmann::json::parse(markup.substr(begin, markup.find("</script>") - begin))["columns"];
  EXPECT_FALSE(columns[0].contains("order")) << "words";
  EXPECT_FALSE(columns[2].contains("order")) << "words";
  EXPECT_EQ(columns[3]["order"], nlohmann::json::parse("[1048576, 1048576]"));
  EXPECT_EQ(columns[5]["order"], nlohmann::json::parse("[2000000, null]")) << "one was not freed";
}

TEST(PlainTables, AlsoInShortOnes) {
  const std::string markup = plain_tables(report_with({std::nullopt}), kLargest).markup();
  EXPECT_THAT(markup, HasSubstr("<td class=\"number\" data-order=\"1048576\">1 MiB</td>"));
  EXPECT_THAT(markup, HasSubstr("<td class=\"number\">not freed</td>"));
  EXPECT_THAT(markup, Not(HasSubstr("<script")));
}

}  // namespace
}  // namespace coalescope::html
