// The source lines that are worth a reader's time, and the source around them where it can be read.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/view/columns.h"
#include "reports/html/data_table.h"
#include "reports/html/sections.h"
#include "reports/html/source_lines.h"
#include "reports/html/values.h"

namespace coalescope::html {
namespace {

using analysis::LineRow;
using analysis::Report;
using analysis::SourceExcerpt;

// So many lines before and after one that matters, and so many files before the rest is folded.
constexpr std::int64_t kAround = 3;
constexpr std::size_t kFilesOpen = 1;

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
  return {{{"", "Place", "File and line of the memory instructions, and the line itself.", Look::code},
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

// How many times the ideal a line moved, as words: the colour beside them is decoration.
Html verdict(const SourceExcerpt::Line& line) {
  if (!line.sectors || !line.ideal_sectors) return {};
  const std::string exact = fmt::format("{} sectors per launch, ideal {}", base::format_count(*line.sectors),
                                        base::format_count(*line.ideal_sectors));
  if (*line.ideal_sectors == 0) return exactly(base::format_count(*line.sectors) + " sectors", exact);
  const double times = static_cast<double>(*line.sectors) / static_cast<double>(*line.ideal_sectors);
  return exactly(times <= 1.0 ? std::string("ideal") : base::format_ratio(times) + " x ideal", exact);
}

std::int64_t surplus_of(const SourceExcerpt::Line& line) {
  return std::max<std::int64_t>(0, line.sectors.value_or(0) - line.ideal_sectors.value_or(0));
}

// From 0, nothing lost, to 4: within a half of the worst line of the file.
int heat(const SourceExcerpt::Line& line, std::int64_t worst) {
  const std::int64_t surplus = surplus_of(line);
  if (surplus == 0 || worst == 0) return 0;
  constexpr std::array kLimits{0.02, 0.1, 0.5};
  const double part = static_cast<double>(surplus) / static_cast<double>(worst);
  return 1 + static_cast<int>(std::ranges::count_if(kLimits, [&](double limit) { return part >= limit; }));
}

Html excerpt_line(const std::string& anchor, const SourceExcerpt::Line& line, std::int64_t worst) {
  Html cells = element("th", {{"scope", "row"}}, fmt::format("{}", line.number));
  cells << element("td", {{"class", "verdict"}}, verdict(line))
        << element("td", element("code", {{"class", "source"}}, line.text));
  return element("tr", {{"id", anchor}, {"class", fmt::format("heat-{}", heat(line, worst))}}, cells);
}

std::vector<SourceExcerpt::Line> lines_around_worthy(const Report& report, const SourceExcerpt& source) {
  std::vector<std::int64_t> worthy;
  for (const auto& line : source.lines)
    if (is_worthy(report, source, line)) worthy.push_back(line.number);
  std::vector<SourceExcerpt::Line> shown;
  for (const auto& line : source.lines)
    if (std::ranges::any_of(worthy, [&](auto number) { return std::abs(number - line.number) <= kAround; }))
      shown.push_back(line);
  return shown;
}

Html excerpt(std::size_t number, const SourceExcerpt& source, const std::vector<SourceExcerpt::Line>& lines) {
  Html head = element("th", {{"scope", "col"}}, "Line");
  head << element("th", {{"scope", "col"}}, "Sectors moved") << element("th", {{"scope", "col"}}, "Source");
  std::int64_t worst = 0;
  for (const auto& line : lines) worst = std::max(worst, surplus_of(line));
  Html rows;
  std::int64_t previous = 0;
  for (const auto& line : lines) {
    if (previous != 0 && line.number != previous + 1)
      rows << element("tr", {{"class", "gap"}}, element("td", {{"colspan", "3"}}, "…"));
    rows << excerpt_line(fmt::format("source-{}-{}", number, line.number), line, worst);
    previous = line.number;
  }
  Html table = element("caption", element("code", source.file));
  table << element("thead", element("tr", head)) << element("tbody", rows);
  return element("div",
                 {{"class", "frame"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", source.file}},
                 element("table", {{"class", "excerpt"}}, table));
}

Html excerpts(const Report& report) {
  Html content;
  std::size_t shown = 0;
  for (std::size_t at = 0; at < report.sources.size(); ++at) {
    const auto lines = lines_around_worthy(report, report.sources[at]);
    if (lines.empty()) continue;
    const Html one = excerpt(at + 1, report.sources[at], lines);
    content << (shown++ < kFilesOpen ? one : details(report.sources[at].file, one));
  }
  return content;
}

}  // namespace

Html source_section(const Report& report) {
  if (report.lines.empty() && report.sources.empty()) return {};
  const auto lines = worthy_lines(report);
  std::string words =
      "Places that move more sectors than they need, or that a finding is about, most surplus over the run "
      "first.";
  std::int64_t others = std::ssize(report.lines);
  for (const WorthyLine& line : lines) others -= static_cast<std::int64_t>(line.shapes);
  if (others > 0)
    words += fmt::format(" {} no more than {}; --csv lines lists all.",
                         analysis::counted(others, "other place moves", "other places move"),
                         others == 1 ? "it needs" : "they need");
  Html content = paragraph(words);
  content << excerpts(report);
  if (const auto owners = owners_without_lines(report); !owners.empty())
    content << paragraph("Built without line information: " + analysis::joined(owners, ", ") +
                         ". Their places are offsets in the machine code. nvcc -lineinfo adds lines to code "
                         "that you build, and keeps optimisation as it is.");
  if (!lines.empty()) content << data_table(line_table(lines));
  return section("source", "Source lines", content);
}

}  // namespace coalescope::html
