#include "reports/csv/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "reports/csv/parse_test.h"

namespace coalescope::csv {
namespace {

using testing::SizeIs;

analysis::Report sample() {
  analysis::Report report;
  analysis::KernelRow kernel;
  kernel.id = 7;
  kernel.name = "copy<3, 4>";
  kernel.full_name = "void ns::copy<3, 4>(float*, int)";
  kernel.gpu_ns = 1500;
  kernel.load.data_bytes = 128;
  kernel.unmeasured = {{model::Phase::lines, model::CoverageReason::too_few_launches, "ran once"}};
  report.kernels = {kernel};
  report.lines.resize(1);
  report.lines[0].kernel_id = 7;
  report.findings.resize(1);
  report.findings[0].kernel_id = 7;
  report.findings[0].level = analysis::Level::severe;
  report.transfers.resize(2);
  return report;
}

TEST(Csv, EachTableHasANameAndAHeading) {
  for (const auto& name : table_names()) {
    const auto table = table_of(name);
    ASSERT_TRUE(table) << name;
    EXPECT_THAT(parse(to_csv({}, *table)), SizeIs(1)) << name;
  }
  EXPECT_FALSE(table_of("colours"));
}

TEST(Csv, NoTwoColumnsHaveOneName) {
  for (const auto& name : table_names()) {
    const auto heading = parse(to_csv({}, *table_of(name))).at(0);
    EXPECT_EQ(std::set<std::string>(heading.begin(), heading.end()).size(), heading.size()) << name;
  }
}

TEST(Csv, AMissingNumberIsAnEmptyCellWithItsReasonBesideIt) {
  const auto records = parse(to_csv(sample(), Table::kernels));
  ASSERT_THAT(records, SizeIs(2));
  EXPECT_EQ(value(records, 1, "gpu_ns"), "1500");
  EXPECT_EQ(value(records, 1, "load_data_bytes_per_launch"), "128");
  EXPECT_EQ(value(records, 1, "load_sectors_per_launch"), "");
  EXPECT_EQ(value(records, 1, "not_measured"), "lines: ran once");
}

TEST(Csv, TheWholeNameIsInEveryTableThatNamesAKernel) {
  const std::string name = "void ns::copy<3, 4>(float*, int)";
  EXPECT_EQ(value(parse(to_csv(sample(), Table::kernels)), 1, "full_name"), name);
  EXPECT_EQ(value(parse(to_csv(sample(), Table::lines)), 1, "full_kernel_name"), name);
  EXPECT_EQ(value(parse(to_csv(sample(), Table::findings)), 1, "full_kernel_name"), name);
}

TEST(Csv, EnumerationsAreWords) {
  EXPECT_EQ(value(parse(to_csv(sample(), Table::findings)), 1, "level"), "severe");
  const auto transfers = parse(to_csv(sample(), Table::transfers));
  ASSERT_THAT(transfers, SizeIs(3));
  EXPECT_EQ(value(transfers, 2, "asynchronous"), "false");
}

// A unit for every quantity: who opens the file a year later has nothing else.
TEST(Csv, TimesAndSizesNameTheirUnit) {
  for (const auto& name : table_names()) {
    const auto records = parse(to_csv({}, *table_of(name)));
    for (const auto& heading : records.at(0))
      for (const char* bare : {"time", "size", "bandwidth", "share", "degree"})
        EXPECT_FALSE(heading.ends_with(bare)) << heading;
  }
}

}  // namespace
}  // namespace coalescope::csv
