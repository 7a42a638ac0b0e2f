// A8 to A12 against brute force. The address functions repeat what the pattern files do, in plain numbers.

#include <gtest/gtest.h>

#include "kernels/answers/geometry.h"
#include "kernels/answers/simulation_test.h"

namespace coalescope::kernels {
namespace {

using test::case_called;
using test::expect_global;
using test::request;
using test::Tally;

// Warps that all do the same, seen from any of them.
constexpr std::int64_t kSomeWarps = 5;

TEST(ExpectedLayouts, Structures) {
  for (const std::int64_t bytes : {7, 12, 16}) {
    const std::int64_t field_bytes = bytes == 7 ? 1 : 4, fields = bytes / field_bytes;
    const std::int64_t whole = bytes == 7 ? 8 : 16;
    const std::int64_t records = 268'435'456 / bytes / 256 * 256, aligned = 268'435'456 / whole;
    for (std::int64_t warp = 0; warp < kSomeWarps; ++warp) {
      Tally apart, together, at_once, store, aligned_store;
      store.add(request([&](std::int64_t lane) { return (warp * 32 + lane) * 4; }), records / 32);
      aligned_store.add(request([&](std::int64_t lane) { return (warp * 32 + lane) * 4; }), aligned / 32);
      for (std::int64_t field = 0; field < fields; ++field) {
        apart.add(request([&](std::int64_t lane) { return (warp * 32 + lane) * bytes + field * field_bytes; },
                          field_bytes),
                  records / 32);
        together.add(
            request([&](std::int64_t lane) { return (field * records + warp * 32 + lane) * field_bytes; },
                    field_bytes),
            records / 32);
      }
      at_once.add(request([&](std::int64_t lane) { return (warp * 32 + lane) * whole; }, whole),
                  aligned / 32);
      const std::string argument = "/" + std::to_string(bytes);
      expect_global(case_called("array_of_structures" + argument), apart, store);
      expect_global(case_called("structure_of_arrays" + argument), together, store);
      expect_global(case_called("aligned_structures" + argument), at_once, aligned_store);
    }
  }
}

TEST(ExpectedLayouts, Rows) {
  for (const std::int64_t row_words : {1000, 1001, 1002, 1004})
    for (const bool pitched : {false, true}) {
      const std::int64_t pitch = pitched ? 1024 : row_words;
      Tally rows;
      for (std::int64_t row = 8; row < 16; ++row)
        for (std::int64_t column = 0; column < 1024; column += 32)
          rows.add(request([&](std::int64_t lane) {
                     return column + lane < row_words ? (row * pitch + column + lane) * 4 : -1;
                   }),
                   65'536 / 8);
      expect_global(case_called((pitched ? "pitched_rows/" : "unpitched_rows/") + std::to_string(row_words)),
                    rows, rows);
    }
}

TEST(ExpectedLayouts, Transposes) {
  constexpr std::int64_t kWarps = 67'108'864 / 4 / 32;
  Tally row, column;
  row.add(request([](std::int64_t lane) { return (8192 * 37 + 64 + lane) * 4; }), 4 * kWarps);
  column.add(request([](std::int64_t lane) { return (8192 * (64 + lane) + 37) * 4; }), 4 * kWarps);
  expect_global(case_called("transpose_coalesced_reads"), row, column);
  expect_global(case_called("transpose_coalesced_writes"), column, row);
  expect_global(case_called("transpose_tiled"), row, row);
  expect_global(case_called("transpose_padded"), row, row);
  for (const std::int64_t pitch : {32, 33}) {
    test::SharedTally shared;
    shared.add(request([&](std::int64_t lane) { return (5 * pitch + lane) * 4; }), 4 * kWarps);
    shared.add(request([&](std::int64_t lane) { return (lane * pitch + 5) * 4; }), 4 * kWarps);
    expect_shared(case_called(pitch == 32 ? "transpose_tiled" : "transpose_padded"), shared);
  }
}

TEST(ExpectedLayouts, Scattered) {
  for (const std::uint32_t span : {64U, 1024U, 67'108'864U}) {
    Tally load, store;
    for (std::uint32_t first = 0; first < 262'144; first += 32)
      load.add(request([&](std::int64_t lane) {
        return scattered_index(first + static_cast<std::uint32_t>(lane), span) * std::int64_t{4};
      }));
    const auto in_order = request([](std::int64_t lane) { return lane * 4; });
    load.add(in_order, 8'192);
    store.add(in_order, 8'192);
    expect_global(case_called("scattered_read/" + std::to_string(span)), load, store);
    expect_global(case_called("scattered_read_only/" + std::to_string(span)), load, store);
  }
}

TEST(ExpectedLayouts, ScatteredIndicesStayInsideAndDiffer) {
  std::set<std::uint32_t> spans;
  for (std::uint32_t thread = 0; thread < 32'000; ++thread) {
    const std::uint32_t index = scattered_index(thread, 1024);
    ASSERT_LT(index, 67'108'864U);
    if (thread % 32 == 0) spans.insert(index / 1024);
    ASSERT_EQ(index / 1024, scattered_index(thread / 32 * 32, 1024) / 1024);
  }
  EXPECT_GT(spans.size(), 950U);
}

void expect_threads(const std::string& id, const Tally& access) {
  expect_global(case_called(id), access, access);
  EXPECT_EQ(test::expected_count(case_called(id), model::MetricId::instruction_threads), 2 * access.threads);
}

TEST(ExpectedLayouts, LanesThatAreOff) {
  constexpr std::int64_t kWarps = 67'108'864 / 32;
  Tally alternate;
  alternate.add(request([](std::int64_t lane) { return lane % 2 == 0 ? lane * 4 : -1; }), kWarps);
  expect_threads("alternate_lanes", alternate);
  for (const int lanes : {4, 8, 20}) {
    Tally first;
    first.add(request([&](std::int64_t lane) { return lane < lanes ? lane * 4 : -1; }), kWarps);
    expect_threads("first_lanes/" + std::to_string(lanes), first);
  }
}

TEST(ExpectedLayouts, BlocksThatAreNoMultipleOfAWarp) {
  for (const std::int64_t block : {33, 48, 100}) {
    Tally blocks;
    for (std::int64_t number = 16; number < 24; ++number)
      for (std::int64_t first = 0; first < block; first += 32)
        blocks.add(request([&](std::int64_t lane) {
                     return first + lane < block ? (number * block + first + lane) * 4 : -1;
                   }),
                   524'288 / 8);
    expect_threads("partial_block_copy/" + std::to_string(block), blocks);
  }
}

TEST(ExpectedLayouts, AnEndInsideAWarp) {
  constexpr std::int64_t kWords = 67'108'864 - 100;
  Tally guarded;
  guarded.add(request([](std::int64_t lane) { return lane * 4; }), kWords / 32);
  for (std::int64_t first = kWords / 32 * 32; first < 67'108'864; first += 32)
    guarded.add(request([&](std::int64_t lane) { return first + lane < kWords ? (first + lane) * 4 : -1; }));
  expect_threads("guarded_copy", guarded);
}

}  // namespace
}  // namespace coalescope::kernels
