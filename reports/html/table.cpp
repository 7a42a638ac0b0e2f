#include "reports/html/table.h"

#include <fmt/format.h>

#include "core/base/units.h"

namespace coalescope::html {
namespace {

// Sentences, which need more room on a narrow screen than words.
constexpr std::size_t kLongMarkup = 60;

bool has_groups(std::span<const Heading> headings) {
  for (const Heading& heading : headings)
    if (!heading.group.empty()) return true;
  return false;
}

// The upper row of headings: neighbours of one group share a cell.
Html group_row(std::span<const Heading> headings) {
  Html cells;
  for (std::size_t at = 0; at < headings.size();) {
    std::size_t end = at + 1;
    while (end < headings.size() && headings[end].group == headings[at].group) ++end;
    const std::string span = fmt::format("{}", end - at);
    if (headings[at].group.empty())
      cells << element("td", {{"colspan", span}});
    else
      cells << element("th", {{"scope", "colgroup"}, {"colspan", span}}, headings[at].group);
    at = end;
  }
  return element("tr", {{"class", "groups"}}, cells);
}

std::string align_class(Align align) {
  return align == Align::number ? "number" : "text";
}

Html heading_row(std::span<const Heading> headings) {
  Html cells;
  for (const Heading& heading : headings)
    cells << element(
        "th",
        {{"scope", "col"}, {"class", align_class(heading.align)}, {"title", std::string(heading.about)}},
        heading.heading);
  return element("tr", {{"class", "headings"}}, cells);
}

Html body_row(std::span<const Heading> headings, const TableRow& row) {
  Html cells;
  for (std::size_t at = 0; at < row.cells.size(); ++at) {
    const Cell& cell = row.cells[at];
    const bool is_long = headings[at].align == Align::text && cell.shown.markup().size() > kLongMarkup;
    Attributes attributes{{"class", is_long ? "text long" : align_class(headings[at].align)}};
    if (!cell.title.empty()) attributes.push_back({"title", cell.title});
    if (cell.order) attributes.push_back({"data-order", fmt::format("{}", *cell.order)});
    // The first column names the row, also to a screen reader.
    if (at == 0) attributes.push_back({"scope", "row"});
    cells << element(at == 0 ? "th" : "td", attributes, cell.shown);
  }
  Attributes attributes;
  if (!row.anchor.empty()) attributes.push_back({"id", row.anchor});
  return element("tr", attributes, cells);
}

// The headings' meanings again as plain text: a title needs a mouse.
Html meanings(std::span<const Heading> headings) {
  Html list;
  for (const Heading& heading : headings) {
    if (heading.about.empty()) continue;
    std::string name(heading.heading);
    if (!heading.group.empty()) name = fmt::format("{}: {}", heading.group, heading.heading);
    list << element("dt", name) << element("dd", heading.about);
  }
  return list.empty() ? Html{} : details("What the columns mean", element("dl", list));
}

}  // namespace

Html render_table(const TableText& text, std::span<const Heading> headings, std::span<const TableRow> rows,
                  std::size_t rows_in_all) {
  Html head;
  if (has_groups(headings)) head << group_row(headings);
  head << heading_row(headings);
  Html body;
  for (const TableRow& row : rows) body << body_row(headings, row);

  Html table = element("caption", text.caption);
  table << element("thead", head) << element("tbody", body);
  // The frame scrolls sideways on a narrow screen, so it must be reachable by keyboard.
  Html out = element(
      "div", {{"class", "frame"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", text.caption}},
      element("table", {{"id", text.id}, {"class", "sortable"}}, table));
  if (rows.size() < rows_in_all)
    out << element("p", {{"class", "more"}},
                   fmt::format("{} more {} are not shown here; {} lists all of them.",
                               base::format_count(static_cast<std::int64_t>(rows_in_all - rows.size())),
                               text.rows_are, text.all_of_them));
  out << meanings(headings);
  return out;
}

}  // namespace coalescope::html
