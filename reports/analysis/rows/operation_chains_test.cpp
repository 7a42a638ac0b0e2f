#include "reports/analysis/rows/operation_chains.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "reports/analysis/figures/owners.h"

namespace coalescope::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t kBytes = 1'000'000;

// The kernels 1 (unary), 2 (binary), 3 (a sum), 4 (the author's own), of arrays of one size.
class Launched {
 public:
  Launched() {
    add("void at::native::vectorized_elementwise_kernel<4, at::native::Exp>(int)", 1, 1);
    add("void at::native::vectorized_elementwise_kernel<4, at::native::Add>(int)", 2, 1);
    add("void at::native::reduce_kernel<512, 1, at::native::Sum>(int)", 1, 0);
    add("mine(float*)", 1, 1);
    rows_[3].owner = "";
    rows_[3].origin = Origin::user;
  }

  void add(std::string name, std::int64_t loads, std::int64_t stores) {
    KernelRow row;
    row.id = std::ssize(rows_) + 1;
    row.full_name = std::move(name);
    row.owner = kTorch;
    row.origin = Origin::library;
    row.load.data_bytes = loads * kBytes;
    row.store.data_bytes = stores * kBytes;
    rows_.push_back(row);
    capture::GroupView group;
    group.group_id = model::GroupId{row.id};
    group.process_id = model::ProcessId{1};
    group.device_id = model::DeviceId{1};
    groups_.push_back(group);
  }

  Launched& launch(std::initializer_list<std::int32_t> kernels, std::int32_t stream = 7) {
    for (const std::int32_t kernel : kernels) {
      places_.launches.push_back({now_ += 10, 5, kernel - 1});
      places_.streams.push_back(stream);
      ++groups_[static_cast<std::size_t>(kernel) - 1].launches;
    }
    return *this;
  }
  Launched& measure(std::int32_t kernel) {
    places_.measured.push_back({now_ += 10, 0, kernel - 1});
    ++groups_[static_cast<std::size_t>(kernel) - 1].launches;
    return *this;
  }
  Launched& copy(std::int32_t stream) {
    capture::TransferPlace place;
    place.start_ns = now_ += 10;
    place.process = place.device = 1;
    place.stream = stream;
    copies_.push_back(place);
    return *this;
  }
  // What the kernel was given at its first launch, in the order of its parameters.
  Launched& given(std::int64_t kernel, std::initializer_list<std::int64_t> addresses) {
    for (const std::int64_t address : addresses) {
      model::GroupPointer pointer;
      pointer.group_id = model::GroupId{kernel};
      pointer.parameter =
          rows_[static_cast<std::size_t>(kernel) - 1].owner == kCupy ? std::ssize(pointers_) : 2;
      pointer.byte =
          rows_[static_cast<std::size_t>(kernel) - 1].owner == kCupy ? 0 : 8 * std::ssize(pointers_);
      pointer.address = address;
      pointers_.push_back(pointer);
    }
    return *this;
  }
  KernelRow& row(std::size_t kernel) { return rows_[kernel - 1]; }
  void unlisted(std::size_t kernel, std::int64_t launches) { groups_[kernel - 1].launches += launches; }

  [[nodiscard]] std::vector<OperationChainRow> chains() const {
    return operation_chains({rows_, groups_, places_, copies_, pointers_});
  }

 private:
  std::vector<KernelRow> rows_;
  std::vector<capture::GroupView> groups_;
  capture::LaunchPlaces places_;
  std::vector<capture::TransferPlace> copies_;
  std::vector<model::GroupPointer> pointers_;
  std::int64_t now_ = 0;
};

std::vector<std::int64_t> only_chain(const Launched& program) {
  const auto chains = program.chains();
  return chains.size() == 1 ? chains.front().kernel_ids : std::vector<std::int64_t>();
}

TEST(OperationChains, OperationsInARowAreOneAndAnythingElseEndsThem) {
  Launched program;
  program.launch({4, 1, 2, 4, 1, 2, 4, 1, 4});
  const auto chains = program.chains();
  ASSERT_EQ(chains.size(), 1U) << "one operation by itself is none";
  EXPECT_THAT(chains[0].kernel_ids, ElementsAre(1, 2));
  EXPECT_EQ(chains[0].times, 2);
  EXPECT_EQ(chains[0].process_id, 1);
}

