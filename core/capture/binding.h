#pragma once
// Binds the values of row structs to statements, or to what has a statement's functions for parameters;
// cells.h reads them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/capture/statement.h"
#include "core/capture/tables.h"

namespace coalescope::capture {

template <class Values, class Value>
void bind_value(Values& values, int parameter, const Value& value) {
  if constexpr (kIsOptional<Value>) {
    if (value)
      bind_value(values, parameter, *value);
    else
      values.bind_null(parameter);
  } else if constexpr (kIsStrongId<Value>) {
    values.bind(parameter, value.value);
  } else if constexpr (std::is_enum_v<Value> || std::is_same_v<Value, bool>) {
    values.bind(parameter, static_cast<std::int64_t>(value));
  } else if constexpr (std::is_same_v<Value, std::string>) {
    values.bind(parameter, std::string_view(value));
  } else if constexpr (std::is_same_v<Value, Blob>) {
    values.bind(parameter, std::span<const std::byte>(value));
  } else {
    values.bind(parameter, value);
  }
}

template <class Values, class Row>
void bind_row(Values& values, const Row& row) {
  int parameter = 0;
  Table<Row>::kColumns(
      [&](const auto&... column) { (bind_value(values, parameter++, row.*column.member), ...); });
}

}  // namespace coalescope::capture
