#pragma once
// Rows as bytes, on their way through a ring. What a row holds follows from the declarations in
// core/capture/tables.h, through the same functions that bind rows to statements and read them from files.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/capture/binding.h"
#include "core/capture/schema.h"

namespace coalescope::ring {

// Appends rows; takes a row's values as a Statement takes its parameters.
class RowEncoder {
 public:
  template <class Row>
  void add(const Row& row, capture::OnConflict on_conflict) {
    begin(capture::table_index<Row>(), on_conflict);
    capture::bind_row(*this, row);
    end();
  }

  void bind(int, std::int64_t value) { put(capture::Statement::Type::integer, &value, sizeof value); }
  void bind(int, double value) { put(capture::Statement::Type::real, &value, sizeof value); }
  void bind(int, std::string_view value) {
    put_long(capture::Statement::Type::text, value.data(), value.size());
  }
  void bind(int, std::span<const std::byte> value) {
    put_long(capture::Statement::Type::blob, value.data(), value.size());
  }
  void bind_null(int) { put(capture::Statement::Type::null, nullptr, 0); }

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }
  void take_back() { bytes_.resize(row_began_); }  // the last row

 private:
  void begin(std::size_t table, capture::OnConflict on_conflict);
  void end();
  void put(capture::Statement::Type type, const void* data, std::size_t bytes);
  void put_long(capture::Statement::Type type, const void* data, std::size_t bytes);
  void append(const void* data, std::size_t bytes);

  std::vector<std::byte> bytes_;
  std::size_t row_began_ = 0;
  std::uint16_t columns_ = 0;
};

// The values of one row; answers as a Statement does of its columns.
class RowColumns {
 public:
  using Type = capture::Statement::Type;

  [[nodiscard]] std::size_t count() const { return cells_.size(); }
  [[nodiscard]] Type type(int column) const { return cell(column).type; }
  [[nodiscard]] Type integer(int column, std::int64_t& value) const;
  [[nodiscard]] double real(int column) const { return cell(column).real; }
  [[nodiscard]] std::string_view text(int column) const;
  [[nodiscard]] std::span<const std::byte> blob(int column) const { return cell(column).bytes; }
  [[nodiscard]] static std::string_view column_name(int) { return "value"; }

 private:
  friend class RowDecoder;
  struct Cell {
    Type type = Type::null;
    std::int64_t integer = 0;
    double real = 0;
    std::span<const std::byte> bytes;
  };
  [[nodiscard]] const Cell& cell(int column) const;

  std::vector<Cell> cells_;
};

struct EncodedRow {
  std::size_t table = 0;
  capture::OnConflict on_conflict = capture::OnConflict::fail;
  RowColumns columns;
};

// Takes rows apart; the bytes may be anything.
class RowDecoder {
 public:
  explicit RowDecoder(std::span<const std::byte> bytes) : rest_(bytes) {}

  // The next row, until the next call; nullptr: there is none, or what follows is no row, and damaged() says
  // so.
  [[nodiscard]] const EncodedRow* next();
  [[nodiscard]] bool damaged() const { return damaged_; }

 private:
  [[nodiscard]] bool take(void* to, std::size_t bytes);
  [[nodiscard]] bool take_cell(RowColumns::Cell& cell);

  std::span<const std::byte> rest_;
  EncodedRow row_;
  bool damaged_ = false;
};

}  // namespace coalescope::ring
