#include "injection/python/layout.h"

#include <array>
#include <cstring>
#include <gtest/gtest.h>

namespace coalescope::python {
namespace {

constexpr std::uint32_t kPython313 = 0x030d00f0;

// As an interpreter carries it; words that nobody reads are 0.
std::array<std::uint64_t, 128> offsets_of(std::uint32_t version) {
  std::array<std::uint64_t, 128> words{};
  std::memcpy(words.data(), "xdebugpy", 8);
  words[1] = version;
  words[23] = 72;
  return words;
}

TEST(Layout, KnowsTheVersionsThatItWasTakenFrom) {
  for (const std::uint32_t minor : {9U, 10U, 11U, 12U})
    EXPECT_TRUE(layout_of(0x03000000U | minor << 16U, nullptr)) << minor;
}

TEST(Layout, RefusesWhatNobodyHasLookedAt) {
  for (const std::uint32_t version : {0U, 0x02070000U, 0x03080000U, 0x030f0000U, 0x04000000U})
    EXPECT_FALSE(layout_of(version, nullptr)) << version;
  EXPECT_FALSE(layout_of(kPython313, nullptr));
}

TEST(Layout, BelievesAnInterpreterOnlyAboutItself) {
  auto words = offsets_of(kPython313);
  const auto layout = layout_of(kPython313, words.data());
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->thread_frame, 72U);
  EXPECT_FALSE(layout_of(kPython313 + 1, words.data()));
  words[0] = 0;
  EXPECT_FALSE(layout_of(kPython313, words.data()));
}

TEST(Layout, RefusesFreeThreadedBuildsAndLargeOffsets) {
  auto words = offsets_of(kPython313);
  words[2] = 1;
  EXPECT_FALSE(layout_of(kPython313, words.data()));
  words = offsets_of(kPython313);
  words[29] = 1U << 20U;
  EXPECT_FALSE(layout_of(kPython313, words.data()));
}

}  // namespace
}  // namespace coalescope::python
