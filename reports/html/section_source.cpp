// Every source line that reads or writes memory, and the source around the worst of them where it can be
// read.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/html/field_columns.h"
#include "reports/html/sections.h"

namespace coalescope::html {
namespace {

using analysis::LineRow;
using analysis::Report;
using analysis::SourceExcerpt;

Cell place(const LineRow& row) {
  if (!row.file)
    return {element("code", {{"class", "place"}}, fmt::format("offset {:#x}", row.pc_offset.value_or(0))),
            "The kernel was built without -lineinfo, so the place is an offset in its machine code",
            std::nullopt};
  return {element("code", {{"class", "place"}}, place_text(row.file, row.line)),
          fmt::format("{}:{}", *row.file, row.line.value_or(0)), std::nullopt};
}

Cell text(const LineRow& row) {
  if (row.text) return {element("code", {{"class", "source"}}, *row.text), "", std::nullopt};
  return row.file ? missing("source not shown", "", *row.file)
                  : missing("no line information", "build with -lineinfo",
                            "nvcc -lineinfo keeps optimisation as it is");
}

Cell kernel(const LineRow& row) {
  const Html name = element("code", {{"class", "name"}}, row.kernel_name);
  return {element("a", {{"href", "#" + kernel_anchor(row.kernel_id)}}, name), row.kernel_name, std::nullopt};
}

std::vector<Column<LineRow>> line_columns() {
  using L = LineRow;
  std::vector<Column<L>> columns{
      {"", "Place", "File and line of the memory instructions.", Align::text, place, "file line pc_offset"},
      {"", "Kernel", "The kernel group in which the line was measured.", Align::text, kernel, "kernel_name"},
      {"", "Source", "The line as it was recorded; if it was not, as the file has it now.", Align::text, text,
       "text"},
      field<L>("loads"),
      field<L>("stores"),
      field<L>("sectors"),
      field<L>("ideal_sectors"),
      field<L>("surplus_sectors"),
      field<L>("sectors_per_request"),
      field<L>("sector_efficiency"),
      field<L>("least_degree..greatest_degree"),
      field<L>("traits")};
  fold_rest(columns);
  return columns;
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

Html excerpt_line(const std::string& anchor, const SourceExcerpt::Line& line) {
  const bool wasteful = line.sectors && line.ideal_sectors && *line.sectors > *line.ideal_sectors;
  Html cells = element("th", {{"scope", "row"}}, fmt::format("{}", line.number));
  cells << element("td", {{"class", "verdict"}}, verdict(line))
        << element("td", element("code", {{"class", "source"}}, line.text));
  return element("tr", {{"id", anchor}, {"class", wasteful ? "wasteful" : "plain"}}, cells);
}

Html excerpt(std::size_t number, const SourceExcerpt& source) {
  Html head = element("th", {{"scope", "col"}}, "Line");
  head << element("th", {{"scope", "col"}}, "Sectors moved") << element("th", {{"scope", "col"}}, "Source");
  Html rows;
  std::int64_t previous = 0;
  for (const auto& line : source.lines) {
    if (previous != 0 && line.number != previous + 1)
      rows << element("tr", {{"class", "gap"}}, element("td", {{"colspan", "3"}}, "…"));
    rows << excerpt_line(fmt::format("source-{}-{}", number, line.number), line);
    previous = line.number;
  }
  Html table = element("caption", element("code", source.file));
  table << element("thead", element("tr", head)) << element("tbody", rows);
  return element("div",
                 {{"class", "frame"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", source.file}},
                 element("table", {{"class", "excerpt"}}, table));
}

}  // namespace

Html source_section(const Report& report) {
  if (report.lines.empty() && report.sources.empty()) return {};
  Html content = paragraph(
      "Where in the source the sectors were moved, the largest surplus first. One line can hold several "
      "memory "
      "instructions; their surplus is summed, so that a good one hides no bad one.");
  content << table<LineRow>(
      {"line-table",
       counted(std::ssize(report.lines), "line with memory instructions", "lines with memory instructions"),
       "lines"},
      line_columns(), report.lines);
  for (std::size_t at = 0; at < report.sources.size(); ++at) content << excerpt(at + 1, report.sources[at]);
  return section("source", "Source lines", content);
}

}  // namespace coalescope::html
