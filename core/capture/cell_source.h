#pragma once
// One row's columns, wherever they come from: a statement's result, or bytes on their way to a file.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace coalescope::capture {

class CellSource {
 public:
  enum class Type { null, integer, real, text, blob };

  virtual ~CellSource() = default;

  // Columns count from 0. A view lives until the next row.
  [[nodiscard]] virtual int columns() const = 0;
  [[nodiscard]] virtual std::string_view column_name(int column) const = 0;
  [[nodiscard]] virtual Type type(int column) const = 0;
  // `value` is changed where the type is integer.
  [[nodiscard]] virtual Type integer(int column, std::int64_t& value) const = 0;
  [[nodiscard]] virtual double real(int column) const = 0;
  [[nodiscard]] virtual std::string_view text(int column) const = 0;
  [[nodiscard]] virtual std::span<const std::byte> blob(int column) const = 0;

 protected:
  CellSource() = default;
  CellSource(const CellSource&) = default;
  CellSource(CellSource&&) = default;
  CellSource& operator=(const CellSource&) = default;
  CellSource& operator=(CellSource&&) = default;
};

}  // namespace coalescope::capture
