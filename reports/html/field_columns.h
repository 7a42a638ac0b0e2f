#pragma once
// Columns of the page that show declared fields: headings, meanings, units and reasons are those of the
// declaration.

#include <vector>

#include "reports/analysis/view/columns.h"
#include "reports/html/values.h"

namespace coalescope::html {

// What stands small under a number.
template <class Row>
Html small_part(const analysis::Column<Row>& column, const Row& row) {
  const analysis::Shown value = column.shown(row);
  if (value.state != analysis::Shown::State::there || value.text.empty()) return {};
  const bool share = column.show == analysis::Show::share;  // its bar and its title say of what
  const std::string text = share || column.words() ? value.text : column.label + " " + value.text;
  Html part = element("small", {{"title", value.exact}}, text);
  if (share) part << bar(value.order.value_or(0));
  return part;
}

// The first of the keys, and the others under it.
template <class Row>
Column<Row> field(analysis::Keys<Row> keys) {
  const auto fields = analysis::columns_of(keys);
  const auto& main = fields.front();
  const auto cell = [fields](const Row& row) {
    Cell made = cell_of(fields.front().shown(row), fields.front().show);
    for (std::size_t i = 1; i < fields.size(); ++i) made.shown << small_part(fields[i], row);
    return made;
  };
  return {main.group, main.heading, main.about, main.words() ? Align::text : Align::number, cell, keys};
}

// What no column shows stands folded under the name of the row.
template <class Row>
void fold_rest(std::vector<Column<Row>>& columns) {
  std::vector<analysis::Keys<Row>> keys;
  for (const auto& column : columns) keys.push_back(column.keys);
  columns.front().cell = [name = columns.front().cell, rest = analysis::rest_of<Row>(keys)](const Row& row) {
    Cell cell = name(row);
    if (const std::string text = analysis::listed(row, rest); !text.empty())
      cell.shown << details("More", element("small", text));
    return cell;
  };
}

}  // namespace coalescope::html
