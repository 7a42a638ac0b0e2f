#include "reports/analysis/rows/l2_window_rows.h"

#include <gtest/gtest.h>

namespace coalescope::analysis {
namespace {

using model::AccessProperty;

// Two kernels: the first has a pointer to 0x1000..0x2000, the second to 0x8000..0x9000.
class Windows : public testing::Test {
 protected:
  Windows() {
    for (const std::int64_t id : {1, 2}) {
      capture::GroupView group;
      group.group_id = {id};
      group.process_id = {1};
      group.device_id = {1};
      groups_.push_back(group);
      const std::int64_t address = id == 1 ? 0x1000 : 0x8000;
      pointers_.push_back({{id}, 0, model::MemoryKind::device, {}, address, address, 0x1000});
    }
  }

  void set(std::int64_t ns, std::int64_t stream, std::int64_t address, std::int64_t bytes,
           AccessProperty property = AccessProperty::persisting) {
    model::L2Window window;
    window.process_id = {1};
    window.target = model::L2WindowTarget::stream;
    window.stream = stream;
    window.set_ns = ns;
    window.address = address;
    window.bytes = bytes;
    window.hit_ratio = 1;
    window.hit_property = property;
    windows_.push_back(window);
  }
  void launch(std::int64_t ns, std::int32_t group, std::int32_t stream = 7) {
    launches_.launches.push_back({ns, 100, group - 1});
    launches_.streams.push_back(stream);
  }
  void setting(std::int64_t ns, model::L2Action action, std::optional<std::int64_t> bytes) {
    settings_.push_back({0, {1}, {}, action, ns, bytes});
  }

  [[nodiscard]] std::vector<L2WindowRow> rows() const {
    return l2_window_rows({windows_, settings_, pointers_, groups_, launches_}).rows;
  }

  std::vector<model::L2Window> windows_;
  std::vector<model::L2Setting> settings_;
  std::vector<model::GroupPointer> pointers_;
  std::vector<capture::GroupView> groups_;
  capture::LaunchPlaces launches_;
};

TEST_F(Windows, CountLaunchesWithAPointerIntoThem) {
  setting(1, model::L2Action::set_aside, 4096);
  set(10, 7, 0x1800, 0x100);
  launch(5, 1);
  launch(20, 1);
  launch(30, 1);
  launch(40, 1, 8);
  const auto all = rows();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].launches, 2) << "not the one before, nor that of another stream";
  EXPECT_EQ(all[0].gpu_ns, 200);
  EXPECT_EQ(all[0].set_aside_bytes, 4096);
  EXPECT_TRUE(all[0].pointers_known);
}

TEST_F(Windows, LaunchesAreOfTheWindowThatWasThenInForce) {
  constexpr std::int64_t kMs = 1'000'000;
  set(10, 7, 0x1800, 0x100);
  launch(20, 1);
  set(30, 7, 0x1800, 0x80);
  launch(5 * kMs, 1);
  auto all = rows();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].launches, 1);
  EXPECT_EQ(all[1].launches, 1);
  set(6 * kMs, 7, 0x1800, 0x100);
  launch(8 * kMs, 1);
  all = rows();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].launches, 2) << "set again";
  EXPECT_EQ(all[1].launches, 1);
}

TEST_F(Windows, LaterLaunchesSufferUntilTheLinesAreGivenBack) {
  set(10, 7, 0x1800, 0x100);
  launch(20, 1);
  launch(30, 2);
  launch(40, 2, 8);
  EXPECT_EQ(rows()[0].later_launches, 2);
  ASSERT_EQ(rows()[0].later.size(), 1U);
  EXPECT_EQ(rows()[0].later[0].kernel_id, 2);
  set(35, 7, 0, 0, AccessProperty::normal);
  EXPECT_EQ(rows()[0].later_launches, 2) << "a window that is gone leaves its lines";
  setting(36, model::L2Action::reset_persisting, std::nullopt);
  EXPECT_EQ(rows()[0].later_launches, 1) << "only the one before the reset";
  EXPECT_DOUBLE_EQ(rows()[0].later.at(0).share, 0.5);
}

TEST_F(Windows, LinesThatAreUsedAgainAreToldFromThoseThatAreOnlyLeft) {
  set(10, 7, 0x1800, 0x100);
  launch(20, 1);
  launch(30, 2);
  EXPECT_EQ(rows()[0].uses_after_later, 0);
  launch(40, 1);
  launch(50, 2);
  EXPECT_EQ(rows()[0].later_launches, 2);
  EXPECT_EQ(rows()[0].uses_after_later, 1);
}

TEST_F(Windows, KernelsThatUseAnotherWindowAreNotLater) {
  set(10, 7, 0x1800, 0x100);
  set(11, 8, 0x8000, 0x100);
  launch(20, 1);
  launch(30, 2, 8);
  EXPECT_EQ(rows()[0].later_launches, 0);
}

TEST_F(Windows, TheFirstOfSeveralHasTheKernelsOfAll) {
  set(10, 7, 0x1000, 0x100);
  set(11, 8, 0x8000, 0x200);
  launch(20, 1, 7);
  launch(20, 2, 8);
  const auto all = rows();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(all[0].first_of_all);
  EXPECT_FALSE(all[1].first_of_all);
  EXPECT_EQ(all[0].together.size(), 2U);
  EXPECT_DOUBLE_EQ(all[0].at_once, 2);
  EXPECT_TRUE(all[1].together.empty());
}

TEST_F(Windows, OfAStreamThatSetsItsWindowAgainOneCounts) {
  set(10, 7, 0x1000, 0x100);
  for (const std::int64_t ns : {20, 30, 40}) set(ns, 8, 0x8000, 0x200);
  EXPECT_EQ(rows()[0].other_windows, 1);
  EXPECT_EQ(rows()[0].other_bytes, 0x200);
}

TEST_F(Windows, AccessesAsNormalOnesGiveTheLinesBack) {
  set(10, 7, 0x1800, 0x100);
  launch(20, 1);
  set(25, 7, 0x1000, 0x1000, AccessProperty::normal);
  launch(30, 2);
  EXPECT_EQ(rows()[0].later_launches, 0);
}

TEST_F(Windows, KernelsWithoutKnownPointersLeaveItOpen) {
  set(10, 7, 0x1800, 0x100);
  launch(20, 1);
  pointers_.clear();
  EXPECT_FALSE(rows()[0].pointers_known);
  EXPECT_EQ(rows()[0].launches, 0);
}

TEST_F(Windows, OfOtherStreamsCountWhileTheyAreInForce) {
  set(10, 7, 0x1000, 0x100);
  set(20, 8, 0x8000, 0x200);
  EXPECT_EQ(rows()[0].other_windows, 1);
  EXPECT_EQ(rows()[0].other_bytes, 0x200);
  set(15, 7, 0, 0, AccessProperty::normal);
  EXPECT_EQ(rows()[0].other_windows, 0) << "gone before the other came";
}

TEST_F(Windows, TheSameWindowSetAgainIsOneRow) {
  for (const std::int64_t ns : {10, 20, 30}) set(ns, 7, 0x1000, 0x100);
  EXPECT_EQ(rows().size(), 1U);
}

}  // namespace
}  // namespace coalescope::analysis
