// Which fills are of gradients, and what adds to them.
#include "reports/analysis/rows/zeroed_gradients.h"

#include <gtest/gtest.h>

#include "reports/analysis/rows/python_frame_test.h"

namespace coalescope::analysis {
namespace {

using test::python_frame;

constexpr std::int64_t kStep = 1, kZeroGrad = 2, kBackward = 3;

KernelRow kernel_at(std::int64_t id, const char* name, std::int64_t site, std::int64_t calls,
                    std::int64_t ns) {
  KernelRow row;
  row.id = id;
  row.process_id = row.device_id = 1;
  row.full_name = name;
  row.store.data_bytes = 1'000;
  row.call_sites = {{.call_site_id = site, .calls = calls, .estimated_ns = ns}};
  return row;
}

// Ten steps fill 1,000 bytes of gradients each, and add to them.
class ZeroedGradients : public testing::Test {
 protected:
  [[nodiscard]] std::vector<ZeroedGradientsRow> rows() const {
    return zeroed_gradients(kernels_, transfers_, sites_);
  }

  std::vector<CallSiteRow> sites_{
      python_frame(kStep, std::nullopt, "train.py", "step", true),
      python_frame(kZeroGrad, kStep, "/site-packages/torch/optim/optimizer.py", "Optimizer.zero_grad", false),
      python_frame(kBackward, kStep, "/site-packages/torch/autograd/__init__.py", "backward", false)};
  std::vector<KernelRow> kernels_{
      kernel_at(7, "void multi_tensor_apply_kernel<ZeroFunctor>()", kZeroGrad, 10, 500),
      kernel_at(8, "void vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float> >()", kBackward,
                10, 1'500)};
  std::vector<TransferRow> transfers_;
};

TEST_F(ZeroedGradients, AreFilledAndAddedTo) {
  const auto found = rows();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kernel_ids, (std::vector<std::int64_t>{7, 8}));
  EXPECT_EQ(found[0].fills, 10);
  EXPECT_EQ(found[0].bytes, 10'000);
  EXPECT_EQ(found[0].fill_ns, 500);
  EXPECT_EQ(found[0].add_ns, 1'500);
  EXPECT_EQ(found[0].call_site_id, kZeroGrad);
}

TEST_F(ZeroedGradients, OfSeveralPassesSaveTheFirstAddition) {
  kernels_[1].call_sites[0].calls = 40;
  EXPECT_EQ(rows()[0].add_ns, 1'500 / 4);
}

TEST_F(ZeroedGradients, MayBeFilledByMemorySets) {
  kernels_[0].call_sites[0].call_site_id = kStep;
  TransferRow& sets = transfers_.emplace_back();
  sets.device_id = 1;
  sets.direction = model::Direction::set;
  sets.call_sites = {{.call_site_id = kZeroGrad, .calls = 20, .bytes = 10'000, .estimated_ns = 600}};
  const auto found = rows();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].fills, 20);
  EXPECT_EQ(found[0].fill_ns, 600);
  EXPECT_EQ(found[0].add_ns, 1'500);
}

TEST_F(ZeroedGradients, WithoutCountsAreTheFillsAlone) {
  kernels_[1].store.data_bytes.reset();
  EXPECT_EQ(rows()[0].add_ns, 0) << "how many additions are too many is not known";
}

TEST_F(ZeroedGradients, AreNotThereByDefault) {
  kernels_.erase(kernels_.begin());
  EXPECT_TRUE(rows().empty()) << "additions alone are sums of gradients";
}

}  // namespace
}  // namespace coalescope::analysis
