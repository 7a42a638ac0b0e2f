#include "reports/html/comparison_page.h"

#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/view/shown.h"
#include "reports/comparison/tables.h"
#include "reports/html/frame.h"
#include "reports/html/table.h"
#include "reports/html/values.h"

namespace coalescope::html {
namespace {

using comparison::Comparison;

std::string id_of(std::string_view heading) {
  std::string id;
  for (const char c : heading.substr(0, heading.find_first_of(" ,")))
    id += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return id;
}

// Worse and better stand out, in colour and in words.
Html judgement(const std::string& word) {
  const bool bad =
      word == name_of(comparison::Judgement::worse) || word == name_of(comparison::FindingState::appeared);
  const bool good =
      word == name_of(comparison::Judgement::better) || word == name_of(comparison::FindingState::vanished);
  if (!bad && !good) return word;
  return element("span", {{"class", bad ? "verdict-fail" : "verdict-pass"}}, word);
}

Html cell_text(const comparison::Table& table, const comparison::Column& column, const std::string& cell) {
  if (comparison::is_code(table, column, cell)) return element("code", cell);
  return column.judges ? judgement(cell) : Html(unbroken(cell));
}

Html table_of(const comparison::Table& shown) {
  std::vector<Heading> headings;
  for (const auto& column : shown.columns)
    headings.push_back({"", column.heading, "", column.number ? Align::number : Align::text});
  std::vector<TableRow> rows;
  for (const auto& cells : shown.rows) {
    TableRow& row = rows.emplace_back();
    for (std::size_t i = 0; i < cells.size(); ++i)
      row.cells.push_back({cell_text(shown, shown.columns[i], cells[i]), "", std::nullopt});
  }
  const auto all = rows.size() + shown.more;
  const std::string caption =
      fmt::format("{}: {}", shown.rows_are, base::format_count(static_cast<std::int64_t>(all)));
  return render_table({id_of(shown.heading) + "-table", analysis::upper_first(caption), shown.rows_are,
                       "coalescope diff BEFORE AFTER --json"},
                      headings, rows, all);
}

Html side(std::string_view name, const comparison::Side& side) {
  Html value = element("code", side.path);
  value << element("small",
                   "recorded " + utc_time(side.started_unix_ns) + " by coalescope " + side.tool_version);
  Html pair = element("dt", name);
  pair << element("dd", value);
  return element("div", pair);
}

Html header_of(const Comparison& comparison) {
  Html content = element("p", {{"class", "kicker"}}, "coalescope: what changed between two recordings of");
  content << element("h1",
                     element("code", comparison.after.command.empty() ? "a command that was not recorded"
                                                                      : comparison.after.command))
          << element("p", {{"class", "lead"}}, unbroken(comparison.verdict));
  for (const auto& note : comparison.notes)
    content << element("p", {{"class", "coverage"}},
                       unbroken(analysis::upper_first(note) + (note.ends_with('.') ? "" : ".")));
  Html facts = side("Before", comparison.before);
  facts << side("After", comparison.after);
  Html gpu = element("dt", "GPU");
  gpu << element("dd", comparison.after.gpus.empty() ? "not recorded" : comparison.after.gpus);
  facts << element("div", gpu);
  content << element("dl", {{"class", "sides"}}, facts);
  return element("header", content);
}

}  // namespace

std::string to_html(const Comparison& comparison) {
  const auto tables = comparison::tables_of(comparison, kRowsShown, true);
  std::vector<std::string> ids;  // sections refer to them
  for (const auto& table : tables) ids.push_back(id_of(table.heading));
  std::vector<Section> sections;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    Html content = tables[i].about.empty() ? Html{} : paragraph(tables[i].about);
    content << table_of(tables[i]);
    sections.push_back({ids[i], tables[i].heading, section(ids[i], tables[i].heading, content)});
  }
  return framed("comparison", header_of(comparison), sections, {});
}

}  // namespace coalescope::html
