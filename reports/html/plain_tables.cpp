#include "reports/html/plain_tables.h"

#include <algorithm>
#include <fmt/format.h>

#include "reports/html/data_table.h"
#include "reports/html/values.h"

namespace coalescope::html {
namespace {

// Longer tables are folded.
constexpr std::size_t kRowsAtOnce = 5;

bool is_words(const analysis::PlainTable& plain, std::size_t column) {
  return column == 0 || std::ranges::find(plain.words, column) != plain.words.end();
}

std::string_view about_of(const analysis::PlainTable& plain, std::size_t column) {
  return column < plain.abouts.size() ? plain.abouts[column] : std::string_view();
}

// "1 device", "12 call sites": all of these words end in s.
std::string rows_of(const analysis::PlainTable& plain) {
  return counted(static_cast<std::int64_t>(plain.rows_in_all),
                 plain.rows_are.substr(0, plain.rows_are.size() - 1), plain.rows_are);
}

Html short_table(const analysis::PlainTable& plain) {
  std::vector<Heading> headings;
  for (std::size_t i = 0; i < plain.headings.size(); ++i)
    headings.push_back(
        {"", plain.headings[i], about_of(plain, i), is_words(plain, i) ? Align::text : Align::number});
  std::vector<TableRow> rows;
  for (std::size_t at = 0; at < plain.rows.size(); ++at) {
    TableRow& out = rows.emplace_back();
    for (std::size_t i = 0; i < plain.rows[at].size(); ++i)
      out.cells.push_back({Html(plain.rows[at][i]), "", plain.orders[at][i]});
  }
  return render_table({plain.id + "-table", plain.title, plain.rows_are}, headings, rows, plain.rows_in_all);
}

Html long_table(const analysis::PlainTable& plain) {
  DataTable table{.id = plain.id + "-table",
                  .caption = plain.title,
                  .rows_are = plain.rows_are,
                  .rows_in_all = plain.rows_in_all};
  for (std::size_t i = 0; i < plain.headings.size(); ++i)
    table.headings.push_back({"", plain.headings[i], std::string(about_of(plain, i)),
                              is_words(plain, i) ? Look::text : Look::number});
  for (std::size_t at = 0; at < plain.rows.size(); ++at) {
    DataRow& out = table.rows.emplace_back();
    out.anchors = {fmt::format("{}-{}", plain.id, table.rows.size())};
    for (std::size_t i = 0; i < plain.rows[at].size(); ++i)
      out.cells.push_back({plain.rows[at][i], "", "", plain.orders[at][i]});
  }
  return details(fmt::format("{}: {}", plain.title, rows_of(plain)), data_table(table));
}

}  // namespace

Html plain_tables(const analysis::Report& report, std::span<const std::string_view> ids, Fold fold) {
  Html content;
  for (const analysis::PlainTable& plain : analysis::program_tables(report)) {
    if (std::ranges::find(ids, plain.id) == ids.end()) continue;
    const bool at_once = fold == Fold::long_ones && plain.rows.size() <= kRowsAtOnce;
    content << (at_once ? short_table(plain) : long_table(plain));
  }
  return content;
}

}  // namespace coalescope::html
