// Every source line that reads or writes memory, and the source around the worst of them where it can be
// read.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/html/sections.h"
#include "reports/html/values.h"

namespace coalescope::html {
namespace {

using analysis::LineRow;
using analysis::Report;
using analysis::SourceExcerpt;

Cell optional_count(std::optional<std::int64_t> count, std::string_view unit) {
  return count ? count_cell(*count, unit)
               : missing("not measured", "", "the counter was not collected for this line");
}

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

Cell executions(const LineRow& row) {
  if (!row.loads && !row.stores) return optional_count(std::nullopt, "");
  const std::int64_t loads = row.loads.value_or(0);
  const std::int64_t stores = row.stores.value_or(0);
  const std::string shown = stores == 0  ? base::format_count(loads) + " loads"
                            : loads == 0 ? base::format_count(stores) + " stores"
                                         : fmt::format("{} loads, {} stores", base::format_count(loads),
                                                       base::format_count(stores));
  return {shown, fmt::format("{} memory instructions, executed once a warp", row.instructions),
          static_cast<double>(loads + stores)};
}

Cell sectors(const LineRow& row) {
  return optional_count(row.sectors, "sectors a launch");
}
Cell ideal(const LineRow& row) {
  return optional_count(row.ideal_sectors, "sectors a launch");
}
Cell surplus(const LineRow& row) {
  return optional_count(row.surplus_sectors, "sectors a launch");
}

Cell spread(const LineRow& row) {
  return row.sectors_per_request ? ratio_cell(*row.sectors_per_request, "sectors a request")
                                 : optional_count(std::nullopt, "");
}

Cell efficiency(const LineRow& row) {
  return row.sector_efficiency ? share_cell(*row.sector_efficiency, "of the sectors were needed")
                               : optional_count(std::nullopt, "");
}

// Known where both ends are the same.
Cell degree(const LineRow& row) {
  if (!row.least_degree || !row.greatest_degree) return optional_count(std::nullopt, "");
  Cell cell = share_cell(*row.greatest_degree, "of the bytes moved were asked for, at most");
  const std::string least = base::format_share(*row.least_degree);
  const std::string greatest = base::format_share(*row.greatest_degree);
  if (least != greatest) cell.shown = Html(fmt::format("{} to {}", least, greatest));
  cell.title += fmt::format("; {} at least", exact_share(*row.least_degree));
  return cell;
}

Cell accesses(const LineRow& row) {
  std::string traits;
  for (const auto& trait : row.traits) traits += (traits.empty() ? "" : ", ") + trait;
  return {traits, "", std::nullopt};
}

constexpr std::array<Column<LineRow>, 11> kLineColumns{{
    {"", "Place", "File and line of the memory instructions.", Align::text, place},
    {"", "Kernel", "The kernel group in which the line was measured.", Align::text, kernel},
    {"", "Source", "The line as it was recorded; if it was not, as the file has it now.", Align::text, text},
    {"", "Executed", "Loads and stores, once a warp, in one launch.", Align::number, executions},
    {"Sectors, a launch", "Moved", "Pieces of 32 bytes that the line moved.", Align::number, sectors},
    {"Sectors, a launch", "Ideal", "What the same bytes need when they lie side by side.", Align::number,
     ideal},
    {"Sectors, a launch", "Surplus", "Moved beyond the ideal, summed over the line's instructions.",
     Align::number, surplus},
    {"", "Sectors a request", "Moved for one instruction of one warp.", Align::number, spread},
    {"", "Sector efficiency", "Ideal sectors / sectors moved.", Align::number, efficiency},
    {"", "Degree of coalescing",
     "Distinct bytes asked for / bytes moved, of its loads and stores. The counters of instructions may "
     "leave it open "
     "between two ends.",
     Align::number, degree},
    {"", "Accesses", "What shape its accesses have, and which other kinds stand on the line.", Align::text,
     accesses},
}};

// How many times the ideal a line moved, as words: the colour beside them is decoration.
Html verdict(const SourceExcerpt::Line& line) {
  if (!line.sectors || !line.ideal_sectors) return {};
  const std::string exact = fmt::format("{} sectors a launch, ideal {}", base::format_count(*line.sectors),
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
      kLineColumns, report.lines);
  for (std::size_t at = 0; at < report.sources.size(); ++at) content << excerpt(at + 1, report.sources[at]);
  return section("source", "Source lines", content);
}

}  // namespace coalescope::html
