// Everything that the recorder dropped, refused or could not do, in full.
#include <array>
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
Cell origin(const Diagnostic& row) {
  return {row.origin, "", std::nullopt};
}
Cell code(const Diagnostic& row) {
  return {element("code", {{"class", "code"}}, row.code), "", std::nullopt};
}
Cell text(const Diagnostic& row) {
  return {row.text, "", std::nullopt};
}
Cell times(const Diagnostic& row) {
  return count_cell(row.count, "times");
}

constexpr std::array<Column<Diagnostic>, 5> kDiagnosticColumns{{
    {"", "Severity", "Data loss: numbers are missing. Error: something failed.", Align::text, severity},
    {"", "Part", "Which part of coalescope speaks.", Align::text, origin},
    {"", "What happened", "", Align::text, text},
    {"", "Times", "How often.", Align::number, times},
    {"", "Code", "Stable, for programs.", Align::text, code},
}};

}  // namespace

Html diagnostics_section(const analysis::Report& report) {
  if (report.diagnostics.empty())
    return section("diagnostics", "Diagnostics",
                   paragraph("Nothing was dropped, refused or discarded, and nothing failed."));
  return section(
      "diagnostics", "Diagnostics",
      table<Diagnostic>(
          {"diagnostic-table", counted(std::ssize(report.diagnostics), "message", "messages"), "messages"},
          kDiagnosticColumns, report.diagnostics));
}

}  // namespace coalescope::html
