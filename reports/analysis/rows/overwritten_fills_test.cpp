// Sets and filling kernels, and what the next launches do to the memory.
#include "reports/analysis/rows/overwritten_fills.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "reports/analysis/figures/owners.h"

namespace coalescope::analysis {
namespace {

using model::MemoryOperation;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::int64_t kFilled = 1'048'576;
constexpr std::int64_t kA = 0x7f00'0000'0000, kB = kA + 0x1000'0000, kElsewhere = kA + 0x2000'0000;
// The kernels: one that only stores to A; one that loads B and stores to A; one that loads A.
constexpr std::int32_t kFiller = 0, kMaker = 1, kReader = 2;

class OverwrittenFills : public testing::Test {
 protected:
  OverwrittenFills() {
    for (std::int64_t id = 1; id <= 3; ++id) {
      kernels_.emplace_back().id = id;
      auto& group = groups_.emplace_back();
      group.group_id = {id};
      group.process_id = {1};
      group.device_id = {1};
    }
    access(kFiller, MemoryOperation::global_store, kA, kFilled);
    access(kMaker, MemoryOperation::global_load, kB, kFilled);
    access(kMaker, MemoryOperation::global_store, kA, kFilled);
    access(kReader, MemoryOperation::global_load, kA, kFilled);
    TransferRow& sets = transfers_.emplace_back();
    sets.id = 9;
    sets.device_id = 1;
    sets.direction = model::Direction::set;
    sets.smallest_bytes = 1;
    sets.largest_bytes = 16 * kFilled;
  }

  // A pointer of a pool: the allocation is larger.
  model::GroupPointer& access(std::int32_t kernel, MemoryOperation operation, std::int64_t address,
                              std::int64_t bytes) {
    const model::GroupId group{kernel + 1};
    model::GroupPointer& pointer = pointers_.emplace_back();
    pointer.group_id = group;
    pointer.parameter = std::ssize(pointers_);
    pointer.address = address;
    pointer.range_address = address - 0x1000;
    pointer.range_bytes = 64 * kFilled;
    auto& instruction = instructions_.emplace_back();
    instruction.group_id = group;
    instruction.launches = 2;
    instruction.threads = 2 * bytes / 4;
    (operation == MemoryOperation::global_load ? instruction.loads : instruction.stores) = 1;
    instruction.code.emplace();
    instruction.code->operation = operation;
    instruction.code->access_bytes = 4;
    instruction.code->parameter = pointer.parameter;
    return pointer;
  }

  void launch(std::initializer_list<std::int32_t> kernels) {
    for (const std::int32_t kernel : kernels) {
      launches_.launches.push_back({now_ += 1000, 100, kernel});
      launches_.streams.push_back(7);
      ++groups_[static_cast<std::size_t>(kernel)].launches;
    }
  }
  capture::TransferPlace& set(std::int64_t address, std::int64_t bytes = kFilled) {
    capture::TransferPlace& place = copies_.emplace_back();
    place.start_ns = now_ += 1000;
    place.process = place.device = 1;
    place.stream = 7;
    place.direction = model::Direction::set;
    place.bytes = bytes;
    place.gpu_ns = 50;
    place.address = address;
    place.call_site = 33;
    ++transfers_[0].transfers;
    return place;
  }
  std::vector<OverwrittenFillRow> rows() const {
    return overwritten_fills({kernels_, transfers_, groups_, launches_, copies_, pointers_, instructions_});
  }

  std::vector<KernelRow> kernels_;
  std::vector<TransferRow> transfers_;
  std::vector<capture::GroupView> groups_;
  capture::LaunchPlaces launches_;
  std::vector<capture::TransferPlace> copies_;
  std::vector<model::GroupPointer> pointers_;
  std::vector<capture::InstructionView> instructions_;
  std::int64_t now_ = 0;
};

TEST_F(OverwrittenFills, SetsBeforeAKernelThatStoresToAll) {
  for (int round = 0; round < 3; ++round) {
    set(kA);
    launch({kMaker, kReader});
  }
  const auto found = rows();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].transfer_id, 9);
  EXPECT_EQ(found[0].kernel_id, std::nullopt);
  EXPECT_EQ(found[0].call_site_id, 33);
  EXPECT_EQ(found[0].overwritten_by, kMaker + 1);
  EXPECT_EQ(found[0].times, 3);
  EXPECT_EQ(found[0].bytes, kFilled);
  EXPECT_EQ(found[0].gpu_ns, 150);
}

