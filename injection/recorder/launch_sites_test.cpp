#include "injection/recorder/launch_sites.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "injection/recorder/part_file_test.h"

namespace coalescope::recorder {
namespace {

constexpr model::GroupId kGroup{3};
constexpr model::CallSiteId kStep{5}, kReplay{6}, kStreamCapture{7};

class LaunchSitesTest : public PartFileTest {
 protected:
  template <class Row>
  std::vector<Row> rows() {
    log_.write(*file_);
    return written<Row>();
  }
  LaunchSites log_;
};

TEST_F(LaunchSitesTest, ARecordBelongsToTheSiteOfItsCall) {
  for (std::uint32_t correlation = 1; correlation <= 3; ++correlation) {
    log_.called(correlation, kStep);
    log_.launched(kGroup, kStep);
  }
  KernelRun run;
  run.gpu_ns = 100;
  for (const std::uint32_t correlation : {1U, 2U, 99U, 0U}) {
    run.correlation = correlation;
    log_.ran(run, kGroup, false);
  }
  const auto sites = rows<model::LaunchSite>();
  ASSERT_EQ(sites.size(), 1U);
  EXPECT_EQ(sites[0].call_site_id, kStep);
  EXPECT_EQ(sites[0].launches, 3);
  EXPECT_EQ(sites[0].timed_launches, 2);
  EXPECT_EQ(sites[0].gpu_ns, 200);
}

// Ids come round again, and their place is another call's then.
TEST_F(LaunchSitesTest, AnOldCallIsForgottenNotConfused) {
  log_.called(7, kStep);
  log_.called(7 + (1U << 18), kReplay);
  KernelRun run;
  run.gpu_ns = 100;
  run.correlation = 7;
  log_.ran(run, kGroup, false);
  EXPECT_TRUE(rows<model::LaunchSite>().empty());
}

TEST_F(LaunchSitesTest, CopiesAreCountedByWhatTheyMoved) {
  model::Transfer transfer;
  transfer.direction = model::Direction::host_to_device;
  transfer.bytes = 4096;
  log_.called(1, kStep);
  log_.called(2, kStep, Content::repeated);
  log_.called(3, kStep, Content::other);
  log_.called(4, kReplay);
  for (std::uint32_t correlation = 1; correlation <= 4; ++correlation) log_.ran(transfer, correlation);
  const auto sites = rows<model::TransferSite>();
  ASSERT_EQ(sites.size(), 2U);
  EXPECT_EQ(sites[0].call_site_id, kStep);
  EXPECT_EQ(sites[0].transfers, 3);
  EXPECT_EQ(sites[0].compared, 2);
  EXPECT_EQ(sites[0].repeated, 1);
  EXPECT_EQ(sites[1].call_site_id, kReplay);
  EXPECT_EQ(sites[1].compared, std::nullopt);
  EXPECT_EQ(sites[1].repeated, std::nullopt);
}

TEST_F(LaunchSitesTest, ASetHasItsMemoryAndItsCall) {
  model::Transfer set;
  set.direction = model::Direction::set;
  log_.called(1, kStep);
  log_.names(1, 0x7f00);
  log_.ran(set, 1);
  EXPECT_EQ(set.call_site_id, kStep);
  EXPECT_EQ(set.address, 0x7f00);
  model::Transfer unknown = set;
  unknown.call_site_id.reset();
  unknown.address.reset();
  log_.ran(unknown, 2);
  EXPECT_EQ(unknown.call_site_id, std::nullopt);
  EXPECT_EQ(unknown.address, std::nullopt);
  // Another call with the same number.
  log_.called(1, kReplay);
  log_.ran(set, 1);
  EXPECT_EQ(set.call_site_id, kReplay);
  EXPECT_EQ(set.address, std::nullopt);
}

TEST_F(LaunchSitesTest, ACopyHasWhatItReadsWithinTheDeviceOrStoresToFromTheHost) {
  model::Transfer copy;
  for (const auto direction : {model::Direction::device_to_device, model::Direction::host_to_device}) {
    copy.direction = direction;
    log_.called(1, kStep);
    log_.names(1, 0x7f00);
    log_.ran(copy, 1);
    EXPECT_EQ(copy.address, 0x7f00);
    copy.address.reset();
  }
  copy.direction = model::Direction::device_to_host;
  log_.called(2, kStep);
  log_.ran(copy, 2);
  EXPECT_EQ(copy.address, std::nullopt);
}

TEST_F(LaunchSitesTest, AKernelOfAGraphHasTheSiteOfItsNodeToo) {
  log_.called(1, kReplay);
  log_.node_made(44, kStreamCapture);
  KernelRun run;
  run.gpu_ns = 100;
  run.correlation = 1;
  run.graph_id = 9;
  run.graph_node = 44;
  log_.ran(run, kGroup, false);
  log_.ran(run, kGroup, false);
  const auto sites = rows<model::LaunchSite>();
  ASSERT_EQ(sites.size(), 2U);
  for (const auto& site : sites) {
    const bool node = site.role == model::SiteRole::graph_node;
    EXPECT_EQ(site.call_site_id, node ? kStreamCapture : kReplay);
    EXPECT_EQ(site.launches, 2);
    EXPECT_EQ(site.gpu_ns, 200);
  }
}

TEST_F(LaunchSitesTest, AKernelOfACountedGraphIsCountedOnce) {
  log_.called(1, kReplay);
  log_.launched(kGroup, kReplay, model::SiteRole::graph_launch, 3);
  log_.launched(kGroup, kReplay);
  KernelRun run;
  run.gpu_ns = 100;
  run.correlation = 1;
  run.graph_id = 9;
  log_.ran(run, kGroup, true);
  const auto sites = rows<model::LaunchSite>();
  ASSERT_EQ(sites.size(), 2U);
  for (const auto& site : sites) {
    const bool in_graph = site.role == model::SiteRole::graph_launch;
    EXPECT_EQ(site.launches, in_graph ? 3 : 1);
    EXPECT_EQ(site.timed_launches, in_graph ? 1 : 0);
  }
}

TEST_F(LaunchSitesTest, TransfersAndWaitsAreAddedUpBySite) {
  model::Transfer copy;
  copy.device_id = model::DeviceId{1};
  copy.direction = model::Direction::host_to_device;
  copy.bytes = 4096;
  copy.gpu_ns = 10;
  for (std::uint32_t correlation = 1; correlation <= 4; ++correlation) {
    log_.called(correlation, correlation == 4 ? kReplay : kStep);
    log_.ran(copy, correlation);
  }
  model::Synchronization wait;
  wait.kind = model::SynchronizationKind::stream;
  wait.wait_ns = 70;
  log_.waited(wait, kStep);
  log_.waited(wait, kStep);
  const auto transfers = rows<model::TransferSite>();
  ASSERT_EQ(transfers.size(), 2U);
  EXPECT_EQ(transfers[0].transfers, 3);
  EXPECT_EQ(transfers[0].bytes, 3 * 4096);
  EXPECT_EQ(transfers[1].call_site_id, kReplay);
  const auto waits = rows<model::SynchronizationSite>();
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].calls, 2);
  EXPECT_EQ(waits[0].wait_ns, 140);
}

}  // namespace
}  // namespace coalescope::recorder
