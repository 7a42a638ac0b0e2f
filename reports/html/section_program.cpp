// What the program did beside kernels and copies: plain tables, made by the analysis.
#include <fmt/format.h>

#include "reports/analysis/view/program_tables.h"
#include "reports/html/sections.h"
#include "reports/html/values.h"

namespace coalescope::html {
namespace {

// Longer tables are folded.
constexpr std::size_t kShort = 5;

Html shown(const analysis::PlainTable& plain) {
  std::vector<Heading> headings;
  for (std::size_t i = 0; i < plain.headings.size(); ++i) {
    const bool words = i == 0 || std::ranges::find(plain.words, i) != plain.words.end();
    headings.push_back({"", plain.headings[i], "", words ? Align::text : Align::number});
  }
  std::vector<TableRow> rows;
  for (const auto& row : plain.rows) {
    TableRow& out = rows.emplace_back();
    for (const std::string& cell : row) out.cells.push_back({Html(cell), "", std::nullopt});
  }
  const Html table =
      render_table({plain.id + "-table", plain.title, plain.rows_are}, headings, rows, plain.rows_in_all);
  if (rows.size() <= kShort) return table;
  return details(fmt::format("{}: {} {}", plain.title, rows.size(), plain.rows_are), table);
}

}  // namespace

Html program_section(const analysis::Report& report) {
  Html content;
  for (const analysis::PlainTable& plain : analysis::program_tables(report.program)) content << shown(plain);
  if (content.empty()) return {};
  return section("program", "Memory, ranges and waits", content);
}

}  // namespace coalescope::html
