// What the page says, section by section, for reports made by hand.
#include "reports/html/page.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/units.h"
#include "reports/analysis/view/verdict.h"
#include "reports/html/values.h"
#include "tests/web/sample_reports.h"

namespace coalescope::html {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

// From the section's opening tag to its end.
std::string part(const std::string& page, const std::string& id) {
  const std::size_t begin = page.find("<section id=\"" + id + "\"");
  return begin == page.npos ? "" : page.substr(begin, page.find("</section>", begin) - begin);
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++n;
  return n;
}

// What data_table.js reads.
nlohmann::json table_data(const std::string& section) {
  const std::size_t begin = section.find('>', section.find("<script")) + 1;
  return nlohmann::json::parse(section.substr(begin, section.find("</script>") - begin));
}

std::vector<std::string> strings_of(const nlohmann::json& table) {
  return table["strings"];
}

class RichPage : public testing::Test {
 protected:
  static const std::string& page() {
    static const std::string html = to_html(samples::rich());
    return html;
  }
};

TEST_F(RichPage, SaysWhatRanWhereWhenAndHowLong) {
  const std::string header =
      page().substr(page().find("<header>"), page().find("</header>") - page().find("<header>"));
  for (const char* fact :
       {"./build/stencil <span class=\"option\">--size</span> 4096 ", "'first try'", "NVIDIA H100 80GB HBM3",
        "gpu-node-07", "2025-11-20 12:23:12 UTC", "exit status 0", "/home/<wbr>user/stencil", "4.21 s"})
    EXPECT_THAT(header, HasSubstr(fact));
}

TEST_F(RichPage, OpensWithTheVerdictAndHowFarItReaches) {
  EXPECT_THAT(page(), HasSubstr("<p class=\"lead\">"));
  EXPECT_THAT(page(), HasSubstr(unbroken(analysis::verdict_of(samples::rich()).coverage.substr(0, 20))));
  EXPECT_LT(page().find("class=\"lead\""), page().find("<section id=\"findings\""));
  EXPECT_LT(page().find("<section id=\"findings\""), page().find("<section id=\"gpu-time\""));
}

TEST_F(RichPage, TheTopLeadsToWhatIsMissing) {
  EXPECT_LT(page().find("<a href=\"#losses\">1 thing that this capture lacks"),
            page().find("<section id=\"findings\""));
  EXPECT_THAT(part(page(), "losses"), HasSubstr("1 of 11 kernel groups has no time"));
}

TEST_F(RichPage, TheGpuTimeIsDividedByHowMemoryIsUsed) {
  const std::string time = part(page(), "gpu-time");
  EXPECT_THAT(time, AllOf(HasSubstr("class=\"use-well\""), HasSubstr("class=\"use-poorly\""),
                          HasSubstr("class=\"hatch\""), HasSubstr("href=\"#kernel-1\""),
                          HasSubstr("Copies and memory sets")));
}

TEST(ToolsOnThePage, HaveNoPartOfTheGpuTime) {
  analysis::Report report = samples::rich();
  const auto& family = report.kernel_families.front();
  for (auto& row : report.kernels)
    if (std::ranges::find(family.kernel_ids, row.id) != family.kernel_ids.end()) {
      row.origin = analysis::Origin::tool;
      report.totals.tool_ns += row.gpu_ns.value_or(0);
    }
  const std::string took = unbroken(base::format_ns(report.totals.tool_ns) + " more");
  const std::string page = to_html(report);
  EXPECT_THAT(part(page, "gpu-time"),
              AllOf(HasSubstr(took), Not(HasSubstr("#kernel-" + std::to_string(family.kernel_ids.front())))));
  EXPECT_THAT(page.substr(0, page.find("</header>")),
              HasSubstr("those of autotuners and other tools took " + took));
}

TEST_F(RichPage, FindingsHaveAllTheirParts) {
  const std::string findings = part(page(), "findings");
  EXPECT_EQ(count(findings, "<li class=\"finding"), 6U);
  EXPECT_THAT(findings, AllOf(HasSubstr("◆ severe"), HasSubstr("▲ warning"), HasSubstr("○ note")));
  EXPECT_THAT(findings,
              AllOf(HasSubstr("Uncoalesced stores"), HasSubstr("transpose.cu:18"),
                    HasSubstr("32.0 sectors per request"), HasSubstr("<b>Change:</b> Transpose a tile"),
                    HasSubstr("title=\"140,900,000 ns\""), HasSubstr(unbroken("28.3 % of the GPU time")),
                    HasSubstr(unbroken("<b>How the saving was found:</b> 400 launches at 412 us")),
                    HasSubstr("counted in 3 of 400 launches")));
  EXPECT_THAT(findings, HasSubstr("<summary>Show all 6</summary><ol class=\"findings\" start=\"6\">"));
}

TEST_F(RichPage, ACostThatIsUnknownSaysWhy) {
  EXPECT_THAT(part(page(), "findings"), AllOf(HasSubstr("saving not known"),
                                              HasSubstr("<b>Why no saving is known:</b> L2 holds the word")));
}

TEST_F(RichPage, FindingsLeadToTheirKernelAndTheirLine) {
  EXPECT_THAT(part(page(), "findings"),
              AllOf(HasSubstr("href=\"#kernel-1\""), HasSubstr("href=\"#source-1-18\"")));
  EXPECT_THAT(part(page(), "kernels"), HasSubstr("<tr id=\"kernel-1\">"));
  EXPECT_THAT(part(page(), "source"), HasSubstr("<tr id=\"source-1-18\""));
}

TEST_F(RichPage, KernelsShowLoadsAndStoresApart) {
  const std::string kernels = part(page(), "kernels");
  EXPECT_EQ(count(kernels, "<tr id=\"kernel-"), 11U) << "without script";
  EXPECT_THAT(kernels, HasSubstr("<td class=\"number\">100 %<small>4.0 sectors</small></td><td "
                                 "class=\"number\">12.5 %<small>32.0 sectors</small></td>"));
  const auto data = table_data(kernels);
  EXPECT_EQ(data["rows"], 11);
  EXPECT_THAT(strings_of(data), IsSupersetOf({"64 MiB", "16,777,216"}));
}

TEST_F(RichPage, WhatWasNotMeasuredIsADashWithAReason) {
  const std::string kernels = part(page(), "kernels");
  EXPECT_THAT(strings_of(table_data(kernels)),
              IsSupersetOf({"ran once; a launch that is counted cannot be timed as well",
                            "coalescope record --rerun -k initialise -- ./build/stencil --size 4096 --label "
                            "'first try'"}));
  EXPECT_THAT(kernels, AllOf(HasSubstr(">—<"), HasSubstr(">none<"), Not(HasSubstr("nan"))));
}

TEST_F(RichPage, AKernelOpensToAllThatIsKnownOfIt) {
  const auto data = table_data(part(page(), "kernels"));
  std::vector<std::string> headings;
  for (const auto& each : data["parts"][0]) headings.push_back(data["strings"][each["h"].get<std::size_t>()]);
  EXPECT_THAT(headings, testing::ElementsAre("Findings", "Bytes from the request to DRAM, all launches",
                                             "Shapes, counts per launch",
                                             "Memory instructions with surplus sectors, per launch",
                                             "All figures for a grid of 128x128 blocks"));
}

TEST_F(RichPage, LevelsFromTheRequestToDramHaveBytesAndCeilings) {
  const std::string levels = part(page(), "bytes");
  EXPECT_THAT(levels, AllOf(HasSubstr("Requested"), HasSubstr("2.79 TB/s"), HasSubstr("not known")));
  EXPECT_THAT(levels, HasSubstr("kernels' GPU time ("));
}

TEST_F(RichPage, TheTimeLineHasItsSumsWithoutScript) {
  EXPECT_THAT(
      part(page(), "time-line"),
      HasSubstr(unbroken(
          "GPU 0: kernels ran for 400 ms, copies for 300 ms, both at once for 100 ms; the host "
          "waited for 100 ms; for 500 ms launches and copies were not listed, and are missing in these "
          "sums; for 100 ms launches were being measured and were not timed.")));
}

TEST_F(RichPage, MemoryIsListedByTheCallsThatAskedForIt) {
  EXPECT_THAT(part(page(), "memory"), AllOf(HasSubstr("Allocations, by call site: 2 call sites"),
                                            HasSubstr("transpose.cu:52 main()")));
}

TEST_F(RichPage, L2SaysWhatItServedAndOffersCode) {
  const std::string l2 = part(page(), "l2");
  EXPECT_THAT(l2, AllOf(HasSubstr(unbroken("L2 has 50 MiB")), HasSubstr("of the sectors requested from it"),
                        HasSubstr("num_bytes = 67108864;"), HasSubstr("The program set no L2 window")));
}

TEST_F(RichPage, SourceShowsWhatMovesTooMuchAndExplainsTheRest) {
  const std::string source = part(page(), "source");
  EXPECT_THAT(source,
              AllOf(HasSubstr("out[x * height + y] = in[y * width + x];"),
                    HasSubstr("G01</code> Uncoalesced stores: 141 ms lost"),
                    HasSubstr(unbroken("16,777,216 sectors per launch, ideal 2,097,152\">175 GiB, 60.4 %")),
                    HasSubstr("1 other place moves no more than it needs")));
  EXPECT_THAT(source, AllOf(HasSubstr("Kernels built without line information: your own code (1 kernel)."),
                            HasSubstr("source not shown"), HasSubstr("offset 0x3d0")));
  EXPECT_EQ(count(source, "<tr id=\"place-"), 4U);
}

TEST_F(RichPage, TransfersStandBesideWhatPinnedMemoryReaches) {
  EXPECT_THAT(part(page(), "transfers"),
              AllOf(HasSubstr("from pageable host memory"), HasSubstr("7.80 GB/s"), HasSubstr("55.0 GB/s"),
                    HasSubstr("calibrated on this machine"), HasSubstr(">—<"), HasSubstr("Async")));
}

TEST_F(RichPage, TheDeviceIsDescribedInWordsAndUnits) {
  EXPECT_THAT(part(page(), "device"),
              AllOf(HasSubstr("132 multiprocessors"), HasSubstr("title=\"52,428,800 bytes\">50 MiB"),
                    HasSubstr("3.35 TB/s"), HasSubstr("not reported by the driver"), HasSubstr("3 engines"),
                    HasSubstr("2.79 TB/s")));
}

TEST_F(RichPage, SaysWhatMeasuringCost) {
  EXPECT_THAT(part(page(), "method"),
              AllOf(HasSubstr(unbroken("Measuring took 329 ms.")), HasSubstr("discarded")));
}

TEST_F(RichPage, DiagnosticsAreCompleteAndWordsAreExplained) {
  EXPECT_EQ(count(part(page(), "diagnostics"), "<th class=\"text\" data-order="), 3U);
  EXPECT_THAT(part(page(), "glossary"), HasSubstr("<dt>degree of coalescing</dt>"));
}

TEST_F(RichPage, IsTheSameEachTime) {
  EXPECT_EQ(page(), to_html(samples::rich()));
}

TEST(Page, AProgramWithoutCudaHasAPageThatSaysSo) {
  const std::string page = to_html(samples::empty());
  EXPECT_THAT(page, AllOf(HasSubstr("no GPU was used"), HasSubstr("The program made no CUDA call"),
                          HasSubstr("The program ran no kernel."),
                          HasSubstr("The program made no copy and no memory set.")));
  EXPECT_EQ(part(page, "calibration"), "");
  EXPECT_EQ(part(page, "device"), "");
}

TEST(Page, SaysWhatALineDoesWithTheSubjectOfItsFinding) {
  using analysis::SubjectKind;
  for (const auto& [kind, words] : {std::pair(SubjectKind::kernel, " runs <code"),
                                    {SubjectKind::transfers, " copies <code"},
                                    {SubjectKind::timeline, " causes <code"},
                                    {SubjectKind::allocated_again, " allocates <code"},
                                    {SubjectKind::allocation, " uses <code"}}) {
    analysis::Report report = samples::rich();
    analysis::Finding finding = report.findings.front();
    finding.kernel_id = std::nullopt;
    finding.file = std::nullopt;
    finding.subjects = {{kind, 0}};
    finding.call_file = "train.py";
    finding.call_line = 7;
    report.findings = {finding};
    EXPECT_THAT(part(to_html(report), "findings"), HasSubstr(words));
  }
}

TEST(Page, NothingMeasuredIsSaidInEachCell) {
  const std::string page = to_html(samples::unmeasured());
  EXPECT_THAT(page,
              AllOf(HasSubstr("ended by signal 11"), HasSubstr("NVreg_RestrictProfilingToAdminUsers=0")));
  EXPECT_THAT(part(page, "kernels"), Not(HasSubstr("0.0 %")));
  EXPECT_THAT(part(page, "findings"),
              HasSubstr("Nothing could be judged, which does not mean that all is well"));
}

TEST(Page, CalibrationGivesVerdictsFamilyByFamily) {
  const std::string calibration = part(to_html(samples::calibration()), "calibration");
  EXPECT_THAT(calibration,
              AllOf(HasSubstr("✗ 31 of 32 counts exact, 1 failed"), HasSubstr("✓ 6 of 6 counts exact"),
                    HasSubstr("2,621,441 sectors"), HasSubstr("no closed form"),
                    HasSubstr("the counter is not there on this chip")));
}

TEST(Page, ATimedFigureHasItsSpreadAndItsModelAndASkippedOneItsReason) {
  const std::string calibration = part(to_html(samples::calibration()), "calibration");
  EXPECT_THAT(calibration, AllOf(HasSubstr("1.39 ms<small>\u00b1 3 %</small>"), HasSubstr("1.35 ms"),
                                 HasSubstr("one GPU is visible, and peer copies need two"),
                                 Not(HasSubstr("time ns spread"))));
  EXPECT_LT(calibration.find("A6"), calibration.find("C1: what stays in L2"));
}

TEST(Page, OfALargeCaptureAllRowsAreDataAndTheFirstAreMarkup) {
  const std::string kernels = part(to_html(samples::large()), "kernels");
  EXPECT_EQ(count(kernels, "<tr id=\"kernel-"), 200U);
  EXPECT_EQ(table_data(kernels)["rows"], 5000);
  EXPECT_THAT(kernels, HasSubstr("With JavaScript this table has 4,800 more rows."));
}

// All markup that a page of text of our own has, and no more: the browser tests then prove that nothing runs.
TEST(Page, HostileTextAddsNoMarkup) {
  const std::string page = to_html(samples::hostile());
  EXPECT_EQ(count(page, "<script>window.pwned"), 0U);
  EXPECT_EQ(count(page, "<img"), 0U);
  EXPECT_EQ(count(page, "</title>"), 1U);
  EXPECT_EQ(count(page, "</style>"), 1U);
  EXPECT_EQ(count(page, "<script"), count(page, "</script>"));
  EXPECT_EQ(count(page, "<script"), count(to_html(samples::rich()), "<script") + 1)
      << "it has a family of reference kernels, whose table is data, too";
}

TEST(Page, LoadsNothing) {
  const std::string page = to_html(samples::rich());
  EXPECT_EQ(count(page, "content=\"default-src 'none'; style-src 'sha256-"), 1U);
  const std::string without_scripts = page.substr(0, page.find("id=\"chart-data\""));
  for (const char* loader : {"<link", "<iframe", "<img", "<script src", "@import", "url("})
    EXPECT_EQ(count(without_scripts, loader), 0U) << loader;
}

}  // namespace
}  // namespace coalescope::html
