// Kernels that read one array, one after the other, and what keeps them apart.
#include "reports/analysis/rows/read_again.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coalescope::analysis {
namespace {

using model::MemoryOperation;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t kTable = 0x7f00'0000'0000, kTableBytes = 1 << 30;
constexpr std::int64_t kSums = kTable + 2 * kTableBytes, kLists = kTable + 4 * kTableBytes;

// The kernels 1 and 2 read a table and add to sums; 3 reads sums; 4 reads lists.
class ReadAgain : public testing::Test {
 protected:
  ReadAgain() {
    for (std::int64_t id = 1; id <= 4; ++id) {
      KernelRow& row = kernels_.emplace_back();
      row.id = id;
      row.origin = Origin::user;
      auto& group = groups_.emplace_back();
      group.group_id = {id};
      group.process_id = {1};
      group.device_id = {1};
    }
    for (const std::int64_t kernel : {1, 2}) {
      access(kernel, MemoryOperation::global_load, kTable);
      access(kernel, MemoryOperation::reduction, kSums);
    }
    access(3, MemoryOperation::global_load, kSums);
    access(4, MemoryOperation::global_load, kLists);
  }

  capture::InstructionView& access(std::int64_t kernel, MemoryOperation operation, std::int64_t address) {
    model::GroupPointer& pointer = pointers_.emplace_back();
    pointer.group_id = {kernel};
    pointer.parameter = std::ssize(pointers_);
    pointer.address = pointer.range_address.emplace(address);
    pointer.range_bytes = kTableBytes;
    auto& instruction = instructions_.emplace_back();
    instruction.group_id = {kernel};
    instruction.launches = instruction.threads.emplace(1);
    (operation == MemoryOperation::global_load    ? instruction.loads
     : operation == MemoryOperation::global_store ? instruction.stores
                                                  : instruction.reductions) = 1;
    instruction.code.emplace();
    instruction.code->operation = operation;
    instruction.code->access_bytes = 4;
    instruction.code->parameter = pointer.parameter;
    return instruction;
  }
  void launch(std::initializer_list<std::int32_t> kernels) {
    for (const std::int32_t kernel : kernels) {
      launches_.launches.push_back({now_ += 1000, 100, kernel - 1});
      launches_.streams.push_back(7);
      ++groups_[static_cast<std::size_t>(kernel) - 1].launches;
    }
  }
  [[nodiscard]] std::vector<ReadAgainRow> rows() const {
    return read_again({kernels_, groups_, launches_, copies_, pointers_, instructions_, values_});
  }

  std::vector<KernelRow> kernels_;
  std::vector<capture::GroupView> groups_;
  capture::LaunchPlaces launches_;
  std::vector<capture::TransferPlace> copies_;
  std::vector<model::GroupPointer> pointers_;
  std::vector<capture::InstructionView> instructions_;
  std::vector<model::ParameterValues> values_;
  std::int64_t now_ = 0;
};

TEST_F(ReadAgain, KernelsInARowAreOneAndEachRoundCounts) {
  launch({1, 2, 1, 2, 4, 1, 2});
  const auto found = rows();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].kernel_ids, ElementsAre(1, 2));
  EXPECT_THAT(found[0].again_bytes, ElementsAre(0, kTableBytes));
  EXPECT_EQ(found[0].times, 3);
}

// Count the rides of a day, then add up those of the day before: each day has an array of its own.
TEST_F(ReadAgain, APointerThatMovesMayLeadToAnotherArray) {
  launch({1, 2, 4, 1, 2});
  for (const model::GroupPointer& pointer : pointers_)
    values_.push_back({.group_id = pointer.group_id, .parameter = pointer.parameter, .different = 1});
  EXPECT_EQ(rows().size(), 1U);
  for (const std::size_t table : {0U, 2U}) {
    values_[table].different = 2;
    EXPECT_THAT(rows(), IsEmpty());
    values_[table].different = 1;
  }
  values_.erase(values_.begin());
  EXPECT_THAT(rows(), IsEmpty()) << "its addresses were not followed";
}

TEST_F(ReadAgain, WhereStoresGoHasToBeKnown) {
  access(2, MemoryOperation::global_store, kTable + 8 * kTableBytes);
  pointers_.back().range_bytes = kTableBytes / 2;
  launch({1, 2, 4, 1, 2});
  EXPECT_EQ(rows().size(), 1U);
  instructions_.back().code->parameter.reset();
  EXPECT_THAT(rows(), IsEmpty());
}

// The capture has the pointers of first launches.
TEST_F(ReadAgain, AResultThatNobodyReadsIsExchangedWithWhatWasRead) {
  constexpr std::int64_t kNext = kTable + 8 * kTableBytes;
  access(2, MemoryOperation::global_store, kNext);
  launch({1, 2, 4, 1, 2});
  EXPECT_THAT(rows(), IsEmpty());
  pointers_.back().range_bytes = kTableBytes / 2;
  EXPECT_EQ(rows().size(), 1U) << "of another size";
  pointers_.back().range_bytes = kTableBytes;
  copies_.push_back({.process = 1, .device = 1, .stream = 9, .address = kNext});
  EXPECT_EQ(rows().size(), 1U) << "a copy reads it";
  copies_.back().direction = model::Direction::set;
  EXPECT_THAT(rows(), IsEmpty()) << "a set stores to it";
  copies_.clear();
  access(4, MemoryOperation::global_load, kNext);
  EXPECT_EQ(rows().size(), 1U) << "another kernel reads it";
}

TEST_F(ReadAgain, LaunchesThatAreNotListedWentTheSameWay) {
  launch({1, 2});
  groups_[0].launches = groups_[1].launches = 10;
  EXPECT_EQ(rows()[0].times, 10);
}

TEST_F(ReadAgain, OfOneArrayOnly) {
  launch({1, 4, 1, 3});
  EXPECT_THAT(rows(), IsEmpty());
}

TEST_F(ReadAgain, WhatWorksOnTheResultsOfAnotherOneHasToWait) {
  access(3, MemoryOperation::global_load, kTable);
  launch({1, 3});
  EXPECT_THAT(rows(), IsEmpty()) << "it reads the sums";
  launches_ = {};
  access(2, MemoryOperation::global_store, kTable);
  launch({1, 2});
  EXPECT_THAT(rows(), IsEmpty()) << "it changes what the other one reads";
}

TEST_F(ReadAgain, AGatherReadsInAnOrderOfItsOwn) {
  instructions_[0].code->indexed = true;
  launch({1, 2});
  EXPECT_THAT(rows(), IsEmpty());
}

TEST_F(ReadAgain, CopiesAndKernelsOfLibrariesLieBetween) {
  launch({1});
  capture::TransferPlace& copy = copies_.emplace_back();
  copy.process = copy.device = 1;
  copy.stream = 7;
  copy.start_ns = now_ += 1000;
  launch({2});
  EXPECT_THAT(rows(), IsEmpty()) << "the second one may need what was copied";
  copies_.clear();
  kernels_[1].origin = Origin::library;
  EXPECT_THAT(rows(), IsEmpty());
}

}  // namespace
}  // namespace coalescope::analysis
