// B01: launches that leave multiprocessors idle though their warps make many rounds of a loop.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/analysis/rules/kernel_cases_test.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

using test::access;
using test::cannot_judge;
using test::finding_of;
using test::finds;
using test::finds_nothing;
using test::KernelCase;
using test::line_of;
using testing::HasSubstr;

constexpr std::int64_t kRounds = 1'000;  // of each warp

Machine with_multiprocessors() {
  Machine machine = test::h100();
  machine.multiprocessors = 132;
  return machine;
}

// Each warp loads contiguously, piece after piece.
KernelRow looping(std::int64_t blocks, std::int64_t rounds = kRounds) {
  const std::int64_t warps = blocks * 8;
  KernelRow row =
      test::kernel(access(warps * rounds, 128, 4), access(0, 0, 0), warps * rounds * 128, 400'000);
  row.grid = {blocks, 1, 1};
  row.block = {256, 1, 1};
  return row;
}

LineRow loop_of(const KernelRow& row) {
  LineRow line = line_of(row, "a.cu", 7, true);
  line.instructions = 1;
  return line;
}

bool finds_it(const KernelRow& row) {
  return finds(kFewBlocks, KernelCase(row, {loop_of(row)}, with_multiprocessors()).subject());
}

TEST(B01, FiresWhereHalfOfTheGpuGetsNoBlockAndWarpsLoop) {
  EXPECT_TRUE(finds_it(looping(8)));
  EXPECT_TRUE(finds_it(looping(66)));
  EXPECT_FALSE(finds_it(looping(67)));
  EXPECT_FALSE(finds_it(looping(8, 4))) << "four rounds are under way at once";
  EXPECT_FALSE(finds_it(looping(8, 7)));
  EXPECT_TRUE(finds_it(looping(8, 8)));
}

// What goes to shared memory by itself, as in kernels of Triton's.
TEST(B01, AsynchronousCopiesAreRoundsOfALoop) {
  KernelRow row = looping(8);
  LineRow line = loop_of(row);
  line.async_copies = line.loads;
  line.loads = line.stores = 0;
  EXPECT_TRUE(finds(kFewBlocks, KernelCase(row, {line}, with_multiprocessors()).subject()));
  line.async_copies = 0;
  EXPECT_FALSE(finds(kFewBlocks, KernelCase(row, {line}, with_multiprocessors()).subject()));
}

Machine with_room() {
  Machine machine = with_multiprocessors();
  machine.threads_per_multiprocessor = 2048;
  machine.registers_per_multiprocessor = 65'536;
  machine.shared_bytes_per_multiprocessor = 233'472;
  machine.schedulers = 528;
  machine.instructions_per_ns = 900;
  return machine;
}

// As looping(), and slow for what it moves.
KernelRow waiting(std::int64_t blocks) {
  KernelRow row = looping(blocks, 100);
  row.registers_per_thread = 48;
  row.static_shared_bytes = 672;
  row.instructions = blocks * 8 * 1'000;
  return row;
}

Finding few_warps_of(const KernelRow& row, const Machine& machine) {
  return finding_of(kFewWarps, KernelCase(row, {loop_of(row)}, machine).subject());
}

// Registers leave room for five blocks of 256 threads on each of 132 multiprocessors.
TEST(B01, FiresWhereTheGpuHasRoomForFourTimesAsManyWarpsThatWait) {
  const auto speaks = [](const KernelRow& row) {
    return finds(kFewWarps, KernelCase(row, {loop_of(row)}, with_room()).subject());
  };
  EXPECT_TRUE(speaks(waiting(96)));
  EXPECT_TRUE(speaks(waiting(165)));
  EXPECT_FALSE(speaks(waiting(166)));
  EXPECT_FALSE(speaks(waiting(66))) << "few blocks, which is said by itself";
  KernelRow full = waiting(96);
  full.static_shared_bytes = 200'000;
  EXPECT_FALSE(speaks(full)) << "one block fits on a multiprocessor";
  KernelRow busy = waiting(96);
  busy.instructions = 200'000'000;
  EXPECT_FALSE(speaks(busy)) << "its instructions take more than half of its time";
  KernelRow straight = looping(96, 4);
  straight.registers_per_thread = 48;
  straight.static_shared_bytes = 0;
  EXPECT_FALSE(speaks(straight)) << "nothing to divide";
  KernelRow unknown = waiting(96);
  unknown.registers_per_thread.reset();
  EXPECT_FALSE(speaks(unknown));
}

TEST(B01, FewWarpsArePricedByTheRoomAndWhatTheWorkNeeds) {
  const KernelRow row = waiting(96);
  const Finding found = few_warps_of(row, with_room());
  ASSERT_TRUE(found.lost_ns);
  EXPECT_NEAR(static_cast<double>(found.lost_ns.value_or(0)), 400'000 * (1 - 96.0 / 660), 1);
  EXPECT_THAT(found.advice, HasSubstr("room for 660 blocks, not only 96"));
}

// In NCHW it gives each channel one block; the layout is a fault where a library converts from it, too.
TEST(K01, NormalisationWithABlockPerChannelIsOfTheLayout) {
  KernelRow row = looping(33);
  row.origin = Origin::library;
  row.owner = "PyTorch ATen";
  row.full_name = "void at::native::batch_norm_backward_kernel<c10::BFloat16, float, float, int>(int)";
  KernelCase kernel(row, {loop_of(row)}, with_multiprocessors());
  KernelSubject subject = kernel.subject();
  EXPECT_TRUE(finds_nothing(kLayoutConversions, subject));
  subject.beside_conversions = true;
  const Finding found = finding_of(kLayoutConversions, subject);
  EXPECT_EQ(found.lost_ns, 300'000) << "as B01 has it";
  EXPECT_EQ(found.advice_id, "K01.keep_layout");
  EXPECT_THAT(found.advice, HasSubstr("one block per channel"));
  kernel.row.full_name = "void at::native::batch_norm_backward_reduce_channels_last_kernel<4>(int)";
  EXPECT_TRUE(finds_nothing(kLayoutConversions, subject));
  kernel.row.full_name = row.full_name;
  kernel.row.grid = {132, 1, 1};
  EXPECT_TRUE(finds_nothing(kLayoutConversions, subject));
}

TEST(B01, OtherKernelsBesideItFillTheGpu) {
  KernelRow row = looping(8);
  row.beside_ratio = 0.5;
  EXPECT_FALSE(finds_it(row));
  row.beside_ratio = 0.1;
  EXPECT_TRUE(finds_it(row));
}

TEST(B01, OnlyAGridThatTheAuthorChoseIsHisToChange) {
  KernelRow row = looping(8);
  row.origin = Origin::library;
  EXPECT_FALSE(finds_it(row));
  row.owner = "PyTorch ATen";
  row.full_name = "void at::native::gatherMedian<float, int, 1>(int, int)";
  EXPECT_TRUE(finds_it(row)) << "who calls it has chosen a function that uses one block for each row";
  row.full_name =
      "void at::native::tensor_kernel_scan_outer_dim<float, unsigned int, std::plus<float> >(int)";
  EXPECT_TRUE(finds_it(row)) << "a tensor of one dimension would be scanned by the whole GPU";
  row.full_name = "void at::native::tensor_kernel_scan_outer_dim_with_indices<float, int, Greater>(int)";
  EXPECT_FALSE(finds_it(row)) << "cummax has no other kernel";
  for (const char* by_rows :
       {"void at::native::cunn_SoftMaxForward<8, float, float, float, "
        "at::native::SoftMaxForwardEpilogue>(int)",
        "void at::native::cunn_SoftMaxForward<8, float, float, float, at::native::LogSoftMaxForward>(int)",
        "void at::native::vectorized_layer_norm_kernel<float, float, false>(int, float)",
        "void at::native::RowwiseMomentsCUDAKernel<float>(long, float, float const*)"}) {
    row.full_name = by_rows;
    EXPECT_TRUE(finds_it(row)) << by_rows;
  }
  row.full_name = "void at::native::vectorized_gather_kernel<16, long>(char*, char*, long*)";
  EXPECT_FALSE(finds_it(row));
  row.origin = Origin::generated;
  row.owner = "XLA";
  EXPECT_FALSE(finds_it(row));
  for (const char* owner : {"Triton", "CuPy"}) {
    row.owner = owner;
    EXPECT_TRUE(finds_it(row)) << owner;
  }
}

TEST(B01, IsNotJudgedWithoutLines) {
  EXPECT_TRUE(cannot_judge(kFewBlocks, KernelCase(looping(8), with_multiprocessors()).subject()));
}

// A sum of two fields in one block of CuPy's: 65,536 requests of each warp. No loop has so many instructions.
TEST(B01, SoManyRequestsAreALoopWithoutLines) {
  const auto found = finding_of(kFewBlocks, KernelCase(looping(1, 65'536), with_multiprocessors()).subject());
  EXPECT_THAT(found.evidence, HasSubstr("at least 512 rounds"));
}

// As of a cooperative launch, which nothing measures but its time.
TEST(B01, ALaunchOfMillisecondsLoopsWhateverWasCounted) {
  KernelRow row = looping(4);
  row.load = row.store = {};
  row.median_gpu_ns = 13'000'000;
  row.launches = 2;
  const auto found = finding_of(kFewBlocks, KernelCase(row, with_multiprocessors()).subject());
  EXPECT_THAT(found.evidence, HasSubstr("at least 102 rounds"));
  EXPECT_EQ(found.lost_ns, std::nullopt);
  row.launches = 1;
  EXPECT_TRUE(cannot_judge(kFewBlocks, KernelCase(row, with_multiprocessors()).subject()));
  row.launches = 2;
  row.median_gpu_ns = 100'000;
  EXPECT_TRUE(cannot_judge(kFewBlocks, KernelCase(row, with_multiprocessors()).subject()));
}

TEST(B01, CostsWhatMoreBlocksOrTheMemoryLeave) {
  const auto lost = [](const KernelRow& row) {
    return finding_of(kFewBlocks, KernelCase(row, {loop_of(row)}, with_multiprocessors()).subject()).lost_ns;
  };
  EXPECT_EQ(lost(looping(33)), 300'000) << "a quarter of the multiprocessors works";
  EXPECT_EQ(lost(looping(8, 8)), 200'000) << "eight rounds are two times four";
  KernelRow busy = looping(33);
  busy.dram_read_bytes = 557'620'000;  // 200 us of DRAM
  EXPECT_EQ(lost(busy), 200'000);
}

TEST(B01, SaysWhatCanBeReachedAndWhatSmallerBlocksDo) {
  KernelRow row = looping(40);
  const auto finding =
      finding_of(kFewBlocks, KernelCase(row, {loop_of(row)}, with_multiprocessors()).subject());
  EXPECT_THAT(finding.evidence,
              HasSubstr("40 blocks for 132 multiprocessors: at most 54.5 % of L2's bandwidth"));
  EXPECT_THAT(finding.advice, HasSubstr("64 threads per block instead of 256 make 160 blocks."));
}

}  // namespace
}  // namespace coalescope::analysis
