#include "reports/markdown/table.h"

namespace coalescope::markdown {

std::string table(const std::vector<Column>& columns, const std::vector<Row>& rows) {
  if (rows.empty()) return {};
  std::string text = "|";
  for (const auto& column : columns) text.append(" ").append(column.heading).append(" |");
  text += "\n|";
  for (const auto& column : columns) text += column.number ? " ---: |" : " --- |";
  text += '\n';
  for (const auto& row : rows) {
    text += '|';
    for (const auto& cell : row) text.append(" ").append(cell).append(" |");
    text += '\n';
  }
  return text;
}

}  // namespace coalescope::markdown
