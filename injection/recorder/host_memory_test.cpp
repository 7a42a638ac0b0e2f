#include "injection/recorder/host_memory.h"

#include <gtest/gtest.h>

namespace coalescope::recorder {
namespace {

TEST(HostMemory, HoldsWhatWasAddedAndNotRemoved) {
  HostMemory memory;
  EXPECT_FALSE(memory.holds(0x1000));
  memory.add(0x1000, 0x100);
  memory.add(0x9000, 0x100);
  EXPECT_TRUE(memory.holds(0x1000));
  EXPECT_TRUE(memory.holds(0x10ff));
  EXPECT_FALSE(memory.holds(0x1100));
  EXPECT_FALSE(memory.holds(0x5000)) << "between the two";
  EXPECT_FALSE(memory.holds(0xfff));
  EXPECT_TRUE(memory.holds(0x9080));
  memory.remove(0x1000);
  EXPECT_FALSE(memory.holds(0x1000));
  EXPECT_TRUE(memory.holds(0x9000));
}

TEST(HostMemory, HoldsAllOfAnAllocationOfManyBlocks) {
  HostMemory memory;
  constexpr std::uint64_t kBegin = 0x7f00'0012'3000, kBytes = std::uint64_t{300} << 30;
  memory.add(kBegin, kBytes);
  for (std::uint64_t at = 0; at < kBytes; at += kBytes / 977) EXPECT_TRUE(memory.holds(kBegin + at)) << at;
  EXPECT_TRUE(memory.holds(kBegin + kBytes - 1));
  EXPECT_FALSE(memory.holds(kBegin + kBytes));
  EXPECT_FALSE(memory.holds(kBegin - 1));
}

TEST(HostMemory, NothingHasNoAddress) {
  HostMemory memory;
  memory.add(0x1000, 0);
  EXPECT_FALSE(memory.holds(0x1000));
}

}  // namespace
}  // namespace coalescope::recorder
