#pragma once
// Binds the values of row structs to statements; cells.h reads them.

#include <cstddef>
#include <cstdint>
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

}  // namespace coalescope::capture
