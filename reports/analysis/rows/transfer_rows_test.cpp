#include "reports/analysis/rows/transfer_rows.h"

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/analysis/rows/sample_rows_test.h"

namespace coalescope::analysis {
namespace {

using testing::HasSubstr;

capture::TransferView transfer(model::MemoryKind host, std::int64_t count, std::int64_t bytes,
                               std::int64_t gpu_ns) {
  return {{1},           model::Direction::host_to_device,
          host,          model::MemoryKind::device,
          false,         bytes,
          bytes,         count,
          count * bytes, count,
          gpu_ns};
}

TEST(TransferRows, PinnedCopiesOfTheSameSizeAreTheReference) {
  const std::array views{transfer(model::MemoryKind::pageable, 1, 1 << 26, 8'000'000),
                         transfer(model::MemoryKind::pinned, 1, 1 << 26, 2'000'000),
                         transfer(model::MemoryKind::pinned, 1, 1 << 10, 2'000)};
  const auto rows = transfer_rows(views, {});
  EXPECT_DOUBLE_EQ(*rows[0].reference_bandwidth, (1 << 26) / 2e-3);
  EXPECT_EQ(rows[0].reference, "pinned copies in this run");
  EXPECT_EQ(rows[1].reference_bandwidth, std::nullopt) << "itself is no reference";
}

TEST(TransferRows, TheMachinesReferenceKnowsTheFixedTimeOfACopy) {
  Machine machine;
  machine.host_to_device = Ceiling{"", 50e9, "test"};
  machine.copy_ns = 2'000;
  const std::array views{transfer(model::MemoryKind::pageable, 10, 5'000, 100'000)};
  EXPECT_DOUBLE_EQ(*transfer_rows(views, {{1, machine}})[0].reference_bandwidth, 5'000 / 2'100e-9);
  EXPECT_EQ(transfer_rows(views, {})[0].reference_bandwidth, std::nullopt);
}

TEST(TransferRows, CopiesWithinTheHostTakeNoGpuTime) {
  capture::TransferView view = transfer(model::MemoryKind::pageable, 1'697, 8, 92'700'000);
  view.direction = model::Direction::host_to_host;
  EXPECT_EQ(transfer_rows(std::vector{view}, {})[0].gpu_ns, std::nullopt);
}

TEST(TransferRows, WithoutATimeThereIsNoBandwidth) {
  const auto rows = transfer_rows(std::vector{transfer(model::MemoryKind::pinned, 4, 4096, 0)}, {});
  EXPECT_EQ(rows[0].gpu_ns, std::nullopt);
  EXPECT_EQ(rows[0].bandwidth, std::nullopt);
}

// As two H200 were recorded: 20 copies of 64 MiB between them.
TEST(TransferRows, TheHalvesOfACopyThroughTheHostAreOneWithoutATime) {
  capture::TransferView down{model::DeviceId{1},
                             model::Direction::device_to_host,
                             model::MemoryKind::device,
                             model::MemoryKind::device,
                             true,
                             1 << 26,
                             1 << 26,
                             20,
                             20LL << 26,
                             430'080};
  auto up = down;
  up.device_id = model::DeviceId{2};
  up.direction = model::Direction::host_to_device;
  const auto rows = transfer_rows(std::vector{down, up}, {});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_TRUE(rows[0].through_host);
  EXPECT_EQ(rows[0].direction, model::Direction::peer_to_peer);
  EXPECT_EQ(rows[0].device_id, 1) << "from where it was copied";
  EXPECT_EQ(rows[0].transfers, 20);
  EXPECT_EQ(rows[0].bytes, 20LL << 26);
  EXPECT_EQ(rows[0].gpu_ns, std::nullopt) << "what CUPTI tells is of a part";
  EXPECT_EQ(rows[0].bandwidth, std::nullopt);
  EXPECT_EQ(transfer_class_name(rows[0]), "device to another device through the host, 64 MiB");
}

}  // namespace
}  // namespace coalescope::analysis
