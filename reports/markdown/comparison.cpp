#include "reports/markdown/comparison.h"

#include <fmt/format.h>

#include "reports/markdown/escape.h"
#include "reports/markdown/table.h"

namespace coalescope::markdown {
namespace {

// GitHub refuses comments of more than 65,536 characters.
constexpr std::size_t kMostRows = 50;

}  // namespace

std::string to_markdown(const comparison::Table& shown) {
  std::vector<Column> columns;
  for (const auto& column : shown.columns) columns.push_back({column.heading, column.number});
  std::vector<Row> rows;
  for (const auto& cells : shown.rows) {
    Row& row = rows.emplace_back();
    for (std::size_t i = 0; i < cells.size(); ++i)
      row.push_back(comparison::is_code(shown, shown.columns[i], cells[i]) ? code(cells[i])
                                                                           : prose(cells[i]));
  }
  std::string text = "\n### " + shown.heading + "\n\n";
  if (!shown.about.empty()) text += prose(shown.about) + "\n\n";
  text += table(columns, rows);
  if (shown.more > 0) text += fmt::format("\nand {} more\n", shown.more);
  return text;
}

std::string to_markdown(const comparison::Comparison& comparison) {
  std::string text = "## coalescope: " + code(comparison.after.command.empty() ? comparison.after.path
                                                                               : comparison.after.command);
  text += "\n\n**" + prose(comparison.verdict) + "**\n\n";
  text += "Before: " + code(comparison.before.path) + ", after: " + code(comparison.after.path) + ".\n";
  for (const auto& note : comparison.notes) text += "\n- " + prose(note);
  if (!comparison.notes.empty()) text += '\n';
  for (const auto& each : comparison::tables_of(comparison, kMostRows, false)) text += to_markdown(each);
  return text;
}

}  // namespace coalescope::markdown