TEST(OperationChains, AReductionMayComeLastAndNowhereElse) {
  EXPECT_THAT(only_chain(Launched().launch({3, 1, 2, 3, 3})), ElementsAre(1, 2, 3));
}

// Outside of jit, JAX compiles each operation by itself, and a call launches it.
TEST(OperationChains, OfXlaOnlyKernelsOfDifferentCallsBelongTogether) {
  Launched program;
  const auto called_by = [&](std::size_t kernel, std::initializer_list<std::int64_t> sites) {
    KernelRow& row = program.row(kernel);
    row.full_name = kernel == 1 ? "wrapped_add" : "loop_multiply_fusion";
    row.owner = kXla;
    row.origin = Origin::generated;
    row.call_sites.clear();
    for (const std::int64_t site : sites) row.call_sites.push_back({.call_site_id = site});
  };
  program.launch({1, 2, 2, 4});
  called_by(1, {3});
  called_by(2, {4, 5});
  EXPECT_THAT(only_chain(program), ElementsAre(1, 2, 2));
  called_by(2, {4});
  EXPECT_THAT(only_chain(program), ElementsAre(1, 2)) << "a loop of one compiled function";
  called_by(2, {3, 4});
  EXPECT_THAT(only_chain(program), ElementsAre(2, 2)) << "a compiled function of two kernels";
  called_by(2, {});
  EXPECT_THAT(program.chains(), IsEmpty()) << "who called is not known";
}

// Kernels of `Launched` as attention runs them: 4 is a matrix product, 3 a softmax.
class RunsAttention : public Launched {
 public:
  RunsAttention() {
    row(4).owner = kCublas;
    row(3).full_name = "softmax_warp_forward<float, float, float, 9, false, false>(float*)";
    row(3).store.data_bytes = row(3).load.data_bytes = kBytes;
  }
  RunsAttention& run(std::initializer_list<std::int32_t> kernels) {
    launch(kernels);
    return *this;
  }
};

TEST(OperationChains, WhatLiesBetweenTwoMatrixProductsWithASoftmaxIsOfAttention) {
  const auto chains = RunsAttention().run({4, 1, 2, 3, 4, 1, 2, 3, 1, 4}).chains();
  ASSERT_EQ(chains.size(), 2U) << "and 1, 2 are no chain of their own";
  EXPECT_TRUE(chains[0].attention && chains[1].attention);
  EXPECT_THAT(chains[0].kernel_ids, ElementsAre(1, 2, 3));
  EXPECT_THAT(chains[1].kernel_ids, ElementsAre(1, 2, 3, 1)) << "dropout, for example";
}

TEST(OperationChains, CopiesOfOtherOperandsAreNoPartOfAttention) {
  RunsAttention program;
  program.row(2).load.data_bytes = program.row(2).store.data_bytes = kBytes / 16;
  EXPECT_THAT(only_chain(program.run({4, 2, 1, 3, 2, 4})), ElementsAre(1, 3));
}

TEST(OperationChains, ASoftmaxIsAttentionOnlyBetweenMatrixProducts) {
  EXPECT_THAT(RunsAttention().run({4, 3}).chains(), IsEmpty()) << "a classifier";
  EXPECT_THAT(RunsAttention().run({1, 3, 4}).chains(), IsEmpty());
  EXPECT_THAT(RunsAttention().run({4, 3, 3, 4}).chains(), IsEmpty());
  RunsAttention selects;
  selects.row(2).full_name = "indexSelect";
  EXPECT_THAT(selects.run({4, 3, 2, 4}).chains(), IsEmpty()) << "experts that are chosen";
  RunsAttention logarithms;
  logarithms.row(3).full_name = "softmax_warp_forward<float, float, float, 9, true, false>(float*)";
  EXPECT_THAT(logarithms.run({4, 3, 4}).chains(), IsEmpty());
}

// Kernel 3 sums rows of 64 elements; kernels 5 and 6 work on the sums.
class Normalises : public RunsAttention {
 public:
  Normalises() {
    row(3).full_name = "void at::native::reduce_kernel<512, 1, at::native::Sum>(int)";
    row(3).store.data_bytes = kBytes / 64;
    for (const std::size_t kernel : {5U, 6U}) {
      add("void at::native::vectorized_elementwise_kernel<4, at::native::Rsqrt>(int)", 1, 1);
      row(kernel).load.data_bytes = row(kernel).store.data_bytes = kBytes / 64;
    }
  }
};

