#include "reports/text/table.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "reports/text/cells.h"

namespace coalescope::text {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kLeastWords = 12;

std::vector<std::size_t> natural_widths(const std::vector<TableColumn>& columns,
                                        const std::vector<TableRow>& rows) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::size_t widest = width_of(columns[i].title);
    for (const auto& row : rows) widest = std::max(widest, width_of(row[i]));
    widths.push_back(widest);
  }
  return widths;
}

// One behind the last column of the group that begins at this one.
std::size_t end_of_group(const std::vector<TableColumn>& columns, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < columns.size() && columns[end].group == columns[begin].group) ++end;
  return end;
}

std::size_t span_of(const std::vector<std::size_t>& widths, std::size_t begin, std::size_t end) {
  const auto columns = std::span(widths).subspan(begin, end - begin);
  return std::accumulate(columns.begin(), columns.end(), kGap * (end - begin - 1));
}

// A group's heading is never cut: the first of its columns gives it room.
void widen(std::vector<std::size_t>& widths, const std::vector<TableColumn>& columns) {
  for (std::size_t at = 0; at < columns.size(); at = end_of_group(columns, at)) {
    const std::size_t span = span_of(widths, at, end_of_group(columns, at));
    widths[at] += std::max(span, width_of(columns[at].group)) - span;
  }
}

std::string group_line(const std::vector<TableColumn>& columns, const std::vector<std::size_t>& widths,
                       std::size_t indent) {
  std::string line(indent, ' ');
  for (std::size_t at = 0, end = 0; at < columns.size(); at = end) {
    end = end_of_group(columns, at);
    line += (at == 0 ? "" : std::string(kGap, ' ')) + pad_left(columns[at].group, span_of(widths, at, end));
  }
  return line;
}

// Takes from the widest column of words until the line fits or none of them can give more.
void shrink(std::vector<std::size_t>& widths, const std::vector<TableColumn>& columns, std::size_t room) {
  for (std::size_t total = std::accumulate(widths.begin(), widths.end(), std::size_t{0}); total > room;
       --total) {
    std::size_t* widest = nullptr;
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (columns[i].align != Align::number && (!widest || widths[i] > *widest)) widest = &widths[i];
    if (!widest || *widest <= kLeastWords) return;
    --*widest;
  }
}

std::string cell_text(const std::string& text, Align align, std::size_t width) {
  switch (align) {
    case Align::words:
      return pad_right(cut_end(text, width), width);
    case Align::path:
      return pad_right(cut_begin(text, width), width);
    case Align::number:
      return pad_left(text, width);
  }
  return text;
}

std::string line_of(const TableRow& row, const std::vector<TableColumn>& columns,
                    const std::vector<std::size_t>& widths, std::size_t indent) {
  std::string line(indent, ' ');
  for (std::size_t i = 0; i < row.size(); ++i)
    line += (i == 0 ? "" : std::string(kGap, ' ')) + cell_text(row[i], columns[i].align, widths[i]);
  return line;
}

}  // namespace

std::vector<std::string> table_lines(const std::vector<TableColumn>& columns,
                                     const std::vector<TableRow>& rows, std::size_t width,
                                     std::size_t indent) {
  const std::size_t gaps = indent + kGap * (columns.empty() ? 0 : columns.size() - 1);
  auto widths = natural_widths(columns, rows);
  widen(widths, columns);
  shrink(widths, columns, width > gaps ? width - gaps : 0);
  TableRow titles;
  for (const auto& column : columns) titles.emplace_back(column.title);
  std::vector<std::string> lines;
  if (std::ranges::any_of(columns, [](const TableColumn& column) { return !column.group.empty(); }))
    lines.push_back(group_line(columns, widths, indent));
  lines.push_back(line_of(titles, columns, widths, indent));
  for (const auto& row : rows) lines.push_back(line_of(row, columns, widths, indent));
  return lines;
}

}  // namespace coalescope::text
