// Launches in a row that read one array, and what makes one launch of them impossible.
#include "reports/analysis/rows/read_by_each.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/analysis/figures/owners.h"

namespace coalescope::analysis {
namespace {

using model::MemoryOperation;
using testing::IsEmpty;

constexpr std::int64_t kPrints = 0x7f00'0000'0000, kPrintBytes = 1 << 30;
constexpr std::int64_t kWanted = kPrints + 2 * kPrintBytes, kNearest = kPrints + 4 * kPrintBytes;

// 1 compares prints, each launch with other wanted ones, and stores what is nearest; 2 reads that. 3 is a
// product of a library, 4 a reduction, 5 an element-wise operation.
class ReadByEach : public testing::Test {
 protected:
  ReadByEach() {
    for (const char* name :
         {"compare", "choose", "void gemv2T_kernel_val<int, float>(float*)",
          "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
          "at::native::MaxOps<float>>>(float*)",
          "void at::native::vectorized_elementwise_kernel<4, at::native::tanh_kernel_cuda>(float*)"}) {
      KernelRow& row = kernels_.emplace_back();
      row.id = std::ssize(kernels_);
      row.name = row.full_name = name;
      row.origin = row.id <= 2 ? Origin::user : Origin::library;
      row.owner = row.id == 3 ? kCublas : row.id > 3 ? kTorch : "";
      row.dram_read_bytes = kPrintBytes;
      auto& group = groups_.emplace_back();
      group.group_id = {row.id};
      group.process_id = {1};
      group.device_id = {1};
    }
    access(1, MemoryOperation::global_load, kPrints, 1);
    access(1, MemoryOperation::global_load, kWanted, 4);
    access(1, MemoryOperation::global_store, kNearest, 1);
    access(2, MemoryOperation::global_load, kNearest, 1);
    access(2, MemoryOperation::global_store, kNearest + 2 * kPrintBytes, 1);
    access(3, MemoryOperation::global_load, kPrints, 1);
    access(3, MemoryOperation::global_load, kWanted, 4);
  }

  // `different`: addresses.
  void access(std::int64_t kernel, MemoryOperation operation, std::int64_t address, std::int64_t different) {
    model::GroupPointer& pointer = pointers_.emplace_back();
    pointer.group_id = {kernel};
    pointer.parameter = std::ssize(pointers_);
    pointer.address = pointer.range_address.emplace(address);
    pointer.range_bytes = kPrintBytes;
    values_.push_back(
        {.group_id = {kernel}, .parameter = pointer.parameter, .different = different, .span_bytes = 0});
    auto& instruction = instructions_.emplace_back();
    instruction.group_id = {kernel};
    instruction.launches = 1;
    instruction.threads = kPrintBytes / 4;
    (operation == MemoryOperation::global_load ? instruction.loads : instruction.stores) = 1;
    instruction.code.emplace();
    instruction.code->operation = operation;
    instruction.code->access_bytes = 4;
    instruction.code->parameter = pointer.parameter;
  }
  void launch(std::initializer_list<std::int32_t> kernels) {
    for (const std::int32_t kernel : kernels) {
      launches_.launches.push_back({now_ += 1000, 100, kernel - 1});
      launches_.streams.push_back(stream_);
      ++groups_[static_cast<std::size_t>(kernel) - 1].launches;
    }
  }
  void copy(model::Direction direction) {
    capture::TransferPlace& place = copies_.emplace_back();
    place.process = place.device = 1;
    place.direction = direction;
    place.stream = 7;
    place.start_ns = now_ += 1000;
  }
  [[nodiscard]] std::vector<ReadByEachRow> rows() const {
    return read_by_each({kernels_, groups_, launches_, copies_, pointers_, instructions_, values_});
  }
  [[nodiscard]] double in_a_row() const {
    const auto found = rows();
    return found.size() == 1 ? found[0].in_a_row : 0;
  }

