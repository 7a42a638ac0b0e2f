#pragma once
// Moves values between row structs and statements. Reading trusts nothing: a capture may come from anywhere,
// and an enumeration that this build does not know must not reach code that indexes with it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/capture/statement.h"
#include "core/capture/tables.h"

namespace coalescope::capture {

template <class Value>
void bind_value(Statement& statement, int parameter, const Value& value) {
  if constexpr (kIsOptional<Value>) {
    if (value)
      bind_value(statement, parameter, *value);
    else
      statement.bind_null(parameter);
  } else if constexpr (kIsStrongId<Value>) {
    statement.bind(parameter, value.value);
  } else if constexpr (std::is_enum_v<Value> || std::is_same_v<Value, bool>) {
    statement.bind(parameter, static_cast<std::int64_t>(value));
  } else if constexpr (std::is_same_v<Value, std::string>) {
    statement.bind(parameter, std::string_view(value));
  } else if constexpr (std::is_same_v<Value, Blob>) {
    statement.bind(parameter, std::span<const std::byte>(value));
  } else {
    statement.bind(parameter, value);
  }
}

template <class Row>
void bind_row(Statement& statement, const Row& row) {
  int parameter = 0;
  std::apply([&](const auto&... column) { (bind_value(statement, parameter++, row.*column.member), ...); },
             Table<Row>::kColumns);
}

template <class Enum>
bool is_known(Enum value) {
  for (const auto& entry : Lookup<Enum>::kEntries)
    if (entry.value == value) return true;
  return false;
}
inline bool is_known(model::MetricId id) {
  const auto number = static_cast<std::int64_t>(id);
  return number >= 1 && number <= static_cast<std::int64_t>(model::metric_catalogue().size());
}

// What is kept as an integer: ids, enumerations and truth values are, too.
template <class Value>
inline constexpr bool kIsInteger =
    !std::is_same_v<Value, double> && !std::is_same_v<Value, std::string> && !std::is_same_v<Value, Blob>;

// False: no such value has this number.
template <class Value>
bool take_number(std::int64_t number, Value& value) {
  if constexpr (kIsStrongId<Value>)
    value.value = number;
  else
    value = static_cast<Value>(number);
  if constexpr (std::is_same_v<Value, bool>)
    return number == 0 || number == 1;
  else if constexpr (std::is_enum_v<Value>)
    return is_known(value);
  else
    return true;
}

// False: the column does not hold such a value.
template <class Value>
bool read_value(const Statement& statement, int column, Value& value) {
  using Type = Statement::Type;
  if constexpr (kIsOptional<Value>) {
    if constexpr (kIsInteger<typename Value::value_type>) {
      std::int64_t number = 0;
      const Type type = statement.integer(column, number);
      value.reset();
      return type == Type::null || (type == Type::integer && take_number(number, value.emplace()));
    } else {
      if (statement.type(column) != Type::null) return read_value(statement, column, value.emplace());
      value.reset();
      return true;
    }
  } else if constexpr (kIsInteger<Value>) {
    std::int64_t number = 0;
    return statement.integer(column, number) == Type::integer && take_number(number, value);
  } else if constexpr (std::is_same_v<Value, double>) {
    const Type type = statement.type(column);
    value = statement.real(column);
    return type == Type::real;
  } else if constexpr (std::is_same_v<Value, std::string>) {
    const Type type = statement.type(column);
    value = statement.text(column);
    return type == Type::text;
  } else {
    const Type type = statement.type(column);
    const std::span<const std::byte> bytes = statement.blob(column);
    value.assign(bytes.begin(), bytes.end());
    return type == Type::blob;
  }
}

template <class Value>
bool read_next(const Statement& statement, int& column, Value& value) {
  return read_value(statement, column++, value);
}
template <class Value, std::size_t count>
bool read_next(const Statement& statement, int& column, std::array<Value, count>& values) {
  for (Value& value : values)
    if (!read_next(statement, column, value)) return false;
  return true;
}

// Reads the current row's columns in their order. The result is the name of the first that could not be read.
template <class... Values>
std::optional<std::string> read_columns(const Statement& statement, Values&... values) {
  int column = 0;
  if ((read_next(statement, column, values) && ...)) return std::nullopt;
  return std::string(statement.column_name(column - 1));
}

template <class Row>
std::optional<std::string> read_row(const Statement& statement, Row& row) {
  return std::apply([&](const auto&... column) { return read_columns(statement, row.*column.member...); },
                    Table<Row>::kColumns);
}

}  // namespace coalescope::capture