// An upload and a download of other memory come between.
TEST_F(OverwrittenFills, UploadsAreTheirCalls) {
  TransferRow& uploads = transfers_.emplace_back(transfers_[0]);
  uploads.id = 10;
  uploads.direction = model::Direction::host_to_device;
  uploads.call_sites.push_back({.call_site_id = 33, .calls = 50});
  for (int round = 0; round < 4; ++round) {
    set(kA).direction = model::Direction::host_to_device;
    set(kB).direction = model::Direction::host_to_device;
    launch({kMaker, kReader});
    set(0).direction = model::Direction::device_to_host;
  }
  for (capture::TransferPlace& copy : copies_)
    if (copy.address == kB) copy.call_site = 34;
  auto found = rows();
  ASSERT_THAT(found, SizeIs(1));
  take_overwritten_uploads(found, transfers_);
  EXPECT_THAT(found, IsEmpty());
  EXPECT_EQ(transfers_[1].call_sites[0].overwritten, 50);
  EXPECT_EQ(transfers_[1].call_sites[0].overwritten_by, kMaker + 1);
}

// Such as those before a launch in another stream.
TEST_F(OverwrittenFills, UploadsOfUnknownFateDoNotCountAsOverwritten) {
  transfers_[0].direction = model::Direction::host_to_device;
  transfers_[0].call_sites.push_back({.call_site_id = 33, .calls = 50});
  for (int round = 0; round < 2; ++round) {
    set(kA).direction = model::Direction::host_to_device;
    launch({kMaker, kReader});
  }
  set(kA).direction = model::Direction::host_to_device;
  set(kElsewhere).direction = model::Direction::host_to_device;
  auto found = rows();
  take_overwritten_uploads(found, transfers_);
  EXPECT_EQ(transfers_[0].call_sites[0].overwritten, 25);
}

TEST_F(OverwrittenFills, APartOfAnUploadIsNeeded) {
  transfers_[0].direction = model::Direction::host_to_device;
  for (int round = 0; round < 4; ++round) {
    set(kA, kFilled + 4).direction = model::Direction::host_to_device;
    launch({kMaker, kReader});
  }
  EXPECT_THAT(rows(), IsEmpty());
}

// In a long run most sets have no record.
TEST_F(OverwrittenFills, SetsWithoutARecordWentTheSameWay) {
  for (int round = 0; round < 3; ++round) {
    set(kA);
    launch({kMaker, kReader});
  }
  TransferRow untimed = transfers_[0];
  untimed.id = 10;
  untimed.transfers = 27;
  transfers_.push_back(untimed);
  untimed.direction = model::Direction::host_to_device;
  transfers_.push_back(untimed);
  const auto found = rows();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].times, 30);
  EXPECT_EQ(found[0].gpu_ns, 1500);
}

// bench/jury/tenth/similar_pictures.cu: the operands come to shared memory by asynchronous copies.
TEST_F(OverwrittenFills, AsynchronousCopiesAreLoadsOfAKnownArray) {
  access(kMaker, MemoryOperation::async_copy, kElsewhere, kFilled);
  instructions_.back().stores.reset();
  instructions_.back().async_copies = 1;
  for (int round = 0; round < 3; ++round) {
    set(kA);
    launch({kMaker, kReader});
  }
  ASSERT_THAT(rows(), SizeIs(1));
  pointers_.back().address = kA;
  EXPECT_THAT(rows(), IsEmpty()) << "of what was filled";
}

TEST_F(OverwrittenFills, KernelsThatOnlyStore) {
  kernels_[kFiller].call_sites.push_back({.call_site_id = 5, .calls = 2});
  kernels_[kFiller].call_sites.push_back({.call_site_id = 6, .calls = 40});
  launch({kFiller, kMaker, kReader, kFiller, kMaker, kReader});
  groups_[kFiller].launches = 4;  // two are not listed
  const auto found = rows();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].kernel_id, kFiller + 1);
  EXPECT_EQ(found[0].times, 4);
  EXPECT_EQ(found[0].gpu_ns, 400);
  EXPECT_EQ(found[0].call_site_id, std::nullopt) << "no call launches it four times";
  kernels_[kFiller].call_sites[0].calls = 4;
  EXPECT_EQ(rows()[0].call_site_id, 5);
}

