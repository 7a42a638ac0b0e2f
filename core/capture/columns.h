#pragma once
// How a table is declared, and what follows from the C++ types: a member's SQL type, whether it may be NULL,
// and which table its ids belong to. The declarations themselves are in tables.h.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/base/pack.h"
#include "core/base/strong_id.h"
#include "core/capture/limits.h"
#include "core/model/enums.h"

namespace coalescope::capture {

// A member of a row struct as a column. A `moment` counts nanoseconds since the capture began: merging
// captures that began at different times shifts it, unlike a duration. `since` names the schema version that
// brought it, and what older files are taken to hold: NULL unless said. `within` names the range of its
// numbers, where it does not follow from the type.
template <class RowType, class ValueType>
struct Column {
  using Row = RowType;
  using Value = ValueType;
  constexpr Column(std::string_view column, Value Row::*pointer, std::string_view sentence,
                   bool is_moment = false)
      : name(column), member(pointer), doc(sentence), moment(is_moment) {}

  std::string_view name;
  Value Row::*member;
  std::string_view doc;
  bool moment;
  std::int64_t version = 1;
  std::string_view fallback = "NULL";  // SQL
  std::optional<Range> own_range;

  [[nodiscard]] constexpr Column within(Range range) const {
    Column column = *this;
    column.own_range = range;
    return column;
  }

  [[nodiscard]] constexpr Column since(std::int64_t schema_version, std::string_view sql = "NULL") const {
    Column column = *this;
    column.version = schema_version;
    column.fallback = sql;
    return column;
  }
};

template <class Row, class Value>
constexpr Column<Row, Value> moment(std::string_view name, Value Row::*member, std::string_view doc) {
  return {name, member, doc, true};
}

// Specialised once for each row struct: kName, kDoc, kKey (the primary key's columns), kColumns (a pack);
// and kSince, the schema version that brought it, if that is not the first.
template <class Row>
struct Table;

// Specialised once for each enumeration: kName, kDoc, kEntries (the name of each value), kSince as above.
template <class Enum>
struct Lookup;

// The table whose rows a type of id names, specialised once for each such type; empty for a plain value.
template <class Id>
inline constexpr std::string_view kIdTable = {};

template <class Value>
constexpr std::string_view refers_to() {
  if constexpr (requires { Lookup<Value>::kName; })
    return Lookup<Value>::kName;
  else
    return kIdTable<Value>;
}

template <class Value>
inline constexpr bool kIsOptional = false;
template <class Value>
inline constexpr bool kIsOptional<std::optional<Value>> = true;

template <class Value>
inline constexpr bool kIsStrongId = false;
template <class Tag>
inline constexpr bool kIsStrongId<base::StrongId<Tag>> = true;

template <class Value>
struct WithoutOptional {
  using type = Value;
};
template <class Value>
struct WithoutOptional<std::optional<Value>> {
  using type = Value;
};

using Blob = std::vector<std::byte>;

template <class Row, class Value>
constexpr Range range_of(const Column<Row, Value>& column) {
  using Plain = typename WithoutOptional<Value>::type;
  if (column.own_range) return *column.own_range;
  if (column.moment) return kMoment;
  if constexpr (std::is_same_v<Plain, std::int64_t>)
    return column.name == "id" || column.name.ends_with("_id") ? kNumber : kAmount;
  else
    return kIsStrongId<Plain> ? kNumber : kAnyNumber;  // an enumeration knows its numbers itself
}

template <class Value>
constexpr std::string_view sql_type() {
  if constexpr (std::is_same_v<Value, double>)
    return "REAL";
  else if constexpr (std::is_same_v<Value, std::string>)
    return "TEXT";
  else if constexpr (std::is_same_v<Value, Blob>)
    return "BLOB";
  else {
    static_assert(std::is_same_v<Value, std::int64_t> || std::is_same_v<Value, bool> ||
                  std::is_enum_v<Value> || kIsStrongId<Value>);
    return "INTEGER";
  }
}

// A column without its C++ type: enough for DDL, merging and documentation.
struct ColumnInfo {
  std::string_view name;
  std::string_view type;
  bool nullable = false;
  std::string_view refers_to;
  bool moment = false;
  std::string_view doc;
  std::int64_t since = 1;
  std::string_view fallback = "NULL";
  Range range = kAnyNumber;
};

struct TableInfo {
  std::string_view name;
  std::string_view doc;
  std::string_view key;
  std::vector<ColumnInfo> columns;
  std::int64_t since = 1;
};

template <class Declaration>
constexpr std::int64_t since_version() {
  if constexpr (requires { Declaration::kSince; })
    return Declaration::kSince;
  else
    return 1;
}

template <class Row, class Value>
constexpr ColumnInfo describe(const Column<Row, Value>& column) {
  using Plain = typename WithoutOptional<Value>::type;
  return {column.name, sql_type<Plain>(), kIsOptional<Value>, refers_to<Plain>(), column.moment,
          column.doc,  column.version,    column.fallback,    range_of(column)};
}

template <class Row>
TableInfo describe() {
  TableInfo table{
      Table<Row>::kName, Table<Row>::kDoc, Table<Row>::kKey,
      Table<Row>::kColumns([](const auto&... column) { return std::vector{describe(column)...}; }),
      since_version<Table<Row>>()};
  for (ColumnInfo& column : table.columns)
    if (column.refers_to == table.name && column.name == table.key)
      column.refers_to = {};  // the row's own id
  return table;
}

}  // namespace coalescope::capture
