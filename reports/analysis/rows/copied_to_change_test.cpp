#include "reports/analysis/rows/copied_to_change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "reports/analysis/figures/owners.h"

namespace coalescope::analysis {
namespace {

constexpr std::int32_t kChanger = 0, kBystander = 1;

class CopiedToChange : public testing::Test {
 protected:
  CopiedToChange() {
    for (std::int64_t id = 1; id <= 2; ++id) {
      KernelRow& kernel = kernels_.emplace_back();
      kernel.id = id;
      kernel.owner = kXla;
      kernel.name = id == 1 ? "loop_dynamic_update_slice_fusion" : "loop_add_fusion";
      auto& group = groups_.emplace_back();
      group.group_id = {id};
      group.process_id = {1};
      group.device_id = {1};
    }
    TransferRow& copies = transfers_.emplace_back();
    copies.device_id = 1;
    copies.direction = model::Direction::device_to_device;
    copies.largest_bytes = 1 << 30;
  }

  void copy(std::int32_t stream = 7) {
    capture::TransferPlace& place = copies_.emplace_back();
    place.start_ns = now_ += 1000;
    place.process = place.device = 1;
    place.stream = stream;
    place.direction = model::Direction::device_to_device;
    place.bytes = 1 << 20;
  }
  void launch(std::int32_t kernel, std::int32_t stream = 7) {
    launches_.launches.push_back({now_ += 1000, 100, kernel});
    launches_.streams.push_back(stream);
  }
  [[nodiscard]] std::optional<std::int64_t> changed_by() {
    transfers_.front().changed_by.reset();
    take_changes(transfers_, kernels_, groups_, launches_, copies_);
    return transfers_.front().changed_by;
  }

  std::vector<KernelRow> kernels_;
  std::vector<TransferRow> transfers_;
  std::vector<capture::GroupView> groups_;
  capture::LaunchPlaces launches_;
  std::vector<capture::TransferPlace> copies_;
  std::int64_t now_ = 0;
};

TEST_F(CopiedToChange, WhereTheNextKernelOfTheStreamChangesAPart) {
  copy();
  launch(kBystander, 8);
  launch(kChanger);
  launch(kBystander);
  EXPECT_EQ(changed_by(), kChanger + 1);
  kernels_[kChanger].owner.clear();
  EXPECT_EQ(changed_by(), std::nullopt) << "a kernel of the program's own may have any name";
}

TEST_F(CopiedToChange, NotWhereSomethingElseFollows) {
  for (int i = 0; i < 8; ++i) {
    copy();
    launch(kChanger);
  }
  copy();
  launch(kBystander);
  EXPECT_EQ(changed_by(), std::nullopt) << "one in nine is too many";
}

TEST_F(CopiedToChange, MeasuredLaunchesTellNothing) {
  copy();
  launches_.measured.push_back({now_ += 1000, 0, kBystander});
  launch(kBystander);
  copy();
  launch(kChanger);
  EXPECT_EQ(changed_by(), kChanger + 1);
}

TEST_F(CopiedToChange, ACopyBehindACopyIsNoChange) {
  copy();
  copy();
  launch(kChanger);
  EXPECT_EQ(changed_by(), std::nullopt);
}

}  // namespace
}  // namespace coalescope::analysis
