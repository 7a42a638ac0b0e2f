#pragma once
// Tables as data: a column is one row of an array (heading, meaning, how to fill a cell), so that adding one
// is adding a line. They are complete without script; table.js only makes them sortable.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/analysis/view/columns.h"
#include "reports/html/markup.h"

namespace coalescope::html {

// A table shows this many rows. The rest stands in words under it: a browser that lays out tens of thousands
// of rows helps nobody, and --json has them all.
inline constexpr std::size_t kRowsShown = 1000;

struct Cell {
  Html shown;
  std::string title;            // the exact value, or in full why there is none
  std::optional<double> order;  // what the column is sorted by; nullopt of a number sorts last
};

enum class Align { text, number };

template <class Row>
struct Column {
  std::string group;  // neighbours of one group share a heading above theirs; may be empty
  std::string heading;
  std::string_view about;  // what the number means, for a reader who sees the word for the first time
  Align align = Align::number;
  std::function<Cell(const Row&)> cell;
  analysis::Keys<Row> keys;  // of the declared fields that it shows
};

// The heading part of a column, and a row ready to print.
struct Heading {
  std::string_view group, heading, about;
  Align align;
};
struct TableRow {
  std::string anchor;  // the row's id in the page; may be empty
  std::vector<Cell> cells;
};
struct TableText {
  std::string id;
  std::string caption;
  std::string_view rows_are;  // "kernel groups", for "1,240 more kernel groups ..."
  std::string_view all_of_them = "coalescope report FILE --json";
};

Html render_table(const TableText& text, std::span<const Heading> headings, std::span<const TableRow> rows,
                  std::size_t rows_in_all);

template <class Row, class Anchor>
Html table(const TableText& text, std::span<const Column<Row>> columns, std::span<const Row> rows,
           Anchor anchor) {
  std::vector<Heading> headings;
  for (const auto& column : columns)
    headings.push_back({column.group, column.heading, column.about, column.align});
  std::vector<TableRow> filled;
  for (const Row& row : rows.first(std::min(rows.size(), kRowsShown))) {
    TableRow& out = filled.emplace_back(TableRow{anchor(row), {}});
    for (const auto& column : columns) out.cells.push_back(column.cell(row));
  }
  return render_table(text, headings, filled, rows.size());
}

template <class Row>
Html table(const TableText& text, std::span<const Column<Row>> columns, std::span<const Row> rows) {
  return table(text, columns, rows, [](const Row&) { return std::string(); });
}

}  // namespace coalescope::html
