// Which gradients are of whole tables, and what the optimiser takes for them.
#include "reports/analysis/rows/table_gradients.h"

#include <gtest/gtest.h>
#include <string>

#include "reports/analysis/figures/owners.h"
#include "reports/analysis/rows/python_frame_test.h"

namespace coalescope::analysis {
namespace {

using test::python_frame;

constexpr std::int64_t kForward = 1, kGradients = 2, kOptimiser = 3;
constexpr std::int64_t kWeights = 0x1000'0000, kGradient = 0x2000'0000, kRows = 0x3000'0000;
constexpr std::int64_t kWholeTableBytes = 1 << 26, kLookedUpBytes = 1 << 20, kSteps = 10;

// Each step looks up rows, fills the table's gradient in two launches, stores the rows' gradients, and
// changes the weights in four launches.
class TableGradients : public testing::Test {
 protected:
  TableGradients() {
    add("void at::native::vectorized_gather_kernel<16, long>()", kForward, kSteps, kLookedUpBytes,
        kLookedUpBytes);
    point(kWeights);
    add("void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float> >()", kGradients,
        2 * kSteps, 0, kWholeTableBytes / 2);
    point(kGradient);
    add("void at::native::(anonymous namespace)::sum_and_scatter<float, long>()", kGradients, kSteps,
        kLookedUpBytes, kLookedUpBytes);
    point(kGradient);
    point(kRows, kLookedUpBytes);
    add("void at::native::multi_tensor_apply_kernel<BinaryOpListAlphaFunctor>()", kOptimiser, 4 * kSteps,
        kWholeTableBytes / 2, kWholeTableBytes / 4);
    point(kWeights);
    point(kGradient);
  }
  void add(const char* name, std::int64_t site, std::int64_t launches, std::int64_t loads,
           std::int64_t stores) {
    KernelRow& row = kernels_.emplace_back();
    row.id = std::ssize(kernels_);
    row.process_id = row.device_id = 1;
    row.owner = kTorch;
    row.full_name = name;
    row.launches = launches;
    row.gpu_ns = 1'000 * row.id;
    row.load.data_bytes = loads;
    row.store.data_bytes = stores;
    row.call_sites = {{.call_site_id = site, .calls = launches}};
  }
  void point(std::int64_t address, std::int64_t bytes = kWholeTableBytes) {
    model::GroupPointer& pointer = pointers_.emplace_back();
    pointer.group_id = {std::ssize(kernels_)};
    pointer.range_address = pointer.address = address;
    pointer.range_bytes = bytes;
  }
  [[nodiscard]] std::vector<TableGradientsRow> rows() const {
    return table_gradients({kernels_, sites_, pointers_});
  }

  std::vector<CallSiteRow> sites_{
      python_frame(kForward, std::nullopt, "model.py", "forward", true),
      python_frame(kGradients, std::nullopt, "/site-packages/torch/autograd/__init__.py", "backward", false),
      python_frame(kOptimiser, std::nullopt, "/site-packages/torch/optim/sgd.py", "SGD.step", false)};
  std::vector<KernelRow> kernels_;
  std::vector<model::GroupPointer> pointers_;
};

TEST_F(TableGradients, AreFilledStoredInPartAndReadWhole) {
  const auto found = rows();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].steps, kSteps);
  EXPECT_EQ(found[0].table_bytes, kWholeTableBytes);
  EXPECT_EQ(found[0].row_bytes, kLookedUpBytes);
  EXPECT_EQ(found[0].fill_ns, 2'000);
  EXPECT_EQ(found[0].optimiser_ns, 4'000);
  EXPECT_EQ(found[0].kernel_ids, (std::vector<std::int64_t>{3, 2, 4}));
  EXPECT_EQ(found[0].call_site_id, kForward) << "the line that looks the rows up";
}

TEST_F(TableGradients, ShareTheOptimiserWithOtherParameters) {
  kernels_[3].launches *= 4;
  EXPECT_EQ(rows()[0].optimiser_ns, 1'000);
}

TEST_F(TableGradients, ThatNothingFillsAreSparse) {
  kernels_[1].call_sites[0].call_site_id = kForward;
  EXPECT_TRUE(rows().empty());
}

}  // namespace
}  // namespace coalescope::analysis