TEST_F(OverwrittenFills, NotOfAKernelThatIsRunAgainAndAgain) {
  launch({kFiller, kFiller, kFiller});
  EXPECT_TRUE(rows().empty());
}

TEST_F(OverwrittenFills, FillsBeforeMeasuredLaunchesCountAsTheOthers) {
  for (int round = 0; round < 3; ++round) {
    set(kA);
    launch({kMaker});
  }
  set(kA);
  launches_.measured.push_back({now_ += 1000, 0, kMaker});
  const auto found = rows();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].times, 4);
  EXPECT_EQ(found[0].gpu_ns, 200);
}

TEST_F(OverwrittenFills, NotWhereTheMemoryIsLoadedFirst) {
  set(kA);
  launch({kReader, kMaker});
  EXPECT_THAT(rows(), IsEmpty());
}

TEST_F(OverwrittenFills, NotWhereAPartIsLeft) {
  set(kA, kFilled + 4);
  launch({kMaker});
  EXPECT_THAT(rows(), IsEmpty());
}

// A kernel stores to it where it finds something.
TEST_F(OverwrittenFills, NotOfAFlag) {
  set(kA, 4);
  set(kA, 32);
  launch({kMaker});
  const auto found = rows();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].times, 1);
  EXPECT_EQ(found[0].bytes, 32);
}

TEST_F(OverwrittenFills, NotWhereTheKernelLoadsWhatItStoresTo) {
  access(kMaker, MemoryOperation::global_load, kA, kFilled);
  set(kA);
  launch({kMaker});
  EXPECT_THAT(rows(), IsEmpty());
}

TEST_F(OverwrittenFills, NotWhereACodeDoesNotTellWhatIsLoaded) {
  instructions_[1].code->parameter.reset();
  set(kA);
  launch({kMaker});
  EXPECT_THAT(rows(), IsEmpty());
  instructions_[1].code->parameter = 2;
  EXPECT_THAT(rows(), SizeIs(1));
  kernels_[kMaker].tma_instructions = 1;
  EXPECT_THAT(rows(), IsEmpty());
}

TEST_F(OverwrittenFills, PyTorchsKernelsLoadNothingButTheirParameters) {
  pointers_[3].address = kElsewhere;         // of the reader
  instructions_[3].code->parameter.reset();  // by what it loads from there
  set(kA);
  launch({kReader, kMaker});
  EXPECT_THAT(rows(), IsEmpty());
  kernels_[kReader].owner = kTorch;
  EXPECT_THAT(rows(), SizeIs(1));
  pointers_[3].address = kA;
  EXPECT_THAT(rows(), IsEmpty()) << "it may load the fill";
}

TEST_F(OverwrittenFills, NotWhereACopyOrAnUnknownStreamComesBetween) {
  set(kA);
  set(kB).direction = model::Direction::device_to_host;
  launch({kMaker});
  EXPECT_THAT(rows(), IsEmpty());
  copies_.clear();
  set(kA);
  launches_.measured.push_back({now_ += 1000, 0, kReader});
  launch({kMaker});
  EXPECT_THAT(rows(), IsEmpty());
}

// A pool may have given the memory to another array since the kernel's first launch.
TEST_F(OverwrittenFills, InAPoolOnlyWhereFirstLaunchesSayIt) {
  launch({kMaker});
  set(kA);
  launch({kMaker});
  EXPECT_THAT(rows(), IsEmpty());
  // The allocation is this array.
  pointers_[2].range_address = kA;
  pointers_[2].range_bytes = kFilled;
  EXPECT_THAT(rows(), SizeIs(1));
}

TEST_F(OverwrittenFills, OtherArraysMayComeBetween) {
  pointers_[3].address = kElsewhere;  // of the reader
  set(kElsewhere + 0x100'0000);
  set(kA);
  launch({kReader, kMaker});
  EXPECT_THAT(rows(), SizeIs(1));
}

}  // namespace
}  // namespace coalescope::analysis
