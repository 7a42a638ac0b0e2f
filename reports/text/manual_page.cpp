// The page is cut into blocks (heading, code, table, paragraph), and each is laid out by itself. Only what
// pages of ours use is understood; anything else is a paragraph, and so still readable.

#include "reports/text/manual_page.h"

#include <algorithm>
#include <numeric>

#include "reports/text/cells.h"

namespace coalescope::text {
namespace {

using Lines = std::vector<std::string>;

constexpr std::string_view kFence = "```";
constexpr std::string_view kBold = "**";
constexpr std::string_view kItem = "- ";
constexpr std::size_t kColumnGap = 2;  // between the columns of a table
constexpr std::size_t kCodeIndent = 4;

Lines split_lines(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return lines;
}

std::string without_bold(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text.substr(i).starts_with(kBold))
      ++i;
    else
      out += text[i];
  return out;
}

// A paragraph's first words, where they are bold: "Symptom."
std::string label_of(std::string_view text) {
  if (!text.starts_with(kBold)) return {};
  text.remove_prefix(kBold.size());
  return std::string(text.substr(0, std::min(text.find(kBold), text.size())));
}

void add_paragraph(Lines& out, const std::string& text, Style style, std::size_t width) {
  const std::string label = label_of(text);
  const bool item = text.starts_with(kItem);
  const std::size_t first = out.size();
  append_wrapped(out, without_bold(item ? text.substr(kItem.size()) : text), width, item ? kItem : "",
                 item ? kItem.size() : 0);
  if (first < out.size() && !label.empty() && out[first].starts_with(label))
    out[first] = style.heading(label) + out[first].substr(label.size());
}

Lines cells_of(std::string_view line) {
  Lines cells{""};
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '|')
      cells.emplace_back();
    else if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|')
      cells.back() += line[++i];
    else
      cells.back() += line[i];
  }
  cells.pop_back();  // what stands behind the last pipe
  for (auto& cell : cells) {
    cell.erase(0, cell.find_first_not_of(' '));
    cell.erase(cell.find_last_not_of(' ') + 1);
  }
  return cells;
}

// The widest columns give way until the row fits.
std::vector<std::size_t> column_widths(const std::vector<Lines>& rows, std::size_t width) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  if (widths.empty()) return widths;
  const std::size_t gaps = kColumnGap * (widths.size() - 1);
  while (std::accumulate(widths.begin(), widths.end(), gaps) > width) {
    const auto widest = std::ranges::max_element(widths);
    if (*widest <= 8) break;  // too narrow for any table: let the terminal wrap
    --*widest;
  }
  return widths;
}

void add_table(Lines& out, const std::vector<Lines>& rows, Style style, std::size_t width) {
  const auto widths = column_widths(rows, width);
  bool heading = true;
  for (const auto& row : rows) {
    std::vector<Lines> cells;
    std::size_t height = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      cells.push_back(wrap(row[i], std::max<std::size_t>(1, widths[i])));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t at = 0; at < height; ++at) {
      std::string line;
      for (std::size_t i = 0; i < cells.size(); ++i)
        line += pad_right(at < cells[i].size() ? cells[i][at] : "",
                          widths[i] + (i + 1 < cells.size() ? kColumnGap : 0));
      line.erase(line.find_last_not_of(' ') + 1);
      out.push_back(heading ? style.heading(line) : line);
    }
    heading = false;
  }
}

bool is_rule_line(std::string_view line) {
  return line.find_first_not_of("|-: ") == std::string_view::npos;
}

bool begins_block(std::string_view line) {
  return line.empty() || line.starts_with('#') || line.starts_with('|') || line.starts_with(kFence) ||
         line.starts_with(kItem);
}

}  // namespace

Lines manual_page_lines(std::string_view markdown, Style style, std::size_t width) {
  const Lines lines = split_lines(markdown);
  Lines out;
  for (std::size_t i = 0; i < lines.size();) {
    const std::string& line = lines[i];
    if (line.empty()) {
      if (!out.empty() && !out.back().empty()) out.emplace_back();
      ++i;
    } else if (line.starts_with('#')) {
      const std::string heading = line.substr(std::min(line.find_first_not_of("# "), line.size()));
      for (const auto& part : wrap(heading, width)) out.push_back(style.heading(part));
      ++i;
    } else if (line.starts_with(kFence)) {
      for (++i; i < lines.size() && !lines[i].starts_with(kFence); ++i)
        out.push_back(lines[i].empty() ? "" : std::string(kCodeIndent, ' ') + lines[i]);
      ++i;
    } else if (line.starts_with('|')) {
      std::vector<Lines> rows;
      for (; i < lines.size() && lines[i].starts_with('|'); ++i)
        if (!is_rule_line(lines[i])) rows.push_back(cells_of(lines[i]));
      add_table(out, rows, style, width);
    } else {
      std::string text = line;
      for (++i; i < lines.size() && !begins_block(lines[i]); ++i) {
        const std::size_t begin = std::min(lines[i].find_first_not_of(' '), lines[i].size());
        text += " " + lines[i].substr(begin);
      }
      add_paragraph(out, text, style, width);
    }
  }
  while (!out.empty() && out.back().empty()) out.pop_back();
  return out;
}

}  // namespace coalescope::text
