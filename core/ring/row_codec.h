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
#include "core/capture/cell_source.h"
#include "core/capture/schema.h"

namespace coalescope::ring {

struct RowHead {
  std::uint16_t table;
  std::uint16_t columns;
  std::uint8_t replaces;
};

// Appends rows; takes a row's values as a Statement takes its parameters.
class RowEncoder {
 public:
  template <class Row>
  void add(const Row& row, capture::OnConflict on_conflict) {
    begin(capture::table_index<Row>(), on_conflict);
    capture::bind_row(*this, row);
    end();
  }

  void bind(int, std::int64_t value) { put(capture::CellSource::Type::integer, &value, sizeof value); }
  void bind(int, double value) { put(capture::CellSource::Type::real, &value, sizeof value); }
  void bind(int, std::string_view value) {
    put_long(capture::CellSource::Type::text, value.data(), value.size());
  }
  void bind(int, std::span<const std::byte> value) {
    put_long(capture::CellSource::Type::blob, value.data(), value.size());
  }
  void bind_null(int) { put(capture::CellSource::Type::null, nullptr, 0); }

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }
  void take_back() { bytes_.resize(row_began_); }  // the last row

 private:
  void begin(std::size_t table, capture::OnConflict on_conflict);
  void end();
  void put(capture::CellSource::Type type, const void* data, std::size_t bytes);
  void put_long(capture::CellSource::Type type, const void* data, std::size_t bytes);
  void append(const void* data, std::size_t bytes);

  std::vector<std::byte> bytes_;
  std::size_t row_began_ = 0;
  std::uint16_t columns_ = 0;
};

}  // namespace coalescope::ring