  std::vector<KernelRow> kernels_;
  std::vector<capture::GroupView> groups_;
  capture::LaunchPlaces launches_;
  std::vector<capture::TransferPlace> copies_;
  std::vector<model::GroupPointer> pointers_;
  std::vector<capture::InstructionView> instructions_;
  std::vector<model::ParameterValues> values_;
  std::int64_t now_ = 0;
  std::int32_t stream_ = 7;
};

TEST_F(ReadByEach, LaunchesThatReadOneArrayCouldBeOne) {
  launch({1, 1, 1, 1, 1, 1});
  const auto found = rows();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kernel_id, 1);
  EXPECT_EQ(found[0].launches, 6);
  EXPECT_EQ(found[0].in_a_row, 6);
  EXPECT_EQ(found[0].array_bytes, kPrintBytes);
  EXPECT_FALSE(found[0].product);
}

TEST_F(ReadByEach, OthersBetweenThatChangeNothingOfWhatTheyReadDoNotMatter) {
  launch({1, 2, 1, 2, 1, 2});
  EXPECT_EQ(in_a_row(), 3);
  access(2, MemoryOperation::global_store, kWanted, 1);
  EXPECT_EQ(in_a_row(), 1);
}

TEST_F(ReadByEach, CopiesEndARow) {
  launch({1, 1});
  copy(model::Direction::device_to_host);
  launch({1, 1});
  EXPECT_EQ(in_a_row(), 2);
}

// Into the same array, which the next launch then reads.
TEST_F(ReadByEach, UploadsInAnotherStreamEndARowToo) {
  for (int frame = 0; frame < 4; ++frame) {
    launch({1});
    copy(model::Direction::host_to_device);
    copies_.back().stream = 8;
  }
  EXPECT_EQ(in_a_row(), 1);
  for (auto& each : copies_) each.direction = model::Direction::device_to_host;
  EXPECT_EQ(in_a_row(), 4);
}

TEST_F(ReadByEach, SoDoOtherKernelsInAnotherStream) {
  access(2, MemoryOperation::global_store, kWanted, 1);
  for (int frame = 0; frame < 4; ++frame) {
    stream_ = 7;
    launch({1});
    stream_ = 8;
    launch({2});
  }
  EXPECT_EQ(in_a_row(), 1);
}

TEST_F(ReadByEach, ALaunchMayNotReadWhatAnotherOneStores) {
  access(1, MemoryOperation::global_store, kWanted, 1);
  launch({1, 1, 1});
  EXPECT_THAT(rows(), IsEmpty());
}

// One step reads what the step before has stored.
TEST_F(ReadByEach, NorMayTwoArraysChangePlaces) {
  values_[1].different = values_[2].different = 2;
  values_[1].span_bytes = values_[2].span_bytes = kNearest - kWanted;
  launch({1, 1, 1});
  EXPECT_THAT(rows(), IsEmpty());
}

TEST_F(ReadByEach, NorMayTheHostSeeWhatALaunchStores) {
  pointers_[2].memory = model::MemoryKind::pinned;
  launch({1, 1, 1});
  EXPECT_THAT(rows(), IsEmpty());
}

TEST_F(ReadByEach, LaunchesThatAreAllAlikeAreABenchmark) {
  values_[1].different = 1;
  launch({1, 1, 1});
  EXPECT_THAT(rows(), IsEmpty());
}

TEST_F(ReadByEach, AnArrayThatLaunchesGoThroughIsReadOnce) {
  values_[0].different = 4;
  values_[1].different = 4;
  launch({1, 1, 1});
  EXPECT_THAT(rows(), IsEmpty());
}

TEST_F(ReadByEach, LaunchesMayReadAPartEach) {
  instructions_[0].threads = kPrintBytes / 4 / 8;
  launch({1, 1, 1});
  EXPECT_THAT(rows(), IsEmpty());
}

TEST_F(ReadByEach, CapturesThatDoNotTellHaveNone) {
  values_.clear();
  launch({1, 1, 1});
  EXPECT_THAT(rows(), IsEmpty());
}

TEST_F(ReadByEach, ProductsOfOneMatrixCouldBeOneWhereOnlyReductionsRunBetween) {
  for (int vector = 0; vector < 4; ++vector) {
    launch({3, 4});
    copy(model::Direction::device_to_host);
  }
  const auto found = rows();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].in_a_row, 4);
  EXPECT_TRUE(found[0].product);
  launches_ = {};
  launch({3, 5, 3, 5, 3, 5});
  EXPECT_EQ(in_a_row(), 1) << "each vector may come from the one before";
  launches_ = {};
  launch({3, 3, 3});
  EXPECT_EQ(in_a_row(), 3);
  values_.back().different = 2;
  EXPECT_THAT(rows(), IsEmpty()) << "two vectors that change places";
}

}  // namespace
}  // namespace coalescope::analysis
