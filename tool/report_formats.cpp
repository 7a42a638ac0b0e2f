#include "tool/report_formats.h"

#include <algorithm>

#include "reports/csv/csv.h"
#include "reports/folded/folded.h"
#include "reports/html/page.h"
#include "reports/json/json.h"
#include "reports/markdown/markdown.h"
#include "reports/sarif/sarif.h"
#include "tool/output.h"
#include "tool/version.h"

namespace coalescope::tool {
namespace {

using analysis::Report;
using Takes = ReportFormat::Takes;

constexpr std::array kFormats{
    ReportFormat{
        "--html",
        "Write one self-contained page to this file",
        Takes::file,
        [](const Report& report, const std::string&) { return html::to_html(report); },
        {"<!doctype html>", {"<meta name=\"generator\" content=\"coalescope\">", ""}},
    },
    ReportFormat{
        "--json",
        "The report as data: docs/report.schema.json",
        Takes::nothing,
        [](const Report& report, const std::string&) { return json::to_json(report, kJsonIndent) + "\n"; },
        {"{", {"\"schema_version\"", "\"capture_path\""}},
    },
    // The heading of a table is its mark.
    ReportFormat{
        "--csv",
        "One table for spreadsheets and data frames",
        Takes::choice,
        [](const Report& report, const std::string& table) {
          return csv::to_csv(report, csv::table_of(table).value_or(csv::Table::kernels));
        },
        {},
        csv::table_names,
    },
    ReportFormat{
        "--markdown",
        "For comments and summaries, as GitHub renders it",
        Takes::nothing,
        [](const Report& report, const std::string&) { return markdown::to_markdown(report); },
        {"## coalescope: ", {"", ""}},
    },
    ReportFormat{
        "--sarif",
        "The findings for tools of code review: SARIF 2.1.0",
        Takes::nothing,
        [](const Report& report, const std::string&) { return sarif::to_sarif(report, version()) + "\n"; },
        {"{", {"\"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\"", "\"name\": \"coalescope\""}},
    },
    ReportFormat{
        "--folded",
        "Call stacks for flame graphs, weighted by GPU time, or by the time that repairs would save",
        Takes::choice,
        [](const Report& report, const std::string& weight) {
          return folded::to_folded(report, folded::weight_of(weight).value_or(folded::Weight::gpu_time));
        },
        {},
        folded::weight_names,
    },
};

}  // namespace

std::span<const ReportFormat> report_formats() {
  return kFormats;
}

const ReportFormat* report_format(std::string_view option) {
  const auto* found = std::ranges::find(kFormats, option, &ReportFormat::option);
  return found == kFormats.end() ? nullptr : found;
}

}  // namespace coalescope::tool
