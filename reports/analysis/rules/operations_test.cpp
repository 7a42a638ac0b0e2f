// F01 on operations as an H100 would run them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/analysis/figures/owners.h"
#include "reports/analysis/rules/rule_cases_test.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

using test::access;
using test::kRequests;
using testing::HasSubstr;

constexpr std::int64_t kOperationNs = 60'000;

KernelRow one_operation(std::int64_t id, std::int64_t operands, std::int64_t ns) {
  KernelRow row = test::kernel(access(operands * kRequests, 128, 4), access(kRequests, 128, 4), 0, ns);
  row.id = id;
  row.owner = kTorch;
  row.origin = Origin::library;
  return row;
}

Assessment assess_operations(const std::vector<KernelRow>& rows) {
  OperationChainRow chain{1, 1, {}, 10};
  std::vector<const KernelRow*> operations;
  for (const KernelRow& row : rows) {
    chain.kernel_ids.push_back(row.id);
    operations.push_back(&row);
  }
  Machine machine = test::h100();
  machine.instructions_per_ns = 900;
  return kOperationsInARow.assess({chain, machine, operations});
}

TEST(OperationsInARow, WhatStaysInRegistersCostsNothingAnyMore) {
  const auto found = assess_operations({one_operation(1, 1, kOperationNs), one_operation(2, 1, kOperationNs),
                                        one_operation(3, 1, kOperationNs)});
  EXPECT_EQ(found.measure.value, 3) << "six passes, of which two remain";
  EXPECT_EQ(found.cost.lost_ns, 20 * kOperationNs);
  EXPECT_EQ(found.cost.of_ns, 30 * kOperationNs);
  EXPECT_THAT(found.evidence.text, HasSubstr("3 element-wise operations"));
  EXPECT_EQ(found.advice.id, "F01.compile");
}

TEST(OperationsInARow, OtherOperandsAreStillLoaded) {
  const auto found = assess_operations({one_operation(1, 1, kOperationNs), one_operation(2, 2, kOperationNs),
                                        one_operation(3, 1, kOperationNs)});
  EXPECT_DOUBLE_EQ(found.measure.value.value(), 7.0 / 3);
  EXPECT_EQ(found.cost.lost_ns, 10 * kOperationNs + 20 * kOperationNs / 3)
      << "of the second, one of two operands and the result";
}

TEST(OperationsInARow, TheInstructionsOfAllRemainButForWhatOneKernelDoesOnce) {
  std::vector<KernelRow> rows{one_operation(1, 1, kOperationNs), one_operation(2, 1, kOperationNs),
                              one_operation(3, 1, kOperationNs)};
  rows[0].instructions = rows[1].instructions = 900 * kOperationNs;
  rows[2].instructions = 900 * kOperationNs / 4;
  const auto found = assess_operations(rows);
  EXPECT_EQ(found.cost.lost_ns, kOperationNs * 25 / 2)
      << "three times, of which one and three quarters remain";
  EXPECT_THAT(found.cost.basis, HasSubstr("the instructions that remain"));
}

TEST(OperationsInARow, SmallResultsBetweenAreNotWorthAFinding) {
  KernelRow mask = one_operation(1, 8, kOperationNs);
  mask.store = access(kRequests, 32, 1);  // a byte for each four of its operands
  EXPECT_FALSE(assess_operations({mask, one_operation(2, 8, kOperationNs), one_operation(3, 8, kOperationNs)})
                   .measure.reaches(kOperationsInARow.about.limit));
}

TEST(OperationsInARow, WithoutATimeTheCostIsUnknown) {
  std::vector<KernelRow> rows{one_operation(1, 1, kOperationNs), one_operation(2, 1, kOperationNs),
                              one_operation(3, 1, kOperationNs)};
  rows[1].median_gpu_ns = std::nullopt;
  EXPECT_EQ(assess_operations(rows).cost.lost_ns, std::nullopt);
}

TEST(OperationsInARow, WhatARowIsNormalisedByIsLoadedOnce) {
  KernelRow sums = one_operation(2, 1, kOperationNs);
  sums.store = access(kRequests / 64, 128, 4);
  const auto found =
      assess_operations({one_operation(1, 1, kOperationNs), sums, one_operation(3, 1, kOperationNs)});
  EXPECT_EQ(found.cost.lost_ns, 20 * kOperationNs) << "half of the first and the last, all of the sums";
}

TEST(OperationsInARow, FusedAttentionRunsNoneOfThem) {
  const std::vector<KernelRow> rows{one_operation(1, 2, kOperationNs), one_operation(2, 1, kOperationNs)};
  const OperationChainRow chain{.kernel_ids = {1, 2}, .times = 10, .attention = true};
  const std::vector<const KernelRow*> operations{&rows[0], &rows[1]};
  const Machine machine = test::h100();
  const Assessment found = kOperationsInARow.assess({chain, machine, operations});
  EXPECT_EQ(found.measure.value, 5) << "two loads and a store, a load and a store of the scores";
  EXPECT_EQ(found.cost.lost_ns, 20 * kOperationNs);
  EXPECT_EQ(found.advice.id, "F01.attention");
  EXPECT_THAT(found.evidence.text, HasSubstr("2 kernels between two matrix products"));
}

// Attention in one kernel would have a block for each query, too.
TEST(OperationsInARow, AttentionOfFewQueriesIsAMatterOfBlocks) {
  KernelRow softmax = one_operation(1, 1, kOperationNs);
  softmax.owner = kTorch;
  softmax.full_name =
      "void at::native::cunn_SoftMaxForward<8, float, float, float, at::native::SoftMaxForwardEpilogue>(int)";
  const OperationChainRow chain{.kernel_ids = {1}, .times = 10, .attention = true};
  Machine machine = test::h100();
  machine.multiprocessors = 132;
  for (const std::int64_t blocks : {4, 66}) {
    softmax.grid = {blocks, 1, 1};
    const std::vector<const KernelRow*> operations{&softmax};
    EXPECT_EQ(kOperationsInARow.assess({chain, machine, operations}).measure.value > 0, blocks == 66);
  }
}

TEST(OperationsInARow, AdviceIsInTheWordsOfTheLibrary) {
  std::vector<KernelRow> rows{one_operation(1, 1, kOperationNs), one_operation(2, 1, kOperationNs),
                              one_operation(3, 1, kOperationNs)};
  for (KernelRow& row : rows) row.owner = kCupy;
  EXPECT_EQ(assess_operations(rows).advice.id, "F01.fuse");
}

}  // namespace
}  // namespace coalescope::analysis
