#include "core/ring/row_decoder.h"

#include <cstring>

#include "core/capture/schema.h"

namespace coalescope::ring {

using CellType = capture::CellSource::Type;

const RowColumns::Cell& RowColumns::cell(int column) const {
  static const Cell kNone;
  const auto index = static_cast<std::size_t>(column);
  return index < cells_.size() ? cells_[index] : kNone;
}

std::string_view RowColumns::column_name(int column) const {
  static const auto kTables = capture::tables();
  const auto& columns = kTables[table_].columns;
  const auto index = static_cast<std::size_t>(column);
  return index < columns.size() ? columns[index].name : std::string_view();
}

CellType RowColumns::integer(int column, std::int64_t& value) const {
  const Cell& held = cell(column);
  if (held.type == CellType::integer) value = held.integer;
  return held.type;
}

std::string_view RowColumns::text(int column) const {
  const auto bytes = cell(column).bytes;
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool RowDecoder::take(void* to, std::size_t bytes) {
  if (bytes > rest_.size()) return false;
  std::memcpy(to, rest_.data(), bytes);
  rest_ = rest_.subspan(bytes);
  return true;
}

bool RowDecoder::take_cell(RowColumns::Cell& cell) {
  std::uint8_t type = 0;
  if (!take(&type, sizeof type)) return false;
  cell.type = static_cast<CellType>(type);
  switch (cell.type) {
    case CellType::null:
      return true;
    case CellType::integer:
      return take(&cell.integer, sizeof cell.integer);
    case CellType::real:
      return take(&cell.real, sizeof cell.real);
    case CellType::text:
    case CellType::blob: {
      std::uint64_t length = 0;
      if (!take(&length, sizeof length) || length > rest_.size()) return false;
      cell.bytes = rest_.first(static_cast<std::size_t>(length));
      rest_ = rest_.subspan(cell.bytes.size());
      return true;
    }
  }
  return false;
}

const EncodedRow* RowDecoder::next() {
  if (damaged_ || rest_.empty()) return nullptr;
  RowHead head{};
  damaged_ = !take(&head, sizeof head) || head.table >= capture::kTableCount;
  row_.table = head.table;
  row_.on_conflict = head.replaces != 0 ? capture::OnConflict::replace : capture::OnConflict::fail;
  row_.columns.table_ = damaged_ ? 0 : row_.table;
  row_.columns.cells_.clear();
  for (std::size_t i = 0; i < head.columns && !damaged_; ++i)
    damaged_ = !take_cell(row_.columns.cells_.emplace_back());
  return damaged_ ? nullptr : &row_;
}

}  // namespace coalescope::ring