TEST(OperationChains, WhatIsReducedByRowsAndThenNormalisedIsOne) {
  Normalises program;
  EXPECT_THAT(only_chain(program.run({4, 1, 3, 5, 6, 2, 1, 4})), ElementsAre(1, 3, 5, 6, 2, 1));
  Normalises twice;
  EXPECT_THAT(only_chain(twice.run({4, 1, 3, 2, 3, 5, 2, 4})), ElementsAre(1, 3, 2, 3, 5, 2));
}

TEST(OperationChains, AReductionAfterWhichNothingIsNormalisedEndsThem) {
  Normalises ends;
  EXPECT_THAT(only_chain(ends.run({4, 1, 3, 5, 6, 4})), ElementsAre(1, 3))
      << "without what works on the sums";
  Normalises few;
  few.row(3).store.data_bytes = 512;
  EXPECT_THAT(only_chain(few.run({4, 1, 3, 2, 4})), ElementsAre(1, 3)) << "a loss, and its gradient";
  Normalises half;
  half.row(3).store.data_bytes = kBytes / 2;
  EXPECT_THAT(only_chain(half.run({4, 1, 3, 2, 4})), ElementsAre(1, 3));
}

TEST(OperationChains, AnOperationOnFarLessDataStandsBesideThem) {
  Normalises program;
  EXPECT_THAT(only_chain(program.run({4, 1, 5, 2, 4})), ElementsAre(1, 2));
  program.row(5).load.data_bytes = kBytes / 32;
  EXPECT_THAT(program.chains(), IsEmpty());
}

TEST(OperationChains, NobodyCopiesACopy) {
  Launched program;
  program.add("void at::native::elementwise_kernel<128, 2, direct_copy_kernel_cuda(X)>(int)", 1, 1);
  program.launch({4, 1, 5, 4, 5, 5, 4});
  const auto chains = program.chains();
  ASSERT_EQ(chains.size(), 1U);
  EXPECT_THAT(chains[0].kernel_ids, ElementsAre(1, 5)) << "a copy of a result";
}

TEST(OperationChains, StreamsAreApart) {
  EXPECT_THAT(Launched().launch({1}, 7).launch({2}, 8).chains(), IsEmpty());
  EXPECT_THAT(only_chain(Launched().launch({1}, 7).launch({4}, 8).launch({2}, 7)), ElementsAre(1, 2));
}

TEST(OperationChains, CopiesOfTheStreamAndMeasuredLaunchesEndThem) {
  EXPECT_THAT(Launched().launch({1}).copy(7).launch({2}).chains(), IsEmpty());
  EXPECT_THAT(only_chain(Launched().launch({1}).copy(8).launch({2})), ElementsAre(1, 2));
  EXPECT_THAT(Launched().launch({1}).measure(4).launch({2}).chains(), IsEmpty());
}

TEST(OperationChains, ASmallerOrAFarLargerArrayIsNoResultOfTheOneBefore) {
  Launched less;
  less.row(2).load.data_bytes = kBytes / 2;
  EXPECT_THAT(less.launch({1, 2}).chains(), IsEmpty());
  Launched more;
  more.row(2).load.data_bytes = more.row(2).store.data_bytes = 9 * kBytes;
  EXPECT_THAT(more.launch({1, 2}).chains(), IsEmpty()) << "a bias that is broadcast, not the data";
  Launched unknown;
  unknown.row(1).store.data_bytes = std::nullopt;
  EXPECT_THAT(unknown.launch({1, 2}).chains(), IsEmpty());
}

