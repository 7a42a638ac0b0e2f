#include "injection/python/lines.h"

namespace coalescope::python {
namespace {

using Table = std::span<const std::uint8_t>;
using Line = std::optional<std::int64_t>;

std::int64_t signed_byte(std::uint8_t byte) {
  return static_cast<std::int8_t>(byte);
}

// Pairs of how far the next entry is, in bytes of code and in lines.
Line by_deltas(Table table, std::int64_t first_line, std::int64_t offset) {
  std::int64_t line = first_line, at = 0;
  for (std::size_t i = 0; i + 1 < table.size(); i += 2) {
    at += table[i];
    if (at > offset) break;
    line += signed_byte(table[i + 1]);
  }
  return line;
}

// Pairs of how long an entry is and how far its line is from the last one; -128: it has none.
Line by_ranges(Table table, std::int64_t first_line, std::int64_t offset) {
  constexpr std::int64_t kNoLine = -128;
  std::int64_t line = first_line, end = 0;
  for (std::size_t i = 0; i + 1 < table.size(); i += 2) {
    const std::int64_t step = signed_byte(table[i + 1]);
    end += table[i];
    if (step != kNoLine) line += step;
    if (offset < end) return step == kNoLine ? std::nullopt : Line(line);
  }
  return std::nullopt;
}

// Six bits a byte, the lowest first; bit 6 says that more follow. Of a damaged table no more bits are taken
// than the sum of all its entries has room for.
constexpr unsigned kMostBits = 36;
class Varints {
 public:
  Varints(Table table, std::size_t at) : table_(table), at_(at) {}
  [[nodiscard]] std::int64_t next() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; at_ < table_.size() && shift < kMostBits; shift += 6) {
      const std::uint8_t byte = table_[at_++];
      value |= static_cast<std::uint64_t>(byte & 0x3FU) << shift;
      if ((byte & 0x40U) == 0) break;
    }
    return static_cast<std::int64_t>(value);
  }
  // The sign is the lowest bit.
  [[nodiscard]] std::int64_t next_signed() {
    const std::int64_t value = next();
    return (value & 1) != 0 ? -(value >> 1) : value >> 1;
  }

 private:
  Table table_;
  std::size_t at_;
};

// An entry begins with a byte whose highest bit is set: its kind, and for how many instructions it holds.
Line by_locations(Table table, std::int64_t first_line, std::int64_t offset) {
  constexpr unsigned kFirstWithoutDelta = 10, kColumnless = 13, kLong = 14, kNowhere = 15;
  constexpr std::int64_t kInstructionBytes = 2;
  std::int64_t line = first_line, end = 0;
  for (std::size_t i = 0; i < table.size();) {
    const std::uint8_t head = table[i];
    if ((head & 0x80U) == 0) return std::nullopt;
    const unsigned kind = (head >> 3U) & 0xFU;
    end += kInstructionBytes * ((head & 7U) + 1);
    if (kind == kLong || kind == kColumnless) line += Varints(table, i + 1).next_signed();
    if (kind >= kFirstWithoutDelta && kind < kColumnless) line += kind - kFirstWithoutDelta;
    if (offset < end) return kind == kNowhere ? std::nullopt : Line(line);
    do ++i;
    while (i < table.size() && (table[i] & 0x80U) == 0);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> line_of(LineFormat format, std::span<const std::uint8_t> table,
                                    std::int64_t first_line, std::int64_t offset) {
  switch (format) {
    case LineFormat::deltas:
      return by_deltas(table, first_line, offset);
    case LineFormat::ranges:
      return by_ranges(table, first_line, offset);
    case LineFormat::locations:
      return by_locations(table, first_line, offset);
  }
  return std::nullopt;
}

}  // namespace coalescope::python
