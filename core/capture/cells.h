#pragma once
// Reads rows into C++ values. It trusts nothing: a capture may come from anywhere, so a type, a
// number outside its range (limits.h) or an enumeration that this build does not know never reaches code that
// works with it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/capture/cell_source.h"
#include "core/capture/limits.h"
#include "core/capture/tables.h"

namespace coalescope::capture {

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

class Cells {
 public:
  // The columns are of this table, or have the names of other tables' columns.
  Cells(const CellSource& source, std::string_view table);

  // Takes the current row's columns from `first` on. False: one cannot be taken, and fault() tells which.
  template <class... Values>
  [[nodiscard]] bool take_from(std::size_t first, Values&... values) {
    at_ = first;
    return (take(values) && ...);
  }
  template <class Row>
  [[nodiscard]] bool take_row(Row& row) {
    return Table<Row>::kColumns([&](const auto&... column) { return take_from(0, row.*column.member...); });
  }
  void next_row() { ++row_; }
  // For what only the caller can tell of the column that was taken last. Returns false.
  bool refuse_last(std::string why);

  // "in row 3 of 'transfer' the column 'bytes' is -1, which is not between 0 and 9007199254740992".
  [[nodiscard]] std::string fault() const;

 private:
  struct Column {
    Range range;
    std::int64_t together = 0;  // of the rows so far
  };

  template <class Value>
  bool take(Value& value) {
    const bool taken = take_value(value);
    if (taken) ++at_;
    return taken;
  }
  template <class Value, std::size_t count>
  bool take(std::array<Value, count>& values) {
    for (Value& value : values)
      if (!take(value)) return false;
    return true;
  }

  template <class Value>
  bool take_value(Value& value) {
    using Type = CellSource::Type;
    std::int64_t number = 0;
    if constexpr (kIsOptional<Value>) {
      value.reset();
      if constexpr (kIsInteger<typename Value::value_type>) {
        const Type type = source_.integer(column(), number);  // one call: there may be a million
        return type == Type::null || (check(type, number) && take_number(number, value.emplace()));
      } else {
        return source_.type(column()) == Type::null || take_value(value.emplace());
      }
    } else if constexpr (kIsInteger<Value>) {
      const Type type = source_.integer(column(), number);
      return check(type, number) && take_number(number, value);
    } else if constexpr (std::is_same_v<Value, double>) {
      return take_real(value);
    } else if constexpr (std::is_same_v<Value, std::string>) {
      std::string_view text;
      if (!take_text(text)) return false;
      value = text;
      return true;
    } else {
      std::span<const std::byte> bytes;
      if (!take_blob(bytes)) return false;
      value.assign(bytes.begin(), bytes.end());
      return true;
    }
  }

  template <class Value>
  bool take_number(std::int64_t number, Value& value) {
    if constexpr (kIsStrongId<Value>)
      value.value = number;
    else
      value = static_cast<Value>(number);
    if constexpr (std::is_same_v<Value, bool>)
      return number == 0 || number == 1 || refuse(0, 1);
    else if constexpr (std::is_enum_v<Value>)
      return is_known(value) || refuse_unknown();
    else
      return true;
  }

  [[nodiscard]] int column() const { return static_cast<int>(at_); }
  [[nodiscard]] std::int64_t number() const;
  bool check(CellSource::Type type, std::int64_t number);
  bool take_real(double& number);
  bool take_text(std::string_view& text);
  bool take_blob(std::span<const std::byte>& bytes);
  bool refuse(std::string why);
  bool refuse(std::int64_t least, std::int64_t most);
  bool refuse_unknown();

  const CellSource& source_;
  std::string_view table_;
  std::vector<Column> columns_;
  std::size_t at_ = 0;
  std::int64_t row_ = 1;
  std::size_t text_bytes_ = 0;
  std::string why_;
};

}  // namespace coalescope::capture
