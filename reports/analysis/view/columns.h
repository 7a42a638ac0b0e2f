#pragma once
// The declared fields of a row as columns for people. Tables name those that they show by key: "gpu_ns",
// "load.degree" of a struct inside of the row, "smallest_bytes..largest_bytes" for two ends in one cell. What
// a table does not name is left for rest_of(), so that nothing that is declared can be lost.

#include <algorithm>
#include <functional>
#include <type_traits>

#include "reports/analysis/family_fields.h"
#include "reports/analysis/row_fields.h"
#include "reports/analysis/view/shown.h"

namespace coalescope::analysis {

template <class Row>
struct Column {
  std::string key;
  std::string group, heading;  // of a table; the group stands above it, and may be empty
  std::string title;           // both in one: "Loads: degree of coalescing"
  std::string label;           // without what is around it: "degree of coalescing"
  std::string_view about;
  Show show = Show::hidden;
  std::function<Shown(const Row&)> shown;

  [[nodiscard]] bool words() const { return show == Show::text || show == Show::flag || show == Show::name; }
};

template <class Row>
constexpr bool has_key(std::string_view key) {
  bool found = false;
  for_each_field<Row>([&]<class Field>(const Field& field) {
    if (key == field.key) found = true;
    if constexpr (HasFields<typename Field::Value>)
      if (key.starts_with(field.key) && key.substr(field.key.size()).starts_with("."))
        found = found || has_key<typename Field::Value>(key.substr(field.key.size() + 1));
  });
  return found;
}

// The words of `list`, one after the other, until one of them is refused.
template <class Visit>
constexpr bool for_each_word(std::string_view list, Visit visit) {
  while (!list.empty()) {
    const std::string_view word = list.substr(0, list.find(' '));
    if (!visit(word)) return false;
    list.remove_prefix(std::min(list.size(), word.size() + 1));
  }
  return true;
}

// "name gpu_ns load.degree": what the declarations lack does not compile.
template <class Row>
struct Keys {
  std::string_view list;
  constexpr Keys() = default;
  consteval Keys(const char* text) : list(text) {
    const bool known = for_each_word(list, [](std::string_view key) {
      const std::size_t dots = key.find("..");
      return has_key<Row>(key.substr(0, dots)) && (dots == key.npos || has_key<Row>(key.substr(dots + 2)));
    });
    if (!known) throw "there is no such field";
  }
};

template <class Row>
Why why_missing(const Row&, model::Phase, std::optional<model::Phase>) {
  return {};
}
template <class Row>
std::string sampled(const Row&, model::Phase) {
  return {};
}

template <class Row, class Part>
bool leaves_it_to_tma(const Row&, const Part&) {
  return false;
}

template <class Value>
Shown shown_value(Show show, std::string_view unit, const Value& value) {
  if constexpr (std::is_enum_v<Value>)
    return shown(spoken(name_of(value)));
  else if constexpr (std::is_same_v<Value, bool>)
    return shown(show, unit, static_cast<std::int64_t>(value));
  else if constexpr (std::is_arithmetic_v<Value>)
    return shown(show, unit, value);
  else if constexpr (std::is_same_v<Value, std::array<std::int64_t, 3>>)
    return shown(value, unit);
  else if constexpr (requires { shown(value); })
    return shown(value);
  else
    return {};  // a list of structs: for programs only
}

// `part` is the row itself, or the struct inside of it that has the field.
template <class Row, class Part, class Value>
Shown shown_field(const Row& row, const Part& part, const Field<Part, Value>& field) {
  const Lack<Part>& lack = field.lack;
  const auto found = [&](Shown value) {
    const std::string samples = lack.phase ? sampled(row, *lack.phase) : "";
    if (!samples.empty()) value.exact += "; " + samples;
    return value;
  };
  const bool nothing = lack.nothing && lack.nothing(part);
  const Value& value = part.*field.member;
  if constexpr (std::is_same_v<Value, Spread>) {
    if (value.least && !nothing)
      return found(shown_range(shown(field.show, field.unit, *value.least),
                               shown(field.show, field.unit, *value.greatest)));
  } else if constexpr (requires { value.has_value(); }) {
    if (value && !nothing) return found(shown_value(field.show, field.unit, *value));
  } else {
    return shown_value(field.show, field.unit, value);
  }
  using State = Shown::State;
  Shown missing = not_there(nothing ? State::none : lack.phase ? State::not_measured : State::unknown);
  Why why{"", std::string(lack.reason)};
  if (nothing)
    why = {"", lack.phase ? sampled(row, *lack.phase) : ""};
  else if (Why of_row; lack.phase && !(of_row = why_missing(row, *lack.phase, lack.also)).reason.empty())
    why = of_row;
  missing.brief = why.brief;
  missing.reason = why.reason;
  if (nothing && leaves_it_to_tma(row, part)) {
    missing.text = kByTma;
    missing.reason = "it moves its data by TMA, which no counter counts";
  }
  return missing;
}

template <class Row, class Part, class Get>
void add_columns(std::vector<Column<Row>>& columns, std::string_view outer_key, std::string_view outer_label,
                 Get part) {
  for_each_field<Part>([&]<class Declared>(const Declared& field) {
    if constexpr (HasFields<typename Declared::Value>)
      if (field.show == Show::parts)
        return add_columns<Row, typename Declared::Value>(
            columns, field.key, field.label,
            [ part, &field ](const Row& row) -> const auto& { return part(row).*field.member; });
    Column<Row> column{.about = field.about, .show = field.show};
    column.label = lower_first(field.label);
    column.shown = [part, &field](const Row& row) { return shown_field(row, part(row), field); };
    if (outer_key.empty()) {
      const std::size_t colon = field.label.find(": ");
      column.key = field.key;
      column.title = field.label;
      column.group = colon == field.label.npos ? "" : field.label.substr(0, colon);
      column.heading = upper_first(colon == field.label.npos ? field.label : field.label.substr(colon + 2));
    } else {
      column.key = std::string(outer_key) + "." + std::string(field.key);
      column.title = std::string(outer_label) + ": " + column.label;
      column.group = field.label;
      column.heading = outer_label;
    }
    columns.push_back(std::move(column));
  });
}

// All that are declared, those for programs too.
template <HasFields Row>
const std::vector<Column<Row>>& all_columns() {
  static const std::vector<Column<Row>> kColumns = [] {
    std::vector<Column<Row>> made;
    add_columns<Row, Row>(made, "", "", [](const Row& row) -> const Row& { return row; });
    return made;
  }();
  return kColumns;
}

template <class Row>
const Column<Row>& column_of(std::string_view key) {
  return *std::ranges::find(all_columns<Row>(), key, &Column<Row>::key);
}

// From the one to the other, in one cell.
template <class Row>
Column<Row> range_of(std::string_view least_key, std::string_view greatest_key) {
  const auto &least = column_of<Row>(least_key), &greatest = column_of<Row>(greatest_key);
  Column<Row> both = greatest;
  both.title = both.heading = greatest.group;
  both.group.clear();
  both.shown = [&least, &greatest](const Row& row) {
    return shown_range(least.shown(row), greatest.shown(row));
  };
  return both;
}

template <class Row>
std::vector<Column<Row>> columns_of(Keys<Row> keys) {
  std::vector<Column<Row>> columns;
  for_each_word(keys.list, [&](std::string_view key) {
    const std::size_t dots = key.find("..");
    columns.push_back(dots == key.npos ? column_of<Row>(key)
                                       : range_of<Row>(key.substr(0, dots), key.substr(dots + 2)));
    return true;
  });
  return columns;
}

// What no table shows, of those fields that are for people.
template <class Row>
std::vector<Column<Row>> rest_of(const std::vector<Keys<Row>>& tables) {
  std::vector<Column<Row>> rest;
  for (const auto& column : all_columns<Row>()) {
    const auto is_not_it = [&](std::string_view key) {
      const std::size_t dots = key.find("..");
      return key.substr(0, dots) != column.key && (dots == key.npos || key.substr(dots + 2) != column.key);
    };
    const auto lacks_it = [&](const Keys<Row>& keys) { return for_each_word(keys.list, is_not_it); };
    if (column.show != Show::hidden && std::ranges::all_of(tables, lacks_it)) rest.push_back(column);
  }
  return rest;
}

// "Loads: data bytes 8 MiB, requests 65,536; Registers 16": what is known of them, and of flags those that
// are set.
template <class Row>
std::string listed(const Row& row, const std::vector<Column<Row>>& columns) {
  std::string text, around;
  for (const auto& column : columns) {
    const Shown value = column.shown(row);
    if (value.state != Shown::State::there || value.text.empty()) continue;
    if (column.show == Show::flag && value.order == 0) continue;
    const std::size_t colon = column.title.find(": ");
    const std::string outer = colon == column.title.npos ? "" : column.title.substr(0, colon);
    const bool goes_on = !outer.empty() && outer == around;
    text += (text.empty() ? ""
             : goes_on    ? ", "
                          : "; ") +
            (goes_on ? column.title.substr(colon + 2) : column.title);
    text += " " + value.text;
    around = outer;
  }
  return text;
}

}  // namespace coalescope::analysis
