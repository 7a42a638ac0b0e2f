#include "reports/csv/record.h"

#include <gtest/gtest.h>
#include <limits>

#include "reports/csv/parse_test.h"

namespace coalescope::csv {
namespace {

std::string cell(std::string_view value) {
  std::string out;
  Record record(out, Record::Part::values);
  record.text("name", value);
  record.end();
  return parse(out).at(0).at(0);
}

TEST(CsvRecord, TextComesBackAsItWas) {
  for (const char* text : {"plain", "a,b", "say \"so\"", "", " blank ", "f<1, \"2\">(int*)", "semi;colon"})
    EXPECT_EQ(cell(text), text);
}

TEST(CsvRecord, QuotesOnlyWhatNeedsIt) {
  EXPECT_EQ(quoted("transpose<32>"), "transpose<32>");
  EXPECT_EQ(quoted("copy<3, 4>"), "\"copy<3, 4>\"");
  EXPECT_EQ(quoted("\""), "\"\"\"\"");
}

// A spreadsheet runs what begins like this.
TEST(CsvRecord, NoTextIsAFormula) {
  for (const char* text : {"=cmd|'/C calc'!A0", "+1+1", "-1+1", "@SUM(A1)", " =1+1", "\t=1+1", "\"=1", "'=1",
                           "\xEF\xBC\x9D"
                           "1"})
    EXPECT_EQ(cell(text).front(), '\'') << text;
  EXPECT_EQ(cell("a=b"), "a=b");
}

TEST(CsvRecord, NothingDrivesATerminalOrEndsALine) {
  const std::string harmless = cell("red\x1b[31m line\r\nbreak\tbell\x07 \xff");
  EXPECT_EQ(harmless, "red?[31m line??break bell? ?");
}

TEST(CsvRecord, NumbersKeepTheirDigitsAndMissingOnesAreEmpty) {
  std::string out;
  Record record(out, Record::Part::values);
  record.number("a", std::optional(std::numeric_limits<std::int64_t>::min()));
  record.number("b", std::optional<std::int64_t>());
  record.number("c", std::optional(0.1));
  record.number("d", std::optional(std::numeric_limits<double>::infinity()));
  record.yes_or_no("e", true);
  record.end();
  EXPECT_EQ(out, "-9223372036854775808,,0.1,,true\r\n");
}

}  // namespace
}  // namespace coalescope::csv
