// The source lines that are worth a reader's time, and the source around them where it can be read.
#include <algorithm>
#include <fmt/format.h>

#include "reports/analysis/view/columns.h"
#include "reports/analysis/view/missing_lines.h"
#include "reports/html/data_table.h"
#include "reports/html/sections.h"
#include "reports/html/source_excerpts.h"
#include "reports/html/source_lines.h"
#include "reports/html/values.h"

namespace coalescope::html {
namespace {

using analysis::LineRow;
using analysis::Report;

DataCell line_place(const WorthyLine& row) {
  const LineRow& line = *row.line;
  if (!line.file)
    return {fmt::format("offset {:#x}", line.pc_offset.value_or(0)), row.owner,
            "built without -lineinfo: an offset in the machine code", std::nullopt};
  return {place_text(line.file, line.line), line.text ? shortened(*line.text) : "source not shown",
          fmt::format("{}:{}", *line.file, line.line.value_or(0)), std::nullopt};
}

DataCell line_kernel(const WorthyLine& row) {
  const std::string of = row.shapes > 1 ? fmt::format("the worst of {} shapes", row.shapes) : "";
  return {shortened(row.line->kernel_name), of, "", std::nullopt};
}

DataCell surplus_share(const WorthyLine& row) {
  if (!row.share) return {"—", "", "no line has surplus sectors", std::nullopt};
  return data_cell(analysis::shown(analysis::Show::share, "of the surplus sectors of all lines", *row.share));
}

struct LineColumn {
  DataHeading heading;
  std::function<DataCell(const WorthyLine&)> cell;
};

LineColumn line_field(analysis::Keys<LineRow> key, Look look = Look::number) {
  const auto column = analysis::columns_of(key).front();
  return {{column.group, column.heading, std::string(column.about), look},
          [column](const WorthyLine& row) { return data_cell(column.shown(*row.line)); }};
}

std::vector<LineColumn> line_columns() {
  return {{{"", "Place",
            "File and line of the memory instructions, and the line itself; without line information the "
            "offset in the "
            "machine code.",
            Look::code},
           line_place},
          {{"", "Kernel", "The kernel in which the line was measured.", Look::code}, line_kernel},
          {{"", "Of all surplus", "Its surplus sectors over all launches / those of all lines.", Look::share},
           surplus_share},
          line_field("surplus_sectors"),
          line_field("sectors"),
          line_field("ideal_sectors"),
          line_field("sectors_per_request"),
          line_field("least_degree..greatest_degree"),
          line_field("traits", Look::text)};
}

DataPart line_figures(const LineRow& line) {
  DataPart part{.heading = "All figures, per launch", .headings = {"Figure", "Value"}};
  for (const auto& column : analysis::all_columns<LineRow>()) {
    if (column.show == analysis::Show::hidden) continue;
    const auto value = column.shown(line);
    if (value.state != analysis::Shown::State::there || value.text.empty()) continue;
    part.rows.push_back({column.title, value.text});
  }
  return part;
}

DataTable line_table(const std::vector<WorthyLine>& lines) {
  const auto columns = line_columns();
  DataTable table{.id = "line-table",
                  .caption = analysis::counted(std::ssize(lines), "place", "places") +
                             " where sectors are lost, counts per launch",
                  .rows_are = "places",
                  .chips = {"With source", "Own code"},
                  .rows_in_all = lines.size()};
  for (const auto& column : columns) table.headings.push_back(column.heading);
  for (const WorthyLine& line : lines) {
    if (table.rows.size() == kRowsKept) break;
    DataRow& row = table.rows.emplace_back();
    row.anchors = {fmt::format("place-{}", table.rows.size())};
    row.search = line.line->kernel_name;
    row.marks = (line.line->file ? 1U : 0U) | (line.owner.empty() ? 2U : 0U);
    for (const auto& column : columns) row.cells.push_back(column.cell(line));
    if (table.rows.size() <= kRowsOpened) row.parts = {line_figures(*line.line)};
  }
  return table;
}

// Said once per library: which code has no lines, and what adds them.
Html without_lines(const Report& report) {
  Html content;
  if (const auto owners = analysis::owners_without_lines(report); !owners.empty())
    content << paragraph("Kernels built without line information: " + analysis::joined(owners, ", ") +
                         ". Their places are offsets in the machine code. nvcc -lineinfo adds lines to code "
                         "that you build, and keeps the optimisation.");
  if (const auto modules = analysis::own_modules_without_lines(report); !modules.empty())
    content << paragraph("Host code built without line information: " + analysis::joined(modules, ", ") +
                         ". Its calls have no source line. Compile it with -g.");
  return content;
}

std::string introduction(const Report& report, const std::vector<WorthyLine>& lines,
                         const SourceExcerpts& excerpts) {
  std::string words;
  if (excerpts.with_time)
    words =
        "GPU time of a line: kernels and transfers that it called, itself or through code of packages and "
        "libraries.";
  if (excerpts.with_waste)
    words +=
        std::string(words.empty() ? "" : " ") +
        "Bytes wasted by a line: sectors that it moved beyond the ideal, 32 bytes each, over all launches.";
  std::int64_t others = std::ssize(report.lines);
  for (const WorthyLine& line : lines) others -= static_cast<std::int64_t>(line.shapes);
  if (others > 0)
    words += fmt::format("{}{} no more than {}; coalescope report FILE --csv lines lists all of them.",
                         words.empty() ? "" : " ",
                         words.empty()
                             ? analysis::counted(others, "place in the code moves", "places in the code move")
                             : analysis::counted(others, "other place moves", "other places move"),
                         others == 1 ? "it needs" : "they need");
  return words;
}

}  // namespace

Html source_section(const Report& report) {
  if (report.lines.empty() && report.sources.empty() && report.call_lines.empty()) return {};
  const auto lines = worthy_lines(report);
  const SourceExcerpts excerpts = source_excerpts(report);
  Html content;
  if (const std::string words = introduction(report, lines, excerpts); !words.empty())
    content << paragraph(words);
  content << excerpts.html << without_lines(report);
  if (lines.empty()) return section("source", "Source lines", content);
  // Offsets in libraries are for those who write these libraries.
  const bool any_line =
      std::ranges::any_of(lines, [](const WorthyLine& each) { return each.line->file.has_value(); });
  const Html table = data_table(line_table(lines));
  content << (any_line ? table : details("Places in code without line information", table));
  return section("source", "Source lines", content);
}

}  // namespace coalescope::html
