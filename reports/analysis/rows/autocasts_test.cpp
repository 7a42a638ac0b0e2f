// Which conversions are autocast's own.
#include "reports/analysis/rows/autocasts.h"

#include <gtest/gtest.h>

#include "reports/analysis/figures/owners.h"
#include "reports/analysis/rows/python_frame_test.h"

namespace coalescope::analysis {
namespace {

using test::python_frame;

constexpr const char* kLinear = "/site-packages/torch/nn/modules/linear.py";
constexpr const char* kHalves =
    "void at::native::vectorized_elementwise_kernel<8, at::native::float16_copy_kernel_cuda(at::X&)>(int)";

// A model of the author's calls PyTorch's module, which converts.
class Autocasts : public testing::Test {
 protected:
  Autocasts() {
    sites_.push_back(python_frame(1, std::nullopt, "model.py", "forward", true));
    sites_.push_back(python_frame(2, 1, kLinear, "Linear.forward", false));
    KernelRow& row = kernels_.emplace_back();
    row.id = 7;
    row.process_id = row.device_id = 1;
    row.owner = kTorch;
    row.full_name = kHalves;
    row.load.data_bytes = 4'000;
    row.store.data_bytes = 2'000;
    row.call_sites = {{.call_site_id = 2, .calls = 300, .estimated_ns = 9'000}};
  }
  [[nodiscard]] std::vector<AutocastRow> rows() const { return autocasts(kernels_, sites_); }

  std::vector<KernelRow> kernels_;
  std::vector<CallSiteRow> sites_;
};

TEST_F(Autocasts, AreWhatPyTorchsModulesConvert) {
  const auto found = rows();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kernel_ids, std::vector<std::int64_t>{7});
  EXPECT_EQ(found[0].conversions, 300);
  EXPECT_EQ(found[0].bytes, 300 * 6'000.0);
  EXPECT_EQ(found[0].gpu_ns, 9'000);
  EXPECT_EQ(found[0].call_site_id, 2);
}

// Not where one of its layers is called, which others convert for, too.
TEST_F(Autocasts, AreOfTheLineThatCallsTheModel) {
  constexpr const char* kModule = "/site-packages/torch/nn/modules/module.py";
  sites_[0].caller_id = 5;
  sites_.push_back(python_frame(4, std::nullopt, "judge.py", "judge", true));
  sites_.push_back(python_frame(5, 4, kModule, "Module._call_impl", false));
  EXPECT_EQ(rows().at(0).call_site_id, 4);
}

TEST_F(Autocasts, AreNotWhatTheAuthorConverts) {
  kernels_[0].call_sites[0].call_site_id = 1;
  EXPECT_TRUE(rows().empty());
}

TEST_F(Autocasts, AreNotCopiesOfOneType) {
  kernels_[0].full_name = "void at::native::elementwise_kernel<128, 2, direct_copy_kernel_cuda(float)>(int)";
  EXPECT_TRUE(rows().empty());
}

TEST_F(Autocasts, OfAModelThatIsTrainedAreNeeded) {
  sites_.push_back(python_frame(3, 1, "/site-packages/torch/autograd/__init__.py", "backward", false));
  EXPECT_TRUE(rows().empty()) << "its weights change in each step";
}

TEST_F(Autocasts, HaveNoBytesWhereAKernelWasNotMeasured) {
  kernels_.push_back(kernels_[0]);
  kernels_[1].id = 8;
  kernels_[1].load.data_bytes.reset();
  EXPECT_EQ(rows()[0].bytes, std::nullopt);
  EXPECT_EQ(rows()[0].gpu_ns, 18'000);
}

}  // namespace
}  // namespace coalescope::analysis
