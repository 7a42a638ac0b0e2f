// Every kernel, with the chart that shows at a glance which of them are worth a look.
#include <algorithm>

#include "reports/analysis/view/view.h"
#include "reports/html/kernel_columns.h"
#include "reports/html/kernel_details.h"
#include "reports/html/sections.h"
#include "reports/html/values.h"

namespace coalescope::html {
namespace {

using analysis::Report;

enum Mark : unsigned { kHasFindings = 1, kOwnCode = 2, kLibrary = 4, kNotMeasured = 8 };

unsigned marks_of(const KernelEntry& entry) {
  unsigned marks = entry.findings.empty() ? 0U : kHasFindings;
  const auto origin = entry.shapes.front()->origin;
  marks |= origin == analysis::Origin::library || origin == analysis::Origin::tool ? kLibrary : kOwnCode;
  for (const auto* row : entry.shapes)
    for (const auto& missing : row->unmeasured)
      if (missing.reason != model::CoverageReason::size_measured) marks |= kNotMeasured;
  return marks;
}

DataTable kernel_table(const Report& report) {
  const std::vector<KernelEntry> entries = kernel_entries(report);
  DataTable table{.id = "kernel-table",
                  .caption = analysis::counted(std::ssize(entries), "kernel", "kernels"),
                  .rows_are = "kernels",
                  .chips = {"Has findings", "Own code", "Library", "Not fully measured"},
                  .rows_in_all = entries.size()};
  for (const auto& column : kernel_columns()) table.headings.push_back(column.heading);
  const KernelDetails details(report);
  for (const KernelEntry& entry : entries) {
    if (table.rows.size() == kRowsKept) break;
    DataRow& row = table.rows.emplace_back();
    for (const auto* shape : entry.shapes) row.anchors.push_back(kernel_anchor(shape->id));
    row.search = entry.family->full_name + "\n" + entry.shapes.front()->owner;
    row.marks = marks_of(entry);
    for (const auto& column : kernel_columns()) row.cells.push_back(column.cell(entry));
    if (table.rows.size() <= kRowsOpened) row.parts = details.parts(entry);
  }
  for (std::size_t at = 0; at < table.headings.size(); ++at)
    if (std::ranges::any_of(table.rows, [&](const DataRow& row) { return !row.cells[at].note.empty(); }))
      table.headings[at].about += kernel_columns()[at].about_notes;
  // Where no finding is shown, as of a calibration, nothing would be saved.
  for (std::size_t at = table.rows.empty() ? 0 : table.headings.size(); at-- > 0;)
    if (std::ranges::all_of(table.rows, [&](const DataRow& row) { return row.cells[at].text.empty(); })) {
      const auto place = static_cast<std::ptrdiff_t>(at);
      table.headings.erase(table.headings.begin() + place);
      for (DataRow& row : table.rows) row.cells.erase(row.cells.begin() + place);
    }
  return table;
}

}  // namespace

Html kernels_section(const Report& report) {
  if (report.kernels.empty())
    return section("kernels", "Kernels",
                   paragraph(report.hidden.kernels.empty() ? "The program ran no kernel."
                                                           : "The filters of this report select no kernel."));
  Html content = paragraph(
      "A row is one function with one block size, over all its grids and processes, " +
      analysis::order_words(report, "the most GPU time first") +
      ". Open a row for its shapes, findings, lines, callers and memory. A dash means not measured; "
      "point at it for the reason.");
  content << data_table(kernel_table(report))
          << chart("kernels", "GPU time against degree of coalescing",
                   "One point for the loads and one for the stores of each kernel shape. Repairs pay most at "
                   "the top left: much GPU time at a low degree.");
  return section("kernels", "Kernels", content);
}

}  // namespace coalescope::html
