#include "reports/analysis/rows/copy_waits.h"

#include <gtest/gtest.h>

namespace coalescope::analysis {
namespace {

// Ten rounds of 100 us: a copy keeps its caller for 40, of which the copy itself takes 10, then a kernel
// works for 30.
class CopyWaits : public testing::Test {
 protected:
  static constexpr std::int64_t kUs = 1'000;

  CopyWaits() {
    for (int round = 0; round < 10; ++round) {
      wait(100 * round, 40, 4);
      occupied_.all.emplace_back((100 * round + 30) * kUs, (100 * round + 70) * kUs);
    }
    rows_[0].call_sites = {{.call_site_id = 4, .calls = 10, .gpu_ns = 100 * kUs, .estimated_ns = 100 * kUs}};
  }
  void wait(std::int64_t at_us, std::int64_t us, std::optional<std::int64_t> site) {
    model::Synchronization& row = waits_.emplace_back();
    row.process_id = {1};
    row.kind = model::SynchronizationKind::copy;
    row.start_ns = at_us * kUs;
    row.wait_ns = us * kUs;
    if (site) row.call_site_id = model::CallSiteId{*site};
  }
  void add_line(std::int64_t site, std::int64_t line) {
    CallSiteRow& row = sites_.emplace_back();
    row.id = site;
    row.kind = model::FrameKind::python;
    row.file = "train.py";
    row.line = line;
    row.own = true;
  }
  std::int64_t idle_us(std::size_t use = 0) {
    take_copy_waits(rows_, waits_, {{1, occupied_}}, CallStacks(sites_));
    return rows_[0].call_sites[use].idle_ns / kUs;
  }

  std::vector<TransferRow> rows_{1};
  std::vector<model::Synchronization> waits_;
  OccupiedTimes occupied_;
  std::vector<CallSiteRow> sites_;
};

TEST_F(CopyWaits, AreWhatTheCallsTakeBesideTheCopies) {
  EXPECT_EQ(idle_us(), 10 * 30);
}

TEST_F(CopyWaits, OfOneLineAreDividedByTheTimeOfItsCopies) {
  add_line(4, 7);
  add_line(5, 7);
  rows_[0].call_sites.push_back(
      {.call_site_id = 5, .calls = 10, .gpu_ns = 50 * kUs, .estimated_ns = 50 * kUs});
  for (model::Synchronization& row : waits_)
    if (row.start_ns % (200 * kUs) != 0) row.call_site_id = model::CallSiteId{5};
  EXPECT_EQ(idle_us(0), (10 * 40 - 150) * 2 / 3);
  EXPECT_EQ(idle_us(1), (10 * 40 - 150) / 3);
}

// The driver's own frames differ between a copy and the wait for it.
TEST_F(CopyWaits, OfACallInCodeWithoutLinesAreFoundByTheCall) {
  for (const std::int64_t site : {4, 5}) {
    CallSiteRow& row = sites_.emplace_back();
    row.id = site;
    row.caller_id = 3;
  }
  CallSiteRow& own = sites_.emplace_back();
  own.id = 3;
  own.own = true;
  for (model::Synchronization& row : waits_) row.call_site_id = model::CallSiteId{5};
  EXPECT_EQ(idle_us(), 10 * 30);
}

// Of half of the calls no stack was looked at.
TEST_F(CopyWaits, OfCallsWithoutAStackAreTakenToBeAlike) {
  rows_[0].call_sites[0].calls = 5;
  rows_[0].call_sites[0].gpu_ns = 50 * kUs;
  for (std::size_t i = 0; i < waits_.size(); i += 2) waits_[i].call_site_id.reset();
  EXPECT_EQ(idle_us(), 10 * 30);
}

TEST_F(CopyWaits, EndWhereAnotherLineWaits) {
  for (int round = 0; round < 10; ++round) wait(100 * round + 45, 50, std::nullopt);
  EXPECT_EQ(idle_us(), 10 * 30) << "the GPU idles before the kernel";
  for (auto& [from, to] : occupied_.all) from -= 25 * kUs;
  EXPECT_EQ(idle_us(), 10 * 5);
}

TEST_F(CopyWaits, AreUnknownInOlderCaptures) {
  for (model::Synchronization& row : waits_) row.call_site_id.reset();
  EXPECT_EQ(idle_us(), 0);
}

}  // namespace
}  // namespace coalescope::analysis
