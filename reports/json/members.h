#pragma once
// Writes what declares its members, and lists and options of that. Of other structs a source file says itself
// how they are written, by a function write() of its own in this namespace.

#include <string_view>
#include <tuple>
#include <type_traits>

#include "core/capture/tables.h"
#include "reports/analysis/fields.h"
#include "reports/json/writer.h"

namespace coalescope::json {

template <class Value>
void member(Writer& to, std::string_view name, const Value& value);

// Anything whose members are declared, as rows of the report and of the capture are, or that has none: plain
// values, enumerations, ids, options, lists.
template <class Type>
void write(Writer& to, const Type& plain) {
  if constexpr (analysis::HasFields<Type>) {
    to.open('{');
    analysis::for_each_field<Type>([&](const auto& field) { member(to, field.key, plain.*field.member); });
    to.close('}');
  } else if constexpr (requires { capture::Table<Type>::kColumns; }) {
    to.open('{');
    capture::Table<Type>::kColumns(
        [&](const auto&... column) { (member(to, column.name, plain.*column.member), ...); });
    to.close('}');
  } else if constexpr (std::is_enum_v<Type>) {
    to.text(name_of(plain));
  } else if constexpr (capture::kIsStrongId<Type>) {
    to.integer(plain.value);
  } else if constexpr (capture::kIsOptional<Type>) {
    plain ? write(to, *plain) : to.null();
  } else if constexpr (std::is_floating_point_v<Type>) {
    to.number(plain);
  } else if constexpr (std::is_same_v<Type, bool>) {
    to.boolean(plain);
  } else if constexpr (std::is_integral_v<Type>) {
    to.integer(static_cast<std::int64_t>(plain));
  } else if constexpr (std::is_convertible_v<const Type&, std::string_view>) {
    to.text(plain);
  } else {
    to.open('[');
    for (const auto& element : plain) {
      to.next();
      write(to, element);
    }
    to.close(']');
  }
}

template <class Value>
void member(Writer& to, std::string_view name, const Value& value) {
  to.name(name);
  write(to, value);
}

inline void members(Writer&) {}
template <class Value, class... Rest>
void members(Writer& to, std::string_view name, const Value& value, const Rest&... rest) {
  member(to, name, value);
  members(to, rest...);
}

// Names and values take turns.
template <class... Members>
void object(Writer& to, const Members&... list) {
  to.open('{');
  members(to, list...);
  to.close('}');
}

}  // namespace coalescope::json
