#include "reports/text/table.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "reports/text/cells.h"

namespace coalescope::text {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kLeastWords = 12;

std::size_t longest_word(const std::string& text) {
  std::size_t longest = 0;
  for (std::size_t at = 0, end = 0; at <= text.size(); at = end + 1) {
    end = std::min(text.find(' ', at), text.size());
    longest = std::max(longest, width_of(std::string_view(text).substr(at, end - at)));
  }
  return longest;
}

std::vector<std::size_t> natural_widths(const std::vector<TableColumn>& columns,
                                        const std::vector<TableRow>& rows, bool broken) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::size_t widest = broken && columns[i].align == Align::number ? longest_word(columns[i].title)
                                                                     : width_of(columns[i].title);
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

std::size_t sum_of(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), std::size_t{0});
}

// Takes from the widest column of words until the line fits or none of them can give more.
void shrink(std::vector<std::size_t>& widths, const std::vector<TableColumn>& columns, std::size_t room) {
  for (std::size_t total = sum_of(widths); total > room; --total) {
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
    case Align::name:
      return pad_right(cut_middle(text, width), width);
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

// One row a line of the highest heading; lower ones stand at the bottom.
std::vector<TableRow> heading_rows(const std::vector<TableColumn>& columns,
                                   const std::vector<std::size_t>& widths) {
  std::vector<std::vector<std::string>> headings;
  std::size_t height = 1;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool breaks = columns[i].align == Align::number && width_of(columns[i].title) > widths[i];
    headings.push_back(breaks ? wrap(columns[i].title, widths[i]) : std::vector{columns[i].title});
    height = std::max(height, headings.back().size());
  }
  std::vector<TableRow> rows(height);
  for (const auto& heading : headings)
    for (std::size_t line = 0; line < height; ++line) {
      const std::size_t above = height - heading.size();
      rows[line].push_back(line < above ? std::string() : heading[line - above]);
    }
  return rows;
}

}  // namespace

std::vector<std::string> table_lines(const std::vector<TableColumn>& columns,
                                     const std::vector<TableRow>& rows, std::size_t width,
                                     std::size_t indent) {
  if (rows.empty()) return {};
  const std::size_t gaps = indent + kGap * (columns.empty() ? 0 : columns.size() - 1);
  const std::size_t room = width > gaps ? width - gaps : 0;
  auto widths = natural_widths(columns, rows, false);
  widen(widths, columns);
  if (sum_of(widths) > room) {
    widths = natural_widths(columns, rows, true);
    widen(widths, columns);
  }
  shrink(widths, columns, room);
  std::vector<std::string> lines;
  if (std::ranges::any_of(columns, [](const TableColumn& column) { return !column.group.empty(); }))
    lines.push_back(group_line(columns, widths, indent));
  for (const auto& row : heading_rows(columns, widths))
    lines.push_back(line_of(row, columns, widths, indent));
  for (const auto& row : rows) lines.push_back(line_of(row, columns, widths, indent));
  return lines;
}

}  // namespace coalescope::text
