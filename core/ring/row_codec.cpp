// Order of a row's bytes: its head; for each value its type (one byte), then 8 bytes of a number, or 8 bytes
// of a length and so many bytes. Numbers are as the machine has them: both sides run on it.
#include "core/ring/row_codec.h"

#include <cstring>

namespace coalescope::ring {
namespace {

using Type = capture::Statement::Type;

struct RowHead {
  std::uint16_t table;
  std::uint16_t columns;
  std::uint8_t replaces;
};

}  // namespace

void RowEncoder::append(const void* data, std::size_t bytes) {
  const auto* const begin = static_cast<const std::byte*>(data);
  bytes_.insert(bytes_.end(), begin, begin + bytes);
}

void RowEncoder::begin(std::size_t table, capture::OnConflict on_conflict) {
  row_began_ = bytes_.size();
  RowHead head{};
  head.table = static_cast<std::uint16_t>(table);
  head.replaces = on_conflict == capture::OnConflict::replace ? 1 : 0;
  append(&head, sizeof head);
  columns_ = 0;
}

void RowEncoder::end() {
  std::memcpy(bytes_.data() + row_began_ + offsetof(RowHead, columns), &columns_, sizeof columns_);
}

void RowEncoder::put(Type type, const void* data, std::size_t bytes) {
  ++columns_;
  bytes_.push_back(static_cast<std::byte>(type));
  if (bytes > 0) append(data, bytes);
}

void RowEncoder::put_long(Type type, const void* data, std::size_t bytes) {
  const auto length = static_cast<std::uint64_t>(bytes);
  put(type, &length, sizeof length);
  if (bytes > 0) append(data, bytes);
}

const RowColumns::Cell& RowColumns::cell(int column) const {
  static const Cell kNone;
  const auto index = static_cast<std::size_t>(column);
  return index < cells_.size() ? cells_[index] : kNone;
}

Type RowColumns::integer(int column, std::int64_t& value) const {
  const Cell& held = cell(column);
  if (held.type == Type::integer) value = held.integer;
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
  cell.type = static_cast<Type>(type);
  switch (cell.type) {
    case Type::null:
      return true;
    case Type::integer:
      return take(&cell.integer, sizeof cell.integer);
    case Type::real:
      return take(&cell.real, sizeof cell.real);
    case Type::text:
    case Type::blob: {
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
  row_.columns.cells_.clear();
  for (std::size_t i = 0; i < head.columns && !damaged_; ++i)
    damaged_ = !take_cell(row_.columns.cells_.emplace_back());
  return damaged_ ? nullptr : &row_;
}

}  // namespace coalescope::ring
