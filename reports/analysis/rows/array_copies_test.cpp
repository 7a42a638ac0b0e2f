#include "reports/analysis/rows/array_copies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "reports/analysis/figures/owners.h"
#include "reports/analysis/rows/python_frame_test.h"

namespace coalescope::analysis {
namespace {

using test::python_frame;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kTorchCopies =
    "void at::native::elementwise_kernel<128, 2, at::native::direct_copy_kernel_cuda(at::X&)>(int)";
constexpr const char* kTorchToFloats =
    "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(at::X&), "
    "at::native::memory::LoadWithCast<1> >(int)";
constexpr const char* kTorchJoins =
    "void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, unsigned int, 2>(float*)";
constexpr std::int64_t kL2Bytes = 60 << 20;
constexpr std::int64_t kOneArrayBytes = 512 << 20;

// Site 1 is a function of the author's, `step`; kernel 1 computes for 600 ns, kernel 2 copies for 400.
class ArrayCopiesTest : public testing::Test {
 protected:
  ArrayCopiesTest() {
    sites_.push_back(python_frame(1, std::nullopt, "model.py", "step", true));
    devices_.resize(1);
    devices_[0].properties.id = model::DeviceId{1};
    devices_[0].properties.l2_bytes = kL2Bytes;
    add("void at::native::reduce_kernel<512, 1, at::native::Sum>(int)", 600);
    add(kTorchCopies, 400);
  }
  KernelRow& add(const std::string& name, std::int64_t ns, std::int64_t site = 1) {
    KernelRow& row = kernels_.emplace_back();
    row.id = std::ssize(kernels_);
    row.process_id = row.device_id = 1;
    row.owner = kTorch;
    row.full_name = name;
    row.gpu_ns = ns;
    row.load.data_bytes = row.store.data_bytes = row.dram_read_bytes = kOneArrayBytes;
    row.call_sites = {{.call_site_id = site, .calls = 10, .estimated_ns = ns}};
    return row;
  }
  TransferRow& add_transfers(std::int64_t bytes_each, std::int64_t ns) {
    TransferRow& row = transfers_.emplace_back();
    row.id = std::ssize(transfers_);
    row.device_id = 1;
    row.direction = model::Direction::device_to_device;
    row.transfers = 10;
    row.bytes = 10 * bytes_each;
    row.call_sites = {{.call_site_id = 1, .calls = 10, .estimated_ns = ns}};
    return row;
  }
  [[nodiscard]] std::vector<ArrayCopiesRow> rows() const {
    return array_copies({kernels_, transfers_, sites_, devices_, copies_, pointers_, instructions_});
  }

  std::vector<KernelRow> kernels_;
  std::vector<TransferRow> transfers_;
  std::vector<CallSiteRow> sites_;
  std::vector<DeviceRow> devices_;
  std::vector<capture::TransferPlace> copies_;
  std::vector<model::GroupPointer> pointers_;
  std::vector<capture::InstructionView> instructions_;
};

TEST_F(ArrayCopiesTest, AreWhatAFunctionOfTheAuthorsAsksFor) {
  const auto found = rows();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].kernel_ids, ElementsAre(2));
  EXPECT_EQ(found[0].call_site_id, 1);
  EXPECT_EQ(found[0].what, ArrayCopy::rearranged);
  EXPECT_EQ(found[0].copies, 10);
  EXPECT_EQ(found[0].gpu_ns, 400);
  EXPECT_DOUBLE_EQ(found[0].share, 0.4);
  EXPECT_TRUE(found[0].by_torch);
}

