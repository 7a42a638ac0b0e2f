#pragma once
// How a row of the report is declared: each of its fields once, with what every format needs of it. JSON, its
// schema and CSV are loops over these tables, which are in row_fields.h.

#include <string_view>
#include <tuple>

namespace coalescope::analysis {

// A member of a row. Formats take from its type whether it may be missing.
template <class RowType, class ValueType>
struct Field {
  using Row = RowType;
  using Value = ValueType;

  std::string_view key;  // in JSON
  Value Row::*member;
  std::string_view column;  // in CSV, with its unit, "": not there; of a struct, what its columns begin with
  std::string_view about;   // what it is, in a few words; "": its name says it
};
template <class Row, class Value>
Field(std::string_view, Value Row::*, std::string_view, std::string_view) -> Field<Row, Value>;

// Specialised for each row struct: kName (of its definition in the schema), kAbout, kAll (a tuple of fields).
template <class Row>
struct Fields;

template <class Row>
concept HasFields = requires {
  Fields<Row>::kAll;
};

template <HasFields Row, class Visit>
constexpr void for_each_field(Visit&& visit) {
  std::apply([&](const auto&... field) { (visit(field), ...); }, Fields<Row>::kAll);
}

}  // namespace coalescope::analysis
