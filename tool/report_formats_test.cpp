#include "tool/report_formats.h"

#include <gtest/gtest.h>
#include <set>

#include "tool/output_marks.h"

namespace coalescope::tool {
namespace {

std::vector<std::string> words_of(const ReportFormat& format) {
  return format.takes == ReportFormat::Takes::choice ? format.choices() : std::vector<std::string>{""};
}

// Reports of other formats are replaced, a stranger's files are not: each format knows its own files.
TEST(ReportFormats, KnowTheirOwnFiles) {
  analysis::Report report;
  report.capture_path = "x.coal";
  for (const ReportFormat& format : report_formats())
    for (const std::string& word : words_of(format)) {
      const bool bears_mark = format.option != "--folded";  // stacks and weights, and nothing else
      EXPECT_EQ(kind_of(format.render(report, word)) == OutputKind::report, bears_mark)
          << format.option << word;
    }
}

TEST(ReportFormats, AreFoundByTheirOption) {
  std::set<std::string_view> options;
  for (const ReportFormat& format : report_formats()) {
    EXPECT_TRUE(options.insert(format.option).second) << format.option;
    EXPECT_EQ(report_format(format.option), &format);
    EXPECT_EQ(format.takes == ReportFormat::Takes::choice, format.choices != nullptr) << format.option;
  }
  EXPECT_EQ(report_format("--text"), nullptr);
}

}  // namespace
}  // namespace coalescope::tool
