#pragma once
// Columns of the page that show declared fields: headings, meanings, units and reasons are those of the
// declaration.

#include <initializer_list>
#include <vector>

#include "core/base/units.h"
#include "reports/analysis/view/columns.h"
#include "reports/html/values.h"

namespace coalescope::html {

// What stands small under a number.
template <class Row>
Html small_part(const analysis::Column<Row>& column, const Row& row) {
  const analysis::Shown value = column.shown(row);
  if (value.state != analysis::Shown::State::there || value.text.empty()) return {};
  const std::string text = column.words() ? value.text : column.label + " " + value.text;
  Html part = element("small", {{"title", value.exact}}, text);
  if (column.show == analysis::Show::share) part << bar(value.order.value_or(0));
  return part;
}

template <class Row>
Column<Row> field(analysis::Key<Row> key, std::initializer_list<analysis::Key<Row>> below = {}) {
  const auto main = analysis::column_of(key);
  Column<Row> column{main.group, main.heading, main.about, main.words() ? Align::text : Align::number,
                     {},         {key.path}};
  std::vector<analysis::Column<Row>> parts;
  for (const auto& each : below) {
    parts.push_back(analysis::column_of(each));
    column.keys.push_back(each.path);
  }
  column.cell = [main, parts](const Row& row) {
    Cell cell = cell_of(main.shown(row), main.show);
    for (const auto& part : parts) cell.shown << small_part(part, row);
    return cell;
  };
  return column;
}

// What no column shows stands folded under the name of the row.
template <class Row>
void fold_rest(std::vector<Column<Row>>& columns) {
  std::vector<std::string_view> keys;
  for (const auto& column : columns) keys.insert(keys.end(), column.keys.begin(), column.keys.end());
  columns.front().cell = [name = columns.front().cell, rest = analysis::rest_of<Row>(keys)](const Row& row) {
    Cell cell = name(row);
    if (const std::string text = analysis::listed(row, rest); !text.empty())
      cell.shown << details("More", element("small", text));
    return cell;
  };
}

}  // namespace coalescope::html
