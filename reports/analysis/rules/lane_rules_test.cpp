// Rules about the lanes of warps (G02 to G04): what each finds, where it must find nothing, and where it must
// not judge.
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/whole.h"
#include "reports/analysis/figures/access_shape.h"
#include "reports/analysis/figures/owners.h"
#include "reports/analysis/rules/kernel_cases_test.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

using test::access;
using test::advice;
using test::cannot;
using test::finds;
using test::finds_nothing;
using test::fires;
using test::fires_priced;
using test::kClean;
using test::KernelCase;
using test::kNone;
using test::kRequests;
using test::line_of;
using test::loading;
using test::quiet;
using test::quiet_priced;
using testing::HasSubstr;

TEST(G02, FiresWhereAllLanesReadOneWord) {
  KernelRow row = loading(access(kRequests, 4, 1));
  LineRow line = line_of(row, "a.cu", 7, true);
  line.broadcast_loads = line.loads;
  EXPECT_TRUE(finds(kBroadcastLoads, KernelCase(row, {line}).subject()));
  line.broadcast_loads = *line.loads / 10;
  EXPECT_TRUE(finds_nothing(kBroadcastLoads, KernelCase(row, {line}).subject())) << "a scalar here and there";
}

TEST(G02, ALaneAloneSharesWithNobody) {
  KernelRow row = loading(access(kRequests, 4, 1));
  row.block = {1, 1, 1};
  EXPECT_TRUE(quiet(kBroadcastLoads, row));
  row.block = {32, 1, 1};
  EXPECT_TRUE(fires(kBroadcastLoads, row));
  row.load.lanes = 1;
  EXPECT_TRUE(quiet(kBroadcastLoads, row));
}

TEST(G02, WithoutLinesJudgesOnlyKernelsThatDoNothingElse) {
  EXPECT_TRUE(fires(kBroadcastLoads, loading(access(kRequests, 4, 1))));
  EXPECT_TRUE(fires(kBroadcastLoads, loading(access(kRequests, 8, 1))));
  EXPECT_TRUE(quiet(kBroadcastLoads, loading(access(kRequests, 32, 1))));
  EXPECT_TRUE(quiet(kBroadcastLoads, loading(access(kRequests, 16, 1))));
  EXPECT_TRUE(cannot(kBroadcastLoads, loading(kClean)));
  EXPECT_TRUE(quiet(kBroadcastLoads, loading(kNone)));
  EXPECT_TRUE(cannot(kBroadcastLoads, loading(Access{std::nullopt, 4})));
}

KernelRow with_lanes(double lanes) {
  KernelRow row = loading(kClean);
  row.load.lanes = row.store.lanes = lanes;
  return row;
}

TEST(G03, FiresOnWarpsThatAreHalfEmpty) {
  EXPECT_TRUE(fires_priced(kPartialWarps, with_lanes(16)));
  EXPECT_TRUE(fires_priced(kPartialWarps, with_lanes(24)));
  EXPECT_TRUE(quiet_priced(kPartialWarps, with_lanes(32)));
  EXPECT_TRUE(quiet_priced(kPartialWarps, with_lanes(30.5))) << "a guard at the end of each row";
}

