// A kernel that stores flows and one that alone loads them, and what makes one kernel of both impossible.
#include "reports/analysis/rows/handed_on.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coalescope::analysis {
namespace {

using model::MemoryOperation;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t kWaterAddress = 0x7f00'0000'0000, kFlowAddress = 0x7f10'0000'0000;
constexpr std::int64_t kElements = 1 << 20;  // of 4 bytes; a thread each

// 1 reads the water and stores flows; 2 reads the flows, of a neighbour too, and changes the water; 3 is
// another kernel.
class HandedOn : public testing::Test {
 protected:
  HandedOn() {
    for (const char* name : {"find_flows", "apply_flows", "others"}) {
      KernelRow& row = kernels_.emplace_back();
      row.id = std::ssize(kernels_);
      row.name = name;
      row.origin = Origin::user;
      row.grid = {kElements / 256, 1, 1};
      row.block = {256, 1, 1};
      row.shared.requests = 0;
      auto& group = groups_.emplace_back();
      group.group_id = {row.id};
      group.process_id = {1};
      group.device_id = {1};
    }
    access(1, MemoryOperation::global_load, kWaterAddress);
    access(1, MemoryOperation::global_store, kFlowAddress);
    access(2, MemoryOperation::global_load, kFlowAddress);
    again(2, kFlowAddress);
    access(2, MemoryOperation::global_load, kWaterAddress);
    again(2, kWaterAddress, MemoryOperation::global_store);
    access(3, MemoryOperation::global_load, 0x7f20'0000'0000);
  }

  // Another access to an array that the kernel has a pointer to.
  capture::InstructionView& again(std::int64_t kernel, std::int64_t address,
                                  MemoryOperation operation = MemoryOperation::global_load) {
    const auto pointer = std::ranges::find_if(pointers_, [&](const model::GroupPointer& each) {
      return each.group_id.value == kernel && each.address == address;
    });
    auto& instruction = instructions_.emplace_back();
    instruction.group_id = {kernel};
    instruction.launches = 1;
    instruction.threads = kElements;
    instruction.sectors = instruction.ideal_sectors.emplace(kElements / 8);
    (operation == MemoryOperation::global_load ? instruction.loads : instruction.stores) = kElements / 32;
    instruction.code.emplace();
    instruction.code->operation = operation;
    instruction.code->access_bytes = 4;
    instruction.code->parameter = pointer->parameter;
    return instruction;
  }
  capture::InstructionView& access(std::int64_t kernel, MemoryOperation operation, std::int64_t address) {
    model::GroupPointer& pointer = pointers_.emplace_back();
    pointer.group_id = {kernel};
    pointer.parameter = std::ssize(pointers_);
    pointer.address = address;
    return again(kernel, address, operation);
  }
  void launch(std::initializer_list<std::int32_t> kernels) {
    for (const std::int32_t kernel : kernels) {
      launches_.launches.push_back({now_ += 1000, 100, kernel - 1});
      launches_.streams.push_back(7);
      ++groups_[static_cast<std::size_t>(kernel) - 1].launches;
    }
  }
  void copy(model::Direction direction, std::int64_t address = 0) {
    capture::TransferPlace& place = copies_.emplace_back();
    place.process = place.device = 1;
    place.direction = direction;
    place.address = address;
    place.start_ns = now_ += 1000;
  }
  [[nodiscard]] std::vector<HandedOnRow> rows() const {
    return handed_on({kernels_, groups_, launches_, copies_, pointers_, instructions_});
  }

  std::vector<KernelRow> kernels_;
  std::vector<capture::GroupView> groups_;
  capture::LaunchPlaces launches_;
  std::vector<capture::TransferPlace> copies_;
  std::vector<model::GroupPointer> pointers_;
  std::vector<capture::InstructionView> instructions_;
  std::int64_t now_ = 0;
};

TEST_F(HandedOn, WhatOnlyTheNextKernelLoadsIsHandedOn) {
  launch({1, 2, 1, 2, 1, 2});
  groups_[0].launches = groups_[1].launches = 30;  // the capture does not list all
  const auto found = rows();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].kernel_ids, ElementsAre(1, 2));
  EXPECT_EQ(found[0].links[0].handed_bytes, 4 * kElements);
  EXPECT_EQ(found[0].links[0].shared_bytes, 4 * kElements);
  EXPECT_EQ(found[0].links[0].readers, 2);
  EXPECT_EQ(found[0].times, 30);
}

TEST_F(HandedOn, OtherKernelsBetweenKeepThemApart) {
  launch({1, 3, 2, 1, 3, 2});
  EXPECT_THAT(rows(), IsEmpty());
}

TEST_F(HandedOn, ManyReadersWouldComputeItTooOften) {
  again(2, kFlowAddress);
  launch({1, 2, 1, 2});
  EXPECT_THAT(rows(), IsEmpty());
}

TEST_F(HandedOn, WhatAnotherKernelIsGivenIsNoMeansToAnEnd) {
  access(3, MemoryOperation::global_load, kFlowAddress + 64);
  launch({1, 2, 1, 2});
  EXPECT_THAT(rows(), IsEmpty());
}

// It is stored in any case, so that others may load it, too.
TEST_F(HandedOn, WhatTheNextKernelChangesInPlaceIsHandedOn) {
  access(3, MemoryOperation::global_load, kFlowAddress);
  again(3, kFlowAddress, MemoryOperation::global_store);
  again(1, kWaterAddress).code->parameter.reset();
  launch({1, 3, 1, 3});
  const auto found = rows();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].kernel_ids, ElementsAre(1, 3));
  EXPECT_EQ(found[0].links[0].handed_bytes, 4 * kElements);
  EXPECT_EQ(found[0].links[0].readers, 1);
  again(3, kFlowAddress);
  EXPECT_THAT(rows(), IsEmpty()) << "of neighbours, which would have to be done before";
}

