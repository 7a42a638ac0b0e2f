// Allocations, played without a fault: each is in the capture, with what its calls took.

#include <algorithm>
#include <gtest/gtest.h>
#include <tuple>

#include "tests/standin/harness_test.h"

namespace standin {
namespace {

using coalescope::model::AllocationKind;

// The stand-in's clock goes on in a slow call; others take what they take.
constexpr std::int64_t kAllocNs = 3'000'000'000, kFreeNs = 2'000'000'000;
constexpr const char* kSlow = R"(
slow cuMemHostAlloc ns=3000000000
slow cuMemFreeHost ns=2000000000
slow cuMemHostRegister ns=3000000000
slow cuMemHostUnregister ns=2000000000
)";

std::vector<coalescope::model::Allocation> of_kind(const Recorded& recorded, AllocationKind kind) {
  auto rows = recorded.rows.allocations;
  std::erase_if(rows, [&](const auto& row) { return row.kind != kind; });
  return rows;
}

TEST(Allocations, TellHowLongTheirCallsTook) {
  const auto recorded = record(std::string(kSlow) + R"(
kernel a
launch a
pin bytes=8192 times=3
pin bytes=500 times=2 registered
)");
  expect_unharmed(recorded);
  for (const auto& [kind, bytes, times] :
       {std::tuple(AllocationKind::pinned, 8192, 3U), std::tuple(AllocationKind::registered, 500, 2U)}) {
    const auto rows = of_kind(recorded, kind);
    EXPECT_EQ(rows.size(), times);
    for (const auto& row : rows) {
      EXPECT_EQ(row.bytes, bytes);
      EXPECT_GE(row.call_ns.value_or(0), kAllocNs);
      EXPECT_GE(row.free_call_ns.value_or(0), kFreeNs);
      EXPECT_TRUE(row.freed_ns);
      EXPECT_TRUE(row.call_site_id);
    }
  }
}

TEST(Allocations, ThatAreKeptHaveNoCallThatGaveThemBack) {
  const auto recorded = record(R"(
kernel a
launch a
allocate mb=1
pin bytes=8192 kept
)");
  for (const auto kind : {AllocationKind::pinned, AllocationKind::device}) {
    const auto rows = of_kind(recorded, kind);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_TRUE(rows[0].call_ns);
    EXPECT_EQ(rows[0].freed_ns, std::nullopt);
    EXPECT_EQ(rows[0].free_call_ns, std::nullopt);
  }
}

}  // namespace
}  // namespace standin
