#include "injection/cupti/own_heap.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <vector>

namespace coalescope::cupti {
namespace {

TEST(OwnHeap, ThePeakStaysWhenMemoryIsGivenBack) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  const std::int64_t before = own_heap_peak_bytes();
  { const std::vector<char> large(kBytes); }
  const std::int64_t peak = own_heap_peak_bytes();
  EXPECT_GE(peak, static_cast<std::int64_t>(kBytes));
  EXPECT_LT(peak - before, static_cast<std::int64_t>(kBytes + kBytes / 4));
  { const std::vector<char> smaller(kBytes / 2); }
  EXPECT_EQ(own_heap_peak_bytes(), peak);
}

TEST(OwnHeap, WhatIsHeldTogetherAddsUp) {
  constexpr std::size_t kBytes = std::size_t{128} << 20;
  const std::vector<char> first(kBytes);
  void* const second = std::malloc(kBytes);
  count_taken(second);
  EXPECT_GE(own_heap_peak_bytes(), static_cast<std::int64_t>(2 * kBytes));
  count_given_back(second);
  std::free(second);
}

}  // namespace
}  // namespace coalescope::cupti
