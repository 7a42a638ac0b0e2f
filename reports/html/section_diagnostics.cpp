// Everything that the recorder dropped, refused or could not do, in full.
#include <fmt/format.h>

#include "reports/html/sections.h"
#include "reports/html/values.h"
#include "reports/html/words.h"

namespace coalescope::html {
namespace {

using model::Diagnostic;

Cell severity(const Diagnostic& row) {
  const Html shown = element("span", {{"class", row.severity == model::Severity::info ? "info" : "serious"}},
                             fmt::format("{} {}", mark(row.severity), words(row.severity)));
  return {shown, "", static_cast<double>(row.severity)};
}
Cell code(const Diagnostic& row) {
  return {element("code", {{"class", "code"}}, row.code), "", std::nullopt};
}

std::vector<Column<Diagnostic>> diagnostic_columns() {
  return {{"", "Severity", "Data loss: numbers are missing. Error: something failed.", Align::text, severity},
          words_column("Part", "The part of coalescope that reports it.", &Diagnostic::origin),
          {"", "What happened", "", Align::text,
           [](const Diagnostic& row) {
             return Cell{unbroken(row.text), "", {}};
           }},
          count_column("Times", "How often.", &Diagnostic::count, "times"),
          {"", "Code", "A stable identifier for scripts.", Align::text, code}};
}

}  // namespace

Html diagnostics_section(const analysis::Report& report) {
  if (report.diagnostics.empty())
    return section("diagnostics", "Diagnostics",
                   paragraph("Nothing was dropped, refused or discarded, and nothing failed."));
  return section(
      "diagnostics", "Diagnostics",
      table<Diagnostic>(
          {"diagnostic-table", counted(std::ssize(report.diagnostics), "message", "messages"), "messages"},
          diagnostic_columns(), report.diagnostics));
}

}  // namespace coalescope::html
