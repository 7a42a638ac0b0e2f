#pragma once
// Takes apart what a RowEncoder has made. The bytes lie in memory that the recorded program can write to, so
// that they may be anything.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/capture/cell_source.h"
#include "core/ring/row_codec.h"

namespace coalescope::ring {

// The values of one row.
class RowColumns final : public capture::CellSource {
 public:
  [[nodiscard]] int columns() const override { return static_cast<int>(cells_.size()); }
  [[nodiscard]] std::string_view column_name(int column) const override;
  [[nodiscard]] Type type(int column) const override { return cell(column).type; }
  [[nodiscard]] Type integer(int column, std::int64_t& value) const override;
  [[nodiscard]] double real(int column) const override { return cell(column).real; }
  [[nodiscard]] std::string_view text(int column) const override;
  [[nodiscard]] std::span<const std::byte> blob(int column) const override { return cell(column).bytes; }

 private:
  friend class RowDecoder;
  struct Cell {
    Type type = Type::null;
    std::int64_t integer = 0;
    double real = 0;
    std::span<const std::byte> bytes;
  };
  [[nodiscard]] const Cell& cell(int column) const;

  std::size_t table_ = 0;
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
