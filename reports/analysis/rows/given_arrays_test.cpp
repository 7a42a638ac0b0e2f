// A kernel of XLA's that reads every eighth element of a table, and who else is given the table.
#include "reports/analysis/rows/given_arrays.h"

#include <gtest/gtest.h>

#include "reports/analysis/figures/owners.h"

namespace coalescope::analysis {
namespace {

using model::MemoryOperation;

constexpr std::int64_t kGivenTable = 0x7f00'0000'0000, kGivenSums = 0x7f00'1000'0000;

class GivenArrays : public testing::Test {
 protected:
  GivenArrays() {
    for (std::int64_t id = 1; id <= 2; ++id) {
      KernelRow& row = kernels_.emplace_back();
      row.id = id;
      row.owner = kXla;
      row.launches = 100;
    }
    access(1, MemoryOperation::global_load, kGivenTable, 32);
    access(1, MemoryOperation::global_store, kGivenSums, 4);
  }

  capture::InstructionView& access(std::int64_t kernel, MemoryOperation operation, std::int64_t address,
                                   std::int64_t sectors) {
    model::GroupPointer& pointer = pointers_.emplace_back();
    pointer.group_id = {kernel};
    pointer.parameter = std::ssize(pointers_);
    pointer.address = address;
    auto& instruction = instructions_.emplace_back();
    instruction.group_id = {kernel};
    instruction.launches = 1;
    instruction.threads = 32;
    instruction.sectors = sectors;
    instruction.ideal_sectors = 4;
    (operation == MemoryOperation::global_load ? instruction.loads : instruction.stores) = 1;
    instruction.code.emplace();
    instruction.code->operation = operation;
    instruction.code->access_bytes = 4;
    instruction.code->parameter = pointer.parameter;
    return instruction;
  }
  bool marked() {
    mark_given_arrays(kernels_, pointers_, instructions_);
    return kernels_[0].reads_given_apart;
  }

  std::vector<KernelRow> kernels_;
  std::vector<model::GroupPointer> pointers_;
  std::vector<capture::InstructionView> instructions_;
};

TEST_F(GivenArrays, WhatNobodyStoresWasGiven) {
  access(2, MemoryOperation::global_load, kGivenTable, 4);
  EXPECT_TRUE(marked());
  EXPECT_FALSE(kernels_[1].reads_given_apart) << "it reads side by side";
}

TEST_F(GivenArrays, WhatAnotherKernelStoresLiesAsXlaWishes) {
  access(2, MemoryOperation::global_store, kGivenTable, 4);
  EXPECT_FALSE(marked());
}

TEST_F(GivenArrays, AKernelThatRanAtTheBeginningMadeIt) {
  access(2, MemoryOperation::global_store, kGivenTable, 4);
  kernels_[1].launches = 1;
  EXPECT_TRUE(marked());
}

TEST_F(GivenArrays, AKernelThatWasNotCountedMayStore) {
  access(2, MemoryOperation::global_load, kGivenTable, 4);
  instructions_.pop_back();
  EXPECT_FALSE(marked());
}

TEST_F(GivenArrays, AStoreWhosePlaceIsNotKnownMayGoThere) {
  access(2, MemoryOperation::global_load, kGivenTable, 4);
  access(2, MemoryOperation::global_store, kGivenSums, 4).code->parameter = std::nullopt;
  EXPECT_FALSE(marked());
}

TEST_F(GivenArrays, ALoadWhosePlaceIsNotKnownIsOfNoArgument) {
  instructions_[0].code->parameter = std::nullopt;
  EXPECT_FALSE(marked());
}

TEST_F(GivenArrays, OfOtherLibrariesNothingIsSaid) {
  kernels_[0].owner = kTorch;
  EXPECT_FALSE(marked());
}

}  // namespace
}  // namespace coalescope::analysis