TEST_F(ArrayCopiesTest, OfOneFunctionAreOneAndTheLongestNameTheLineAndTheKind) {
  sites_.push_back(python_frame(2, std::nullopt, "model.py", "step", true));
  sites_.back().line = 2;
  sites_.push_back(python_frame(3, std::nullopt, "model.py", "other", true));
  add(kTorchJoins, 1'000, 2);
  add(kTorchCopies, 100, 3);
  const auto found = rows();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_THAT(found[0].kernel_ids, ElementsAre(2, 3));
  EXPECT_EQ(found[0].call_site_id, 2);
  EXPECT_EQ(found[0].what, ArrayCopy::joined);
  EXPECT_EQ(found[1].gpu_ns, 100);
}

TEST_F(ArrayCopiesTest, DiffersByWhatTheyDo) {
  kernels_[1].full_name = kTorchToFloats;
  EXPECT_EQ(rows()[0].what, ArrayCopy::converted);
  kernels_[1].dram_read_bytes = kOneArrayBytes / 4;
  EXPECT_EQ(rows()[0].what, ArrayCopy::repeated);
  kernels_[1].store.data_bytes = kL2Bytes;
  kernels_[1].dram_read_bytes = 0;
  EXPECT_EQ(rows()[0].what, ArrayCopy::converted) << "L2 may still hold operands as small as these";
  kernels_[1].dram_read_bytes.reset();
  EXPECT_EQ(rows()[0].what, ArrayCopy::converted) << "not measured";
}

TEST_F(ArrayCopiesTest, ThatALayerOrABackwardPassMakesAreNotTheAuthors) {
  sites_.push_back(python_frame(2, 1, "/site-packages/torch/nn/modules/linear.py", "forward", false));
  kernels_[1].call_sites[0].call_site_id = 2;
  EXPECT_THAT(rows(), IsEmpty());
  sites_[1].file = "/site-packages/cupy/_manipulation/rearrange.py";
  EXPECT_EQ(rows().size(), 1U) << "roll() copies because it is called";
}

TEST_F(ArrayCopiesTest, CopiesOfTheDriversAreSome) {
  kernels_.pop_back();
  add_transfers(kOneArrayBytes, 200);
  const auto found = rows();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].transfer_ids, ElementsAre(1));
  EXPECT_EQ(found[0].what, ArrayCopy::plain);
  EXPECT_DOUBLE_EQ(found[0].share, 0.25);
  transfers_[0].changed_by = 1;
  EXPECT_THAT(rows(), IsEmpty()) << "they are said to be copies of which a part is changed";
  transfers_[0].changed_by.reset();
  transfers_[0].bytes = 10 * 65'536;
  EXPECT_THAT(rows(), IsEmpty()) << "small copies are T02's";
  transfers_[0].bytes = 10 * kOneArrayBytes;
  kernels_[0].owner = kXla;
  EXPECT_THAT(rows(), IsEmpty()) << "XLA decides what it copies";
}

TEST_F(ArrayCopiesTest, ThatRestoreWhatNobodyChangesAreNeeded) {
  constexpr std::int64_t kOriginal = 0x7f00'0000'0000;
  kernels_.pop_back();
  kernels_[0].owner = "";
  kernels_[0].launches = 10;
  add_transfers(kOneArrayBytes, 400);
  capture::TransferPlace& copy = copies_.emplace_back();
  copy.direction = model::Direction::device_to_device;
  copy.call_site = 1;
  EXPECT_EQ(rows().size(), 1U) << "what it reads is not known";
  copy.address = kOriginal;
  EXPECT_THAT(rows(), IsEmpty());
  model::GroupPointer& pointer = pointers_.emplace_back();
  pointer.group_id = {1};
  pointer.address = kOriginal;
  EXPECT_EQ(rows().size(), 1U) << "a kernel makes it anew";
  kernels_[0].launches = 1;
  EXPECT_THAT(rows(), IsEmpty()) << "it was made once";
}

TEST_F(ArrayCopiesTest, OfWhatKernelsOnlyStoreToAreReadByNobodyElse) {
  constexpr std::int64_t kOriginal = 0x7f00'0000'0000;
  kernels_.pop_back();
  kernels_[0].owner = "";
  kernels_[0].launches = 10;
  add_transfers(kOneArrayBytes, 400);
  capture::TransferPlace& copy = copies_.emplace_back();
  copy.direction = model::Direction::device_to_device;
  copy.call_site = 1;
  copy.address = kOriginal;
  model::GroupPointer& pointer = pointers_.emplace_back();
  pointer.group_id = {1};
  pointer.address = kOriginal;
  EXPECT_FALSE(rows()[0].only_stored) << "the kernel's instructions were not counted";
  capture::InstructionView& access = instructions_.emplace_back();
  access.group_id = {1};
  access.launches = 1;
  access.threads = 1'024;
  access.stores = 32;
  access.code.emplace();
  access.code->operation = model::MemoryOperation::global_store;
  access.code->access_bytes = 4;
  access.code->parameter = 0;
  EXPECT_TRUE(rows()[0].only_stored);
  KernelRow& other = add("seldom", 10);
  other.owner = "";
  other.launches = 1;
  pointers_.push_back(pointer);
  pointers_[1].group_id = {2};
  EXPECT_TRUE(rows()[0].only_stored) << "a kernel of the program's beginning";
  other.launches = 10;
  EXPECT_FALSE(rows()[0].only_stored);
  other.launches = 1;
  kernels_[0].launches = 20;
  EXPECT_FALSE(rows()[0].only_stored) << "every other launch may load it";
  kernels_[0].launches = 10;
  pointers_.push_back(model::GroupPointer(pointers_.front()));
  pointers_.back().parameter = 1;
  instructions_.push_back(capture::InstructionView(access));
  instructions_.back().code->parameter = 1;
  EXPECT_TRUE(rows()[0].only_stored);
  instructions_.back().stores = 0;
  instructions_.back().loads = 32;
  EXPECT_FALSE(rows()[0].only_stored) << "the same array as another parameter";
}

}  // namespace
}  // namespace coalescope::analysis
