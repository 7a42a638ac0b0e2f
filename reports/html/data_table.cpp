// The JSON is columns of indices into one list of strings: most cells of a column say the same.
#include "reports/html/data_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "core/base/units.h"

namespace coalescope::html {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 4> kLooks{"text", "number", "share", "code"};

class Strings {
 public:
  Strings() { index(""); }

  std::size_t index(const std::string& text) {
    const auto [place, is_new] = places_.try_emplace(text, list_.size());
    if (is_new) list_.push_back(visible(text));
    return place->second;
  }
  Json indices(const std::vector<std::string>& texts) {
    Json list = Json::array();
    for (const std::string& text : texts) list.push_back(index(text));
    return list;
  }
  [[nodiscard]] Json list() const { return list_; }

 private:
  std::unordered_map<std::string, std::size_t> places_;
  Json list_ = Json::array();
};

// Seven digits sort as well as sixteen, in half of the room.
Json rounded(double value) {
  const double few = std::stod(fmt::format("{:.7g}", value));
  if (!std::isfinite(few)) return {};
  if (few == std::floor(few) && std::abs(few) < 9e15) return static_cast<std::int64_t>(few);
  return few;
}

// A column in which no cell says anything is left out.
void add_texts(Json& column, const char* key, const DataTable& table, std::size_t at,
               std::string DataCell::*member, Strings& strings) {
  Json list = Json::array();
  bool any = false;
  for (const DataRow& row : table.rows) {
    list.push_back(strings.index(row.cells[at].*member));
    any = any || !(row.cells[at].*member).empty();
  }
  if (any) column[key] = std::move(list);
}

Json column_json(const DataTable& table, std::size_t at, Strings& strings) {
  const DataHeading& heading = table.headings[at];
  Json column = {{"heading", heading.heading},
                 {"group", heading.group},
                 {"about", heading.about},
                 {"look", kLooks[static_cast<std::size_t>(heading.look)]}};
  add_texts(column, "text", table, at, &DataCell::text, strings);
  add_texts(column, "note", table, at, &DataCell::note, strings);
  add_texts(column, "exact", table, at, &DataCell::exact, strings);
  Json order = Json::array();
  bool any = false;
  for (const DataRow& row : table.rows) {
    const auto& value = row.cells[at].order;
    any = any || value;
    order.push_back(value ? rounded(*value) : Json());
  }
  if (any) column["order"] = std::move(order);
  return column;
}

Json part_json(const DataPart& part, Strings& strings) {
  Json json = {{"h", strings.index(part.heading)}};
  if (!part.words.empty()) json["w"] = strings.indices(part.words);
  if (!part.pairs.empty()) json["p"] = strings.indices(part.pairs);
  if (!part.command.empty()) json["c"] = strings.index(part.command);
  if (part.rows.empty()) return json;
  json["t"] = strings.indices(part.headings);
  json["r"] = Json::array();
  for (const auto& row : part.rows) json["r"].push_back(strings.indices(row));
  for (const DataBars& bars : part.bars) {
    Json shares = Json::array();
    for (const auto& share : bars.shares) shares.push_back(share ? Json(rounded(*share)) : Json());
    json["b"].push_back({bars.column, bars.place == BarPlace::middle, std::move(shares)});
  }
  return json;
}

std::string table_json(const DataTable& table) {
  Strings strings;
  Json json = {{"id", table.id},
               {"caption", table.caption},
               {"rowsAre", table.rows_are},
               {"rows", table.rows.size()},
               {"chips", table.chips},
               {"columns", Json::array()},
               {"anchors", Json::array()},
               {"search", Json::array()},
               {"marks", Json::array()},
               {"parts", Json::array()}};
  for (std::size_t at = 0; at < table.headings.size(); ++at)
    json["columns"].push_back(column_json(table, at, strings));
  for (const DataRow& row : table.rows) {
    json["anchors"].push_back(row.anchors);
    json["search"].push_back(strings.index(row.search));
    json["marks"].push_back(row.marks);
    if (json["parts"].size() >= kRowsOpened) continue;
    Json parts = Json::array();
    for (const DataPart& part : row.parts) parts.push_back(part_json(part, strings));
    json["parts"].push_back(std::move(parts));
  }
  json["strings"] = strings.list();
  return escape_json(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string look_class(Look look) {
  return look == Look::number || look == Look::share ? "number" : "text";
}

std::string full_heading(const DataHeading& heading) {
  return heading.group.empty() ? heading.heading : heading.group + ": " + heading.heading;
}

Html plain_cell(const DataCell& cell, const DataHeading& heading, bool first) {
  Html shown = heading.look == Look::code ? element("code", cell.text) : Html(cell.text);
  if (!cell.note.empty()) shown << element("small", cell.note);
  if (first) return element("th", {{"scope", "row"}}, shown);
  return element("td", {{"class", look_class(heading.look)}}, shown);
}

// For a browser without script.
Html plain_table(const DataTable& table) {
  Html head, body;
  for (const DataHeading& heading : table.headings)
    head << element("th", {{"scope", "col"}, {"class", look_class(heading.look)}}, full_heading(heading));
  for (const DataRow& row : table.rows) {
    if (&row == table.rows.data() + kRowsWithoutScript) break;
    Html cells;
    for (std::size_t at = 0; at < row.cells.size(); ++at)
      cells << plain_cell(row.cells[at], table.headings[at], at == 0);
    Attributes attributes;
    if (!row.anchors.empty()) attributes.push_back({"id", row.anchors.front()});
    body << element("tr", attributes, cells);
  }
  Html all = element("caption", table.caption);
  all << element("thead", element("tr", head)) << element("tbody", body);
  Html out = element(
      "div", {{"class", "frame"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", table.caption}},
      element("table", {{"id", table.id}}, all));
  if (table.rows.size() > kRowsWithoutScript)
    out << paragraph(
        fmt::format("With JavaScript this table has {} more rows.",
                    base::format_count(static_cast<std::int64_t>(table.rows.size() - kRowsWithoutScript))));
  return out;
}

Html column_meanings(const DataTable& table) {
  Html list;
  for (const DataHeading& heading : table.headings)
    if (!heading.about.empty()) list << element("dt", full_heading(heading)) << element("dd", heading.about);
  return list.empty() ? Html{} : details("What the columns mean", element("dl", list));
}

}  // namespace

Html data_table(const DataTable& table) {
  Html out =
      Html::trusted("<div class=\"data-table\"><script type=\"application/json\">" + table_json(table) +
                    "</script><noscript>" + plain_table(table).markup() + "</noscript></div>");
  if (table.rows.size() < table.rows_in_all)
    out << element(
        "p", {{"class", "more"}},
        fmt::format("{} more {} are not shown here; coalescope report FILE --json lists all of them.",
                    base::format_count(static_cast<std::int64_t>(table.rows_in_all - table.rows.size())),
                    table.rows_are));
  out << column_meanings(table);
  return out;
}

DataCell data_cell(const analysis::Shown& value) {
  using State = analysis::Shown::State;
  if (value.state == State::there) return {value.text, "", value.exact, value.order};
  if (value.state == State::none) return {value.text, "", value.reason, std::nullopt};
  return {"—", "", value.reason.empty() ? value.brief : value.reason, std::nullopt};
}

}  // namespace coalescope::html