// One lane of each block stores the block's sum.
TEST(G03, FindsNothingOnAReductionsResult) {
  KernelRow row = test::kernel(kClean, access(256, 4, 1), 1 << 24, 11'000);
  row.load.lanes = 32;
  row.store.lanes = 1;
  EXPECT_TRUE(quiet(kPartialWarps, row));
}

// A stencil loads its halo by a few lanes, all of which have work of their own as well.
TEST(G03, FindsNothingWhereThreadsThatIdleHaveWorkElsewhere) {
  const KernelRow row = with_lanes(16);
  LineRow inner = line_of(row, "a.cu", 7, true), halo = line_of(row, "a.cu", 8, true);
  halo.lanes = 2;
  EXPECT_TRUE(finds_nothing(kPartialWarps, KernelCase(row, {inner, halo}).subject()));
  inner.lanes = 16;
  KernelCase half(row, {inner, halo});
  half.machine = test::h100();
  EXPECT_TRUE(finds(kPartialWarps, half.subject()));
}

// Of a library that gives each row a block, one warp of four has a part of the row.
TEST(G03, CountsTheWarpsThatHaveNoPartOfARow) {
  KernelRow row = with_lanes(32);
  row.grid = {1024, 1, 1};
  row.block = {32, 4, 1};
  LineRow line = line_of(row, "a.cu", 7, true);
  line.instructions = 1;
  line.loads = base::whole(warps_of(row) / 4);
  line.lanes = 32;
  EXPECT_TRUE(finds_nothing(kPartialWarps, KernelCase(row, {line}).subject())) << "the others may compute";
  row.origin = Origin::library;
  row.owner = kTorch;
  row.name = row.full_name = "at::native::vectorized_layer_norm_kernel<float>";
  const KernelCase norm(row, {line});
  EXPECT_THAT(kPartialWarps.assess(norm.subject()).evidence.text, HasSubstr("75.0 % of the lanes"));
}

// A warp goes along a row of a sparse matrix: its last step has fewer elements than lanes. All read where the
// row begins, which is a small part of the requests.
TEST(G03, FindsNothingOnTheEndsOfRows) {
  KernelRow row = with_lanes(22);
  row.grid = {1024, 1, 1};
  row.block = {128, 1, 1};
  LineRow elements = line_of(row, "a.cu", 8, true), begin = elements;
  elements.lanes = 22;
  begin.line = 7;
  begin.lanes = 32;
  begin.loads = 4096;  // once for each warp
  KernelCase kernel(row, {elements, begin});
  kernel.machine = test::h100();
  kernel.row.load.requests = row.store.requests = 200'000;
  EXPECT_TRUE(finds_nothing(kPartialWarps, kernel.subject()));
  kernel.lines[1].loads = 400;
  EXPECT_TRUE(finds(kPartialWarps, kernel.subject())) << "few warps come by";
}

// All lanes of a warp read where its row begins, and seven of them have an element of the row.
TEST(G03, FindsRowsThatAreShorterThanAWarp) {
  KernelRow row = with_lanes(20);
  row.grid = {1024, 1, 1};
  row.block = {128, 1, 1};
  LineRow begin = line_of(row, "a.cu", 7, true), elements = begin;
  begin.lanes = 32;
  begin.broadcast_loads = begin.loads;
  elements.line = 8;
  elements.lanes = 7;
  KernelCase kernel(row, {begin, elements});
  kernel.machine = test::h100();
  ASSERT_TRUE(finds(kPartialWarps, kernel.subject()));
  const Assessment found = kPartialWarps.assess(kernel.subject());
  EXPECT_THAT(found.evidence.text, HasSubstr("78.1 % of the lanes"));
  EXPECT_THAT(found.advice.text, HasSubstr("tiled_partition<8>"));
  kernel.lines[1].lanes = 20;
  EXPECT_TRUE(finds_nothing(kPartialWarps, kernel.subject())) << "16 lanes for a row would be too few";
  kernel.lines[1].lanes = 7;
  kernel.lines[1].loads = *row.load.requests / 10;
  EXPECT_TRUE(finds_nothing(kPartialWarps, kernel.subject())) << "all lanes compute with what they share";
}

// Matrix products: one lane asks for a tile, or cp.async brings it.
TEST(G03, FindsNothingWhereOtherAccessesMoveTheData) {
  KernelRow row = with_lanes(1);
  ASSERT_TRUE(fires(kPartialWarps, row));
  row.async_copy.sectors = 100 * row.load.sectors.value();
  EXPECT_TRUE(quiet(kPartialWarps, row));
  row.async_copy.sectors = 0;
  row.tma_instructions = 8;
  EXPECT_TRUE(quiet(kPartialWarps, row));
}

TEST(G03, DoesNotJudgeWithoutLines) {
  EXPECT_TRUE(cannot(kPartialWarps, loading(kClean)));
}

TEST(G03, AdviceKnowsBlocksThatAreNoMultipleOf32) {
  KernelRow row = with_lanes(24);
  row.block = {48, 1, 1};
  EXPECT_THAT(advice(kPartialWarps, row, test::h100()),
              HasSubstr("with 48 threads, 16 of 32 lanes of the last warp are idle"));
  row.block = {256, 1, 1};
  EXPECT_THAT(advice(kPartialWarps, row, test::h100()), HasSubstr("condition"));
}

KernelRow with_elements(std::int64_t bytes) {
  const std::int64_t sectors = std::max<std::int64_t>(1, bytes);
  KernelRow row = test::kernel(access(kRequests, 32 * bytes, sectors), access(kRequests, 32 * bytes, sectors),
                               1 << 24, 11'000);
  row.load.lanes = row.store.lanes = 32;
  return row;
}

TEST(G04, FiresOnBytesAndHalfWords) {
  EXPECT_TRUE(fires_priced(kNarrowElements, with_elements(1)));
  EXPECT_TRUE(fires_priced(kNarrowElements, with_elements(2)));
  for (const int bytes : {4, 8, 16})
    EXPECT_TRUE(quiet_priced(kNarrowElements, with_elements(bytes))) << bytes;
}

// Two lanes read each word: the counters of the loads are those of half words.
TEST(G04, FindsNothingWhereOnlyLoadsLookNarrow) {
  KernelRow row = loading(access(kRequests, 64, 2));
  row.load.lanes = row.store.lanes = 32;
  EXPECT_TRUE(quiet(kNarrowElements, row));
}

// The code knows the width: no stores are needed.
TEST(G04, FiresOnLoadsOfBytesByTheCode) {
  KernelRow row = test::kernel(access(kRequests, 32, 1), access(kRequests / 100, 4, 1), 33'554'432, 40'000);
  row.load.lanes = row.store.lanes = 32;
  LineRow line = line_of(row, "a.cu", 7, true);
  KernelCase kernel(row, {line});
  kernel.machine = test::h100();
  EXPECT_TRUE(finds_nothing(kNarrowElements, kernel.subject()));
  kernel.lines[0].narrow_loads = row.load.requests;
  EXPECT_TRUE(finds(kNarrowElements, kernel.subject()));
  kernel.lines[0].narrow_loads = *row.load.requests / 10;
  EXPECT_TRUE(finds_nothing(kNarrowElements, kernel.subject())) << "a table that is looked up now and then";
}

// Three channels of two bytes, stored apart: the loads tell.
TEST(G04, FiresOnHalfWordsWhoseStoresAreApart) {
  KernelRow row = test::kernel(access(kRequests, 64, 2), access(3 * kRequests, 64, 6), 33'554'432, 40'000);
  row.load.lanes = row.store.lanes = 32;
  KernelCase kernel(row, {line_of(row, "a.cu", 7, true)});
  kernel.machine = test::h100();
  EXPECT_TRUE(finds_nothing(kNarrowElements, kernel.subject()));
  kernel.lines[0].narrow_loads = row.load.requests;
  EXPECT_TRUE(finds(kNarrowElements, kernel.subject()));
}

TEST(G04, DoesNotJudgeWithoutLines) {
  EXPECT_TRUE(cannot(kNarrowElements, loading(kClean)));
}

}  // namespace
}  // namespace coalescope::analysis
