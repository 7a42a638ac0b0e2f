#include "reports/text/comparison.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "reports/text/cells.h"
#include "reports/text/style.h"
#include "reports/text/table.h"

namespace coalescope::text {
namespace {

constexpr std::size_t kHandful = 5, kEvery = std::numeric_limits<std::size_t>::max();

// Sentences do not fit beside numbers: a last column of them goes under its row.
void append_table(std::vector<std::string>& lines, const comparison::Table& table, Style style,
                  std::size_t width) {
  lines.emplace_back();
  lines.push_back(style.heading(table.heading));
  if (!table.about.empty()) append_wrapped(lines, table.about, width, "", kIndent);
  const bool reasons = table.columns.back().sentence;
  const std::size_t shown = table.columns.size() - (reasons ? 1 : 0);
  std::vector<TableColumn> columns;
  for (std::size_t i = 0; i < shown; ++i)
    columns.push_back({table.columns[i].heading, table.columns[i].number ? Align::number : Align::words});
  std::vector<TableRow> rows;
  for (const auto& row : table.rows) {
    TableRow& cells = rows.emplace_back();
    for (std::size_t i = 0; i < shown; ++i) cells.push_back(clean(row[i]));
  }
  const auto made = table_lines(columns, rows, width, kIndent);
  const std::size_t headings = made.size() - rows.size();
  for (std::size_t i = 0; i < made.size(); ++i) {
    lines.push_back(made[i]);
    if (reasons && i >= headings && !table.rows[i - headings].back().empty())
      append_wrapped(lines, clean(table.rows[i - headings].back()), width, "", 2 * kIndent);
  }
  if (table.more > 0) lines.push_back(fmt::format("  and {} more: --verbose lists them", table.more));
}

}  // namespace

std::string to_text(const Answer& answer, const TextOptions& options) {
  const Style style{options.colour};
  const auto width = static_cast<std::size_t>(std::clamp(options.width, kLeastWidth, kMostWidth));
  std::vector<std::string> lines;
  append_wrapped(lines, clean(answer.verdict), width, "", 0);
  for (auto& line : lines) line = style.heading(line);
  for (const auto& line : answer.about) append_wrapped(lines, clean(line), width, "", kIndent);
  for (const auto& table : answer.tables) append_table(lines, table, style, width);
  std::string text;
  for (const auto& line : lines) text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  return text;
}

std::string to_text(const comparison::Comparison& comparison, const TextOptions& options) {
  Answer answer{"coalescope diff: " + comparison.verdict,
                {"Before: " + comparison.before.path, "After: " + comparison.after.path},
                comparison::tables_of(comparison, options.verbose ? kEvery : kHandful, options.verbose)};
  for (const auto& note : comparison.notes) answer.about.push_back("Note: " + note);
  return to_text(answer, options);
}

}  // namespace coalescope::text
