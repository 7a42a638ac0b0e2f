#include "reports/text/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "reports/analysis/rows/kernel_families.h"
#include "reports/text/cells.h"
#include "reports/text/table.h"

namespace coalescope::text {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(Cells, ControlCharactersAndBadBytesAreNeutralised) {
  EXPECT_EQ(clean("a\x1b[2Jb"), "a?[2Jb");
  EXPECT_EQ(clean("tab\there"), "tab here");
  EXPECT_EQ(clean("caf\xc3\xa9"), "caf\xc3\xa9");
  EXPECT_EQ(clean("\xff\xfe"), "??");
  EXPECT_EQ(clean("\xc3"), "?") << "cut off";
  EXPECT_EQ(clean("\xc0\xaf"), "??") << "overlong";
  EXPECT_EQ(clean("\xed\xa0\x80"), "???") << "surrogate";
  EXPECT_EQ(clean("\xc2\x9b"
                  "31m"),
            "?31m")
      << "the one-character form of ESC [";
  EXPECT_EQ(clean("\xe2\x80\xae"
                  "abc"),
            "?abc")
      << "right to left";
}

TEST(Cells, WidthsCountCodePoints) {
  EXPECT_EQ(width_of("caf\xc3\xa9"), 4U);
  EXPECT_EQ(pad_left("\xc3\xa9", 3), "  \xc3\xa9");
  EXPECT_EQ(cut_end("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 4), "\xc3\xa9...");
  EXPECT_EQ(cut_begin("/long/path/a.cu:7", 10), ".../a.cu:7");
  EXPECT_EQ(cut_end("abc", 3), "abc");
  EXPECT_EQ(cut_end("abcdef", 2), "..");
}

TEST(Cells, WrapsBetweenWords) {
  EXPECT_THAT(wrap("one two  three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(wrap("", 7), testing::IsEmpty());
  EXPECT_THAT(wrap("it moved 22.5 %, or so", 14), ElementsAre("it moved", "22.5 %, or so")) << "a unit";
  EXPECT_THAT(wrap("12345 GB/s", 7), ElementsAre("12345", "GB/s")) << "too long for a line";
  EXPECT_THAT(wrap("unbreakable", 6), ElementsAre("unb..."));
}

TEST(Table, ColumnsOfWordsGiveWay) {
  const auto lines = table_lines({{"kernel", Align::words}, {"count"}},
                                 {{"a_very_long_kernel_name_indeed", "1,048,576"}, {"short", "7"}}, 30, 2);
  EXPECT_THAT(lines, ElementsAre("  kernel                 count", "  a_very_long_ke...  1,048,576",
                                 "  short                      7"));
}

TEST(Table, HeadingsOfNumbersBreakBeforeNamesAreCut) {
  const std::vector<TableColumn> columns{{"kernel", Align::name}, {"sector efficiency"}};
  EXPECT_THAT(
      table_lines(columns, {{"void copy_rows", "50.0 %"}}, 30, 0),
      ElementsAre("                    sector", "kernel          efficiency", "void copy_rows      50.0 %"));
  EXPECT_THAT(table_lines(columns, {{"void copy_rows_of_cells", "50.0 %"}}, 30, 0),
              testing::Contains("void copy_...cells      50.0 %"))
      << "both ends of a name tell which it is";
  EXPECT_THAT(table_lines(columns, {}, 30, 0), testing::IsEmpty());
}

analysis::Report report_with(std::size_t offenders) {
  analysis::Report report;
  report.capture.clean = true;
  report.command = {"./app"};
  for (std::size_t i = 0; i < offenders; ++i) {
    analysis::KernelRow row;
    row.id = static_cast<std::int64_t>(i);
    row.name = row.mangled_name = "kernel_" + std::to_string(i);
    row.launches = 1;
    row.gpu_ns = 1'000'000;
    row.load.degree = 0.125;
    row.load.sectors_per_request = 32.0;
    row.load.sectors = 32;
    row.store.sectors = 0;
    row.bytes_samples = {1, 1};
    report.kernels.push_back(row);
    analysis::Finding finding;
    finding.rule = "G01";
    finding.title = "Uncoalesced loads";
    finding.subject = row.name;
    finding.kernel_id = row.id;
    finding.kernel_ids = {row.id};
    finding.file = "a.cu";
    finding.line = 7;
    finding.advice =
        "Swap the roles of the indices so that neighbouring threads read neighbouring words, or stage "
        "a tile through shared memory.";
    finding.lost_ns = 1'000'000 - static_cast<std::int64_t>(i);
    report.findings.push_back(finding);
  }
  report.kernel_families = analysis::kernel_families(report.kernels);
  report.totals.kernel_ns = static_cast<std::int64_t>(offenders) * 1'000'000;
  report.transfers.resize(3);
  return report;
}

// The parts of a long name follow each other, so that it can be put together again.
std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line.substr(std::min(line.find_first_not_of(' '), line.size()));
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

class Screen : public testing::TestWithParam<std::size_t> {};

TEST_P(Screen, FitsWhateverThereIsToSay) {
  auto report = report_with(GetParam());
  report.notices.assign(
      GetParam(), {.text = "Something was lost, and it takes a whole line to say what that was, and why."});
  const auto lines = lines_of(to_text(report, {}));
  EXPECT_LE(lines.size(), 40U);
  for (const auto& line : lines) EXPECT_LE(width_of(line), 100U) << line;
}

INSTANTIATE_TEST_SUITE_P(Offenders, Screen, testing::Values(0, 1, 2, 3, 5, 8, 13, 100));

TEST(Text, SaysHowManyOffendersAreLeftOut) {
  EXPECT_THAT(to_text(report_with(50), {}),
              HasSubstr("   and 45 more (45.0 ms): --section findings lists them"));
  EXPECT_THAT(to_text(report_with(2), {}), Not(HasSubstr("lists them")));
}

TEST(Text, FiveOffendersAreShownInBriefWhereTheirAdviceHasNoRoom) {
  auto report = report_with(5);
  for (std::size_t i = 0; i < 5; ++i) {
    report.findings[i].advice += " Kernel " + std::to_string(i) + ".";  // none says what another has said
    report.findings[i].call_site = "main.py:1 > main.py:2 main()";
  }
  report.notices.assign(9, {.text = "Something was lost, and it takes a line to say what."});
  const std::string text = to_text(report, {});
  EXPECT_THAT(text, HasSubstr("G01 Uncoalesced loads: Swap the roles"));
  EXPECT_THAT(text, HasSubstr("\n   a.cu:7   G01: coalesce the loads of kernel_4\n"));
  EXPECT_THAT(text, Not(HasSubstr("--section findings lists")));
}

TEST(Text, FindingsAboutAKernelAreOneOffenderThatLosesWhatTheVerdictCounts) {
  auto report = report_with(1);
  report.findings.push_back(report.findings[0]);
  report.findings[1].title = "Uncoalesced stores";
  report.kernel_families[0].gpu_ns = 5'000'000;
  const std::string text = to_text(report, {});
  EXPECT_THAT(text, HasSubstr("G01 Uncoalesced loads, uncoalesced stores:"));
  EXPECT_THAT(text, HasSubstr("One repair would save about 1.00 ms"));
  EXPECT_THAT(text, Not(HasSubstr("2.00 ms"))) << "they may be of the same time";
}

TEST(Text, OfALongStackTheInnermostFramesAreShown) {
  auto report = report_with(1);
  report.findings[0].call_site =
      "main.py:90 > main.py:82 main() > main.py:63 train_for_many_epochs() > "
      "main.py:54 one_step_of_the_training() > model.py:29 forward()";
  EXPECT_THAT(to_text(report, {}), HasSubstr("   called by ... > main.py:54 one_step_of_the_training() > "
                                             "model.py:29 forward()\n"));
  report.findings[0].call_site = "a > " + std::string(200, 'b');
  EXPECT_THAT(to_text(report, {}), HasSubstr("bbbb\n")) << "a frame that is longer than the line";
}

TEST(Text, AdviceIsGivenOnce) {
  const std::string text = to_text(report_with(2), {});
  EXPECT_THAT(text, HasSubstr("G01 Uncoalesced loads: as in 1."));
}

TEST(Text, ShapesOfAKernelAreOneOffenderAndOneRow) {
  auto report = report_with(2);
  report.kernels[1].name = report.kernels[0].name;
  report.kernels[1].mangled_name = report.kernels[0].mangled_name;
  report.kernels[1].grid = {2, 1, 1};
  report.kernels[1].load.degree = 0.98;
  report.kernel_families = analysis::kernel_families(report.kernels);
  const auto lines = lines_of(to_text(report, {}));
  EXPECT_THAT(lines, testing::Contains(testing::AllOf(HasSubstr("1  kernel_0  "), HasSubstr("2.00 ms"))));
  EXPECT_THAT(lines, testing::Not(testing::Contains(testing::StartsWith("2  "))));
  EXPECT_THAT(lines,
              testing::Contains(testing::AllOf(HasSubstr("kernel_0 x2, 2 shapes"), HasSubstr("12-98 %"))));
}

TEST(Text, NarrowTerminalsKeepTheNameRatherThanWhatComesAfterIt) {
  auto report = report_with(2);
  for (auto& row : report.kernels) row.name = row.mangled_name = "relax_boundaries_of_cells";
  report.kernels[1].grid = {2, 1, 1};
  report.kernel_families = analysis::kernel_families(report.kernels);
  TextOptions options;
  options.width = 80;
  const std::string text = to_text(report, options);
  EXPECT_THAT(text, testing::AllOf(HasSubstr("   relax_b...cells x2 "), Not(HasSubstr("2 shapes"))));
  for (const std::string& line : lines_of(text)) EXPECT_LE(line.size(), 80U) << line;
}

TEST(Text, SaysWhichProcessesHaveWhatOthersLack) {
  auto report = report_with(2);
  report.kernels[1].mangled_name = report.kernels[0].mangled_name;
  report.kernels[0].process_id = 1;
  report.kernels[1].process_id = 2;
  report.processes.resize(2);
  report.processes[0].id = {1};
  report.processes[0].rank = 0;
  report.processes[1].id = {2};
  report.processes[1].rank = 1;
  report.kernel_families = analysis::kernel_families(report.kernels);
  EXPECT_THAT(to_text(report, {}), Not(HasSubstr("kernel_0 (rank")));
  report.findings.erase(report.findings.begin());
  EXPECT_THAT(to_text(report, {}), HasSubstr("kernel_0 (rank 1)"));
}

TEST(Text, NoAccessesAndNotMeasuredAreDifferentWords) {
  const std::string text = to_text(report_with(1), {});
  EXPECT_THAT(text, HasSubstr("none"));
  EXPECT_THAT(text, HasSubstr("n/m: not measured"));
  EXPECT_THAT(text, Not(HasSubstr("TMA")));
}

TEST(Text, AKernelWhoseDataTmaMovesIsNotSaidToMoveNothing) {
  auto report = report_with(1);
  report.kernels[0].tma_instructions = 4;
  report.kernel_families = analysis::kernel_families(report.kernels);
  EXPECT_THAT(to_text(report, {}),
              HasSubstr("TMA: moved by the tensor memory accelerator, which no counter counts"));
}

TEST(Text, SmallTransfersShowTheTimeOfOne) {
  auto report = report_with(1);
  report.transfers.resize(1);
  report.transfers[0].transfers = 2;
  report.transfers[0].bytes = 16;
  report.transfers[0].gpu_ns = 4'100;
  EXPECT_THAT(to_text(report, {}), HasSubstr("2.05 us each"));
  report.transfers[0].bytes = 8'200;
  EXPECT_THAT(to_text(report, {}), HasSubstr("2.00 GB/s"));
}

TEST(Text, ColoursOnlyWhenAskedFor) {
  EXPECT_THAT(to_text(report_with(1), {}), Not(HasSubstr("\x1b")));
  TextOptions coloured;
  coloured.colour = true;
  EXPECT_THAT(to_text(report_with(1), coloured), HasSubstr("\x1b[1m"));
}

TEST(Text, OpensWithTheVerdict) {
  const std::string text = to_text(report_with(3), {});
  EXPECT_EQ(text.find('\n') + 1, text.find("Three repairs would save")) << text;
}

TEST(Text, ASectionIsPrintedAloneAndWhole) {
  TextOptions options;
  options.section = "kernels";
  const std::string text = to_text(report_with(100), options);
  EXPECT_THAT(text, HasSubstr("Kernels: times"));
  EXPECT_THAT(text, Not(HasSubstr("\nFindings")));
  EXPECT_THAT(section_names(), testing::IsSupersetOf({"findings", "kernels", "lines", "program"}));
  options.section = "calibration";
  EXPECT_THAT(to_text(report_with(1), options), HasSubstr("The capture has nothing for this section."));
}

TEST(Text, AnEmptyReportPrints) {
  EXPECT_THAT(to_text({}, {}), HasSubstr("coalescope: "));
  TextOptions verbose;
  verbose.verbose = true;
  EXPECT_THAT(to_text({}, verbose), HasSubstr("coalescope: "));
}

TEST(Text, TheWholeNameOfAKernelIsReachable) {
  analysis::Report report;
  report.kernels.resize(1);
  report.kernels[0].name = "copy<3>";
  report.kernels[0].full_name = "void ns::copy<3>(" + std::string(300, 'x') + "*)";
  TextOptions options;
  options.verbose = true;
  EXPECT_THAT(joined(lines_of(to_text(report, options))), testing::HasSubstr(report.kernels[0].full_name));
}

}  // namespace
}  // namespace coalescope::text
