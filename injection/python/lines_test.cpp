#include "injection/python/lines.h"

#include <gtest/gtest.h>
#include <vector>

namespace coalescope::python {
namespace {

using Table = std::vector<std::uint8_t>;
using Line = std::optional<std::int64_t>;

TEST(Lines, OfDeltas) {
  const Table table{0, 1, 10, 2, 6, 0xFF};  // -1
  const auto line = [&](std::int64_t offset) { return line_of(LineFormat::deltas, table, 100, offset); };
  EXPECT_EQ(line(0), 101);
  EXPECT_EQ(line(9), 101);
  EXPECT_EQ(line(10), 103);
  EXPECT_EQ(line(16), 102);
  EXPECT_EQ(line(999), 102);
}

TEST(Lines, OfRangesSomeBelongToNone) {
  const Table table{4, 1, 2, 0x80, 6, 3};
  const auto line = [&](std::int64_t offset) { return line_of(LineFormat::ranges, table, 10, offset); };
  EXPECT_EQ(line(0), 11);
  EXPECT_EQ(line(4), std::nullopt);
  EXPECT_EQ(line(6), 14);
  EXPECT_EQ(line(12), std::nullopt);
}

TEST(Lines, OfLocations) {
  // Short; one line later; no column with a step of -2; long with a step of 70; nowhere.
  const Table table{0x80, 0x12,           0x80 | 11 << 3 | 1, 1,    2, 0x80 | 13 << 3,
                    0x05, 0x80 | 14 << 3, 0x40 | 12,          0x02, 0, 0,
                    0,    0x80 | 15 << 3};
  const auto line = [&](std::int64_t offset) { return line_of(LineFormat::locations, table, 7, offset); };
  EXPECT_EQ(line(0), 7);
  EXPECT_EQ(line(2), 8);
  EXPECT_EQ(line(5), 8);
  EXPECT_EQ(line(6), 6);
  EXPECT_EQ(line(8), 76);
  EXPECT_EQ(line(10), std::nullopt);
  EXPECT_EQ(line(12), std::nullopt);
}

// No table can make it read behind its end, or run for long.
TEST(Lines, OfDamagedTables) {
  for (const LineFormat format : {LineFormat::deltas, LineFormat::ranges, LineFormat::locations})
    for (unsigned fill = 0; fill < 256; ++fill)
      for (std::size_t length = 0; length < 20; ++length) {
        const Table table(length, static_cast<std::uint8_t>(fill));
        (void)line_of(format, table, 1, 1'000'000);
        (void)line_of(format, table, 1, -1);
      }
  EXPECT_EQ(line_of(LineFormat::locations, Table{0x05}, 1, 0), std::nullopt);
}

}  // namespace
}  // namespace coalescope::python
