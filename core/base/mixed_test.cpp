#include "core/base/mixed.h"

#include <array>
#include <gtest/gtest.h>
#include <set>

namespace coalescope::base {
namespace {

TEST(Mixed, BytesCountAsWordsOfWhichTheLastIsFilledWithZeros) {
  const std::array<std::uint64_t, 2> words{7, 0x0102};
  EXPECT_EQ(mixed(1, words.data(), sizeof words), mixed(mixed(1, 7), 0x0102));
  EXPECT_EQ(mixed(1, words.data(), 9), mixed(mixed(1, 7), 0x02));
  EXPECT_EQ(mixed(1, words.data(), 0), 1U);
}

TEST(Mixed, TheLowBitsOfNeighboursDiffer) {
  std::set<std::uint64_t> low, high;
  for (std::uint64_t word = 0; word < 256; ++word) {
    low.insert(mixed(0, word) % 4096);
    high.insert(mixed(0, word << 32U) % 4096);
  }
  EXPECT_GT(low.size(), 240U);
  EXPECT_GT(high.size(), 240U);
}

TEST(Mixed, SmallNumbersMeetNoOtherSmallNumbers) {
  std::set<std::uint64_t> hashes;
  for (std::uint64_t hash = 0; hash < 512; ++hash)
    for (std::uint64_t word = 0; word < 512; ++word) hashes.insert(mixed(hash, word));
  EXPECT_EQ(hashes.size(), 512U * 512U);
}

TEST(Mixed, TheOrderOfTheWordsCounts) {
  EXPECT_NE(mixed(mixed(0, 1), 2), mixed(mixed(0, 2), 1));
}

}  // namespace
}  // namespace coalescope::base
