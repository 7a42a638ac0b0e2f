// The memory behind a kernel's pointers, and what of it is loaded.
#include "reports/analysis/rows/footprints.h"

#include <gtest/gtest.h>
#include <vector>

namespace coalescope::analysis {
namespace {

using model::MemoryKind;
using model::MemoryOperation;

class Footprints : public testing::Test {
 protected:
  Footprints() {
    kernels_[0].id = 1;
    kernels_[1].id = 2;
    point(1, 0, 0x1000, 0x1000);
    point(1, 1, 0x8000, 0x200);
  }
  void point(std::int64_t group, std::int64_t parameter, std::int64_t address, std::int64_t bytes,
             MemoryKind memory = MemoryKind::device) {
    model::GroupPointer& pointer = pointers_.emplace_back();
    pointer.group_id = {group};
    pointer.parameter = parameter;
    pointer.memory = memory;
    pointer.range_address = address;
    pointer.range_bytes = bytes;
  }
  capture::InstructionView& access(MemoryOperation operation, std::optional<std::int64_t> parameter) {
    capture::InstructionView& view = instructions_.emplace_back();
    view.group_id = {1};
    view.code = model::InstructionCode{};
    view.code->operation = operation;
    view.code->parameter = parameter;
    (operation == MemoryOperation::global_store ? view.stores : view.loads) = 10;
    return view;
  }
  const KernelRow& row(std::size_t which = 0) {
    take_footprints(kernels_, pointers_, instructions_);
    return kernels_.at(which);
  }

  std::vector<KernelRow> kernels_{2};
  std::vector<model::GroupPointer> pointers_;
  std::vector<capture::InstructionView> instructions_;
};

TEST_F(Footprints, AreWholeAllocationsOnce) {
  point(1, 2, 0x1000, 0x1000);
  point(1, 3, 0x9000, 0x50, MemoryKind::pinned);
  EXPECT_EQ(row().footprint_bytes, 0x1200);
  EXPECT_EQ(row().host_footprint_bytes, 0x50);
  EXPECT_EQ(row(1).footprint_bytes, std::nullopt) << "no pointer is known";
}

TEST_F(Footprints, AreUnknownWhereTheSizeOfOneIs) {
  pointers_[1].range_bytes.reset();
  EXPECT_EQ(row().footprint_bytes, std::nullopt);
}

TEST_F(Footprints, TellTheSmallestAllocationThatAtomicsGoTo) {
  access(MemoryOperation::reduction, 0).reductions = 10;
  EXPECT_EQ(row().least_atomic_bytes, 0x1000) << "another parameter leads to a smaller one";
  access(MemoryOperation::reduction, 1).reductions = 10;
  EXPECT_EQ(row().least_atomic_bytes, 0x200);
  access(MemoryOperation::atomic, std::nullopt).atomics = 10;
  kernels_[0].least_atomic_bytes.reset();
  EXPECT_EQ(row().least_atomic_bytes, std::nullopt) << "where some go to is not known";
}

TEST_F(Footprints, OfLoadsLeaveOutWhatIsOnlyStored) {
  access(MemoryOperation::global_load, 0);
  access(MemoryOperation::global_load, 0);
  access(MemoryOperation::global_store, 1);
  EXPECT_EQ(row().loaded_footprint_bytes, 0x1000);
  EXPECT_EQ(row().footprint_bytes, 0x1200);
  access(MemoryOperation::reduction, 1);
  EXPECT_EQ(row().loaded_footprint_bytes, 0x1200) << "L2 reads what it adds to";
}

// bench/jury/thirteenth/filed_columns.cu takes a list of columns, each with a pointer.
TEST_F(Footprints, DoNotHoldWhatLoadedPointersLeadTo) {
  access(MemoryOperation::global_load, 1).sectors = 50;
  access(MemoryOperation::generic_load, std::nullopt).sectors = 5;
  EXPECT_FALSE(row().has_loaded_pointers) << "a few may be of anything";
  access(MemoryOperation::generic_load, std::nullopt).sectors = 50;
  EXPECT_TRUE(row().has_loaded_pointers);
  EXPECT_FALSE(row(1).has_loaded_pointers);
}

TEST_F(Footprints, OfLoadsAreUnknownWhereOneOfThemIs) {
  EXPECT_EQ(row().loaded_footprint_bytes, std::nullopt) << "no lines were measured";
  access(MemoryOperation::global_load, 0);
  access(MemoryOperation::global_load, std::nullopt);
  EXPECT_EQ(row().loaded_footprint_bytes, std::nullopt);
  instructions_.pop_back();
  access(MemoryOperation::generic_load, 1);
  EXPECT_EQ(row().loaded_footprint_bytes, std::nullopt);
  instructions_.pop_back();
  access(MemoryOperation::async_copy, 1).async_copies = 10;
  EXPECT_EQ(row().loaded_footprint_bytes, std::nullopt);
  instructions_.pop_back();
  access(MemoryOperation::global_load, std::nullopt).loads = 0;
  EXPECT_EQ(row().loaded_footprint_bytes, 0x1000) << "no warp came by";
}

}  // namespace
}  // namespace coalescope::analysis