TEST(OperationChains, FirstLaunchesThatFollowEachOtherHaveToShareOperands) {
  constexpr std::int64_t kX = 0x1000'0000, kY = 0x2000'0000, kZ = 0x3000'0000, kOther = 0x4000'0000;
  EXPECT_THAT(only_chain(Launched().given(1, {kY, kX}).given(2, {kZ, kY, kOther}).launch({1, 2})),
              ElementsAre(1, 2));
  EXPECT_THAT(only_chain(Launched().given(1, {kY, kX}).given(2, {kZ, kY + 64, kOther}).launch({1, 2})),
              ElementsAre(1, 2))
      << "a slice of the result";
  EXPECT_THAT(only_chain(Launched().given(1, {kY, kX}).given(2, {kZ, kX, kOther}).launch({1, 2})),
              ElementsAre(1, 2))
      << "an operand of both";
  EXPECT_THAT(Launched().given(1, {kY, kX}).given(2, {kZ, kOther, kOther}).launch({1, 2}).chains(),
              IsEmpty());
  EXPECT_THAT(Launched().given(1, {kY, kX}).given(2, {kY, kOther, kOther}).launch({1, 2}).chains(), IsEmpty())
      << "it overwrites the result";
  EXPECT_THAT(only_chain(Launched().given(1, {kY, kX}).given(2, {kZ, kOther, kOther}).launch({2, 4, 1, 2})),
              ElementsAre(1, 2))
      << "the addresses are those of an earlier launch";
  EXPECT_THAT(only_chain(Launched().given(1, {kY, kX}).given(3, {kY, kZ, kOther}).launch({1, 3})),
              ElementsAre(1, 3));
}

TEST(OperationChains, RoundsWithoutAnythingBetweenThemAreCutAtTheRarestOperation) {
  Launched program;
  for (int round = 0; round < 6; ++round) program.launch({2, 1, 1});
  const auto chains = program.launch({4}).chains();
  ASSERT_EQ(chains.size(), 1U);
  EXPECT_THAT(chains[0].kernel_ids, ElementsAre(2, 1, 1));
  EXPECT_EQ(chains[0].times, 6);
}

TEST(OperationChains, WhatComesAFewTimesIsNoRound) {
  EXPECT_THAT(only_chain(Launched().launch({1, 2, 1, 2, 1, 2})), ElementsAre(1, 2, 1, 2, 1, 2))
      << "a polynomial";
}

TEST(OperationChains, AFewRoundsOfSeveralOperationsAreKnownByComingAgain) {
  const auto chains = Launched().launch({2, 1, 1, 1, 2, 1, 1, 1, 2, 1}).chains();
  ASSERT_EQ(chains.size(), 2U);
  EXPECT_THAT(chains[0].kernel_ids, ElementsAre(2, 1, 1, 1));
  EXPECT_EQ(chains[0].times, 2);
  EXPECT_THAT(chains[1].kernel_ids, ElementsAre(2, 1)) << "the rest";
  EXPECT_THAT(only_chain(Launched().launch({2, 1, 1, 1, 2, 1, 1})), ElementsAre(2, 1, 1, 1, 2, 1, 1))
      << "not twice";
}

TEST(OperationChains, MeasuredLaunchesWentTheSameWay) {
  EXPECT_EQ(Launched().launch({1, 2, 4, 1, 2, 4}).measure(1).measure(2).measure(4).chains().front().times, 3);
}

TEST(OperationChains, NoMoreAreOneThanACompilerFuses) {
  Launched program;
  for (int i = 0; i < 70; ++i)
    program.add("void at::native::vectorized_elementwise_kernel<4, at::native::Exp>(int)", 1, 1);
  for (int i = 0; i < 70; ++i) program.launch({5 + i});
  const auto chains = program.chains();
  ASSERT_EQ(chains.size(), 2U);
  EXPECT_EQ(std::max(chains[0].kernel_ids.size(), chains[1].kernel_ids.size()), 64U);
}

TEST(OperationChains, LaunchesThatAreNotListedWentTheSameWay) {
  Launched program;
  program.launch({1, 2, 4, 1, 2});
  program.unlisted(1, 8);
  program.unlisted(2, 8);
  ASSERT_EQ(program.chains().size(), 1U);
  EXPECT_EQ(program.chains().front().times, 10);
}

TEST(OperationChains, UniversalFunctionsOfCupyAreOperations) {
  Launched program;
  program.add("cupy_multiply__float32_float32_float32", 2, 1);
  program.add("cupy_cos__float32_float32", 1, 1);
  program.add("cupy_sum", 1, 0);
  for (const std::size_t kernel : {5U, 6U, 7U}) {
    program.row(kernel).owner = kCupy;
    program.row(kernel).origin = Origin::generated;
  }
  constexpr std::int64_t kX = 0x1000'0000, kY = 0x2000'0000, kZ = 0x3000'0000;
  program.given(5, {kX, kX, kY}).given(6, {kY, kZ});  // the result comes last
  EXPECT_THAT(only_chain(program.launch({5, 6, 7})), ElementsAre(5, 6));
}

}  // namespace
}  // namespace coalescope::analysis