TEST_F(HandedOn, APartThatIsChangedInPlaceIsNot) {
  access(3, MemoryOperation::global_load, kFlowAddress);
  again(3, kFlowAddress, MemoryOperation::global_store).threads = kElements / 2;
  access(2, MemoryOperation::global_load, kFlowAddress);
  launch({1, 3, 1, 3});
  EXPECT_THAT(rows(), IsEmpty());
}

TEST_F(HandedOn, NorIsWhatTheFirstOneReadsItself) {
  again(1, kFlowAddress);
  launch({1, 2, 1, 2});
  EXPECT_THAT(rows(), IsEmpty());
}

// Three kernels that change an array in place, one after the other, as 1 has made it.
class ChangedInPlace : public HandedOn {
 protected:
  ChangedInPlace() {
    instructions_.clear();
    pointers_.clear();
    access(1, MemoryOperation::global_load, kWaterAddress);
    access(1, MemoryOperation::global_store, kFlowAddress);
    for (const std::int64_t kernel : {2, 3}) {
      access(kernel, MemoryOperation::global_store, kFlowAddress);
      access(kernel, MemoryOperation::global_load, kFlowAddress);  // by a pointer of its own
    }
  }
};

TEST_F(ChangedInPlace, AllAreOneChain) {
  launch({1, 2, 3, 1, 2, 3});
  const auto found = rows();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].kernel_ids, ElementsAre(1, 2, 3));
  ASSERT_EQ(found[0].links.size(), 2U);
  EXPECT_EQ(found[0].links[1].handed_bytes, 4 * kElements);
  EXPECT_EQ(found[0].times, 2);
}

TEST_F(ChangedInPlace, InstancesOfOneTemplateAreIfEachThreadHasOneElement) {
  kernels_[1].name = "grade<Curve>";
  kernels_[2].name = "grade<Shade>";
  launch({1, 2, 3, 1, 2, 3});
  ASSERT_EQ(rows().size(), 1U);
  EXPECT_THAT(rows()[0].kernel_ids, ElementsAre(1, 2, 3));
  again(3, kFlowAddress).threads = kElements / 100;
  EXPECT_THAT(rows().at(0).kernel_ids, ElementsAre(1, 2)) << "stages exchange elements";
}

TEST_F(ChangedInPlace, ALoopOfTheProgramIsNoChain) {
  instructions_.erase(instructions_.begin(), instructions_.begin() + 2);
  launch({2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3});
  const auto found = rows();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].kernel_ids, ElementsAre(2, 3));
}

// Water and flows change places from launch to launch.
TEST_F(HandedOn, WhatALaterLaunchLoadsIsKept) {
  std::vector<model::ParameterValues> values;
  for (const model::GroupPointer& pointer : pointers_)
    values.push_back({pointer.group_id, pointer.parameter, 0, 2, 1 << 20});
  launch({1, 2, 1, 2});
  const auto found = handed_on({kernels_, groups_, launches_, copies_, pointers_, instructions_, values});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].links[0].kept_bytes, 4 * kElements);
}

TEST_F(HandedOn, NorIsWhatGoesToTheHostOrIsCopied) {
  for (int round = 0; round < 4; ++round) {
    launch({1, 2});
    copy(model::Direction::device_to_host);
  }
  EXPECT_THAT(rows(), IsEmpty());
  copies_.clear();
  EXPECT_EQ(rows().size(), 1U);
  copy(model::Direction::device_to_device, kFlowAddress);
  EXPECT_THAT(rows(), IsEmpty());
}

TEST_F(HandedOn, ThreadsThatShareDataHaveToMeet) {
  kernels_[1].shared.requests = 32;
  launch({1, 2, 1, 2});
  EXPECT_THAT(rows(), IsEmpty()) << "a tile may be another block's";
  kernels_[1].shared.requests.reset();
  EXPECT_THAT(rows(), IsEmpty()) << "not counted";
}

TEST_F(HandedOn, ALoopOverAnArrayMayGoAnotherWay) {
  instructions_[2].threads = 2 * kElements;
  launch({1, 2, 1, 2});
  EXPECT_THAT(rows(), IsEmpty());
}

TEST_F(HandedOn, AnotherOrderIsNoHandingOn) {
  instructions_[2].sectors = 4 * kElements / 8;
  launch({1, 2, 1, 2});
  EXPECT_THAT(rows(), IsEmpty()) << "strided";
  instructions_[2].sectors = kElements / 8;
  instructions_[2].code->indexed = true;
  EXPECT_THAT(rows(), IsEmpty()) << "gathered";
}

TEST_F(HandedOn, StagesOfOneMethodExchangeTheirElements) {
  kernels_[0].name = "stage<1>";
  kernels_[1].name = "stage<2>";
  launch({1, 2, 1, 2});
  EXPECT_THAT(rows(), IsEmpty());
}

TEST_F(HandedOn, OtherThreadsAreOtherElements) {
  kernels_[1].grid = {kElements / 512, 1, 1};
  kernels_[1].block = {512, 1, 1};
  launch({1, 2, 1, 2});
  EXPECT_THAT(rows(), IsEmpty());
}

}  // namespace
}  // namespace coalescope::analysis
