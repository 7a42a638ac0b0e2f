// Order of a row's bytes: its head; for each value its type (one byte), then 8 bytes of a number, or 8 bytes
// of a length and so many bytes. Numbers are as the machine has them: both sides run on it.
#include "core/ring/row_codec.h"

#include <cstring>

namespace coalescope::ring {
namespace {

using Type = capture::CellSource::Type;

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

}  // namespace coalescope::ring
