// From the instructions of a capture to lines of source, and to the sums of a kernel.

#include "reports/analysis/rows/line_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/analysis/rows/instruction_sums.h"
#include "reports/analysis/rows/sample_rows_test.h"

namespace coalescope::analysis {
namespace {

using model::GroupId;
using testing::ElementsAre;

TEST(LineRows, AreKeyedByKernelFileAndLine) {
  const std::array instructions{
      instruction(1, "a.cu", 7, 80, 10, true), instruction(1, "a.cu", 7, 40, 40, false),
      instruction(1, "b.cu", 7, 20, 10, true), instruction(2, "a.cu", 7, 10, 10, true)};
  const auto rows = line_rows(instructions, {});
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].file, "a.cu");
  EXPECT_EQ(rows[0].instructions, 2);
  EXPECT_EQ(rows[0].sectors, 60) << "a launch, of two";
  EXPECT_EQ(rows[0].surplus_sectors, 35);
  EXPECT_EQ(rows[0].loads, 5);
  EXPECT_EQ(rows[0].stores, 5);
  EXPECT_EQ(rows[0].sectors_per_request, 6.0);
  EXPECT_EQ(rows[1].file, "b.cu");
  EXPECT_EQ(rows[2].kernel_id, 2);
}

// An instruction below its ideal must not hide another's surplus.
TEST(LineRows, SurplusIsSummedByInstruction) {
  const std::array instructions{instruction(1, "a.cu", 7, 40, 10, true),
                                instruction(1, "a.cu", 7, 10, 40, true)};
  EXPECT_EQ(line_rows(instructions, {}).at(0).surplus_sectors, 15);
}

TEST(LineRows, NameTheParameterWithMostSurplus) {
  std::array instructions{instruction(1, "a.cu", 7, 40, 10, true), instruction(1, "a.cu", 7, 80, 10, true),
                          instruction(1, "a.cu", 7, 60, 10, true)};
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    instructions.at(i).code = model::InstructionCode{};
    instructions.at(i).code->parameter = i == 1 ? 3 : 2;
  }
  EXPECT_EQ(line_rows(instructions, {}).at(0).parameter, 2) << "two of its accesses";
  instructions[0].code->parameter = std::nullopt;
  EXPECT_EQ(line_rows(instructions, {}).at(0).parameter, 3);
  instructions[1].sectors = 60;
  EXPECT_EQ(line_rows(instructions, {}).at(0).parameter, std::nullopt) << "both alike";
}

TEST(LineRows, TellWhatGoesToTheHostsMemory) {
  std::array instructions{instruction(1, "a.cu", 7, 40, 10, true), instruction(1, "a.cu", 7, 80, 10, true)};
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    instructions.at(i).code = model::InstructionCode{};
    instructions.at(i).code->parameter = static_cast<std::int64_t>(i);
  }
  std::array<model::GroupPointer, 2> pointers;
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    pointers.at(i).group_id = model::GroupId{1};
    pointers.at(i).parameter = static_cast<std::int64_t>(i);
    pointers.at(i).memory = i == 1 ? model::MemoryKind::pinned : model::MemoryKind::device;
  }
  EXPECT_EQ(line_rows(instructions, {}, pointers).at(0).host_sectors, 40) << "a launch";
  pointers[1].memory = model::MemoryKind::device;
  EXPECT_EQ(line_rows(instructions, {}, pointers).at(0).host_sectors, std::nullopt);
}

TEST(LineRows, CodeWithoutLinesKeepsItsOffsets) {
  const std::array instructions{instruction(1, std::nullopt, 1, 8, 4, true),
                                instruction(1, std::nullopt, 2, 8, 4, true)};
  const auto rows = line_rows(instructions, {});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].line, std::nullopt);
  EXPECT_EQ(rows[0].pc_offset, 16);
}

TEST(InstructionSums, LoadsAndStoresApart) {
  const std::array instructions{instruction(1, "a.cu", 7, 80, 10, true),
                                instruction(1, "a.cu", 8, 40, 40, false)};
  const auto sums = sum_instructions(instructions).at(GroupId{1});
  EXPECT_EQ(sums.load.ideal_sectors, 10);
  EXPECT_EQ(sums.load.sectors, 80);
  EXPECT_EQ(sums.store.sectors, 40);
  EXPECT_EQ(sums.atomic.requests, std::nullopt) << "not counted, so not none";
  EXPECT_EQ(sums.sectors, 120);
}

TEST(LineRows, TheDegreeIsAnIntervalUntilTheKernelsSumSettlesIt) {
  auto load = instruction(1, "a.cu", 7, 1600, 800, true);
  load.loads = 200;
  load.threads = 6400;
  const std::array views{load};
  const LineRow open = line_rows(views, {}).at(0);
  EXPECT_NEAR(*open.least_degree, 1 / 32.0, 1e-9) << "a byte of each sector";
  EXPECT_NEAR(*open.greatest_degree, 0.5, 1e-9);
  KernelRow kernel;
  kernel.id = 1;
  kernel.load.data_bytes = 12'800;  // a launch, of two
  kernel.load.sectors = 800;
  const LineRow settled = line_rows(views, std::array{kernel}).at(0);
  EXPECT_NEAR(*settled.least_degree, 0.5, 1e-9);
  EXPECT_NEAR(*settled.greatest_degree, 0.5, 1e-9);
  kernel.load.sectors = 900;  // other work than the lines saw
  EXPECT_LT(*line_rows(views, std::array{kernel}).at(0).least_degree, 0.4);
}

// y[i] = a[0] * x[i]: one line, two loads. x takes all that it can, so a is one word a request.
TEST(LineRows, ABroadcastIsWhatFullLoadsLeaveOver) {
  auto x = instruction(1, "a.cu", 7, 400, 400, true), a = instruction(1, "a.cu", 7, 100, 100, true);
  x.loads = a.loads = 100;
  x.threads = a.threads = 3200;
  a.pc_offset = 999;
  KernelRow kernel;
  kernel.id = 1;
  kernel.load.data_bytes = 66 * 100;
  kernel.load.sectors = 250;
  const std::array views{x, a};
  EXPECT_EQ(line_rows(views, std::array{kernel}).at(0).broadcast_loads, 50);
  kernel.load.data_bytes = 80 * 100;  // all bytes of all sectors: a loads bytes
  EXPECT_EQ(line_rows(views, std::array{kernel}).at(0).broadcast_loads, 0);
}

model::InstructionCode load_code(std::int64_t bytes, bool indexed) {
  model::InstructionCode code;
  code.access_bytes = bytes;
  code.indexed = indexed;
  return code;
}

// The same counts: data give the addresses, or a stride does.
TEST(LineRows, TheCodeGoesBeforeTheCounts) {
  auto gather = instruction(1, "a.cu", 7, 320, 40, true);
  gather.code = load_code(4, true);
  const LineRow scattered = line_rows(std::array{gather}, {}).at(0);
  EXPECT_TRUE(scattered.decoded && scattered.indexed);
  EXPECT_EQ(scattered.scattered_loads, scattered.loads);
  gather.code = load_code(4, false);
  const LineRow strided = line_rows(std::array{gather}, {}).at(0);
  EXPECT_TRUE(strided.decoded && !strided.indexed);
  EXPECT_EQ(strided.scattered_loads, std::nullopt);
  EXPECT_EQ(scattered.indexed_sectors, scattered.sectors);
  EXPECT_EQ(strided.indexed_sectors, std::nullopt);
}

// Group 1 computes the place of one access, in an array; group 2 reaches all from the stack pointer.
TEST(LineRows, SpillsAreReachedFromTheStackPointerAlone) {
  const auto local = [](std::int64_t group, std::int64_t line, std::int64_t base_register) {
    auto view = instruction(group, "a.cu", line, 0, 0, true);
    view.local_sectors = 40;
    view.code = load_code(4, false);
    view.code->base_register = base_register;
    return view;
  };
  std::array views{local(1, 7, 1), local(1, 8, 12), local(2, 7, 1), local(2, 8, 1)};
  for (const LineRow& row : line_rows(views, {})) EXPECT_EQ(row.spilled, row.kernel_id == 2);
  views.back().code.reset();
  for (const LineRow& row : line_rows(views, {})) EXPECT_FALSE(row.spilled) << "its code was not read";
}

// A row that an index chooses, whose elements a warp reads in order.
TEST(LineRows, SectorsThatDataChooseCountHoweverCloseTheyLie) {
  auto row_of_graph = instruction(1, "a.cu", 7, 160, 160, true);
  row_of_graph.code = load_code(16, true);
  const LineRow row = line_rows(std::array{row_of_graph}, {}).at(0);
  EXPECT_FALSE(row.indexed);
  EXPECT_EQ(row.indexed_sectors, row.sectors);
}

TEST(LineRows, TheCodeTellsStoresThatGoWhereDataSay) {
  auto scatter = instruction(1, "a.cu", 7, 320, 40, false);
  scatter.code = load_code(4, true);
  const LineRow scattered = line_rows(std::array{scatter}, {}).at(0);
  EXPECT_GT(scattered.scattered_stores, 0);
  EXPECT_EQ(scattered.scattered_stores, scattered.stores);
  scatter.code->indexed = false;
  EXPECT_EQ(line_rows(std::array{scatter}, {}).at(0).scattered_stores, std::nullopt);
  scatter.code->indexed = true;
  scatter.sectors = scatter.ideal_sectors;
  EXPECT_EQ(line_rows(std::array{scatter}, {}).at(0).scattered_stores, std::nullopt);
}

// Lanes of their own sector each, whose rest L1 keeps, go along runs; so do the steps of an unrolled loop.
TEST(LineRows, GathersAreToldFromRunsThatBeginAtAnIndex) {
  auto gather = instruction(1, "a.cu", 7, 310, 40, true);
  gather.threads = 320;
  gather.code = load_code(4, true);
  gather.code->base_register = 4;
  KernelRow kernel;
  kernel.id = 1;
  kernel.load.degree = 0.2;
  kernel.load.l2_degree = 0.8;
  const auto gathered = [&](const auto& views) {
    return line_rows(views, std::array{kernel}).at(0).gathered_surplus.value_or(0);
  };
  EXPECT_GT(gathered(std::array{gather}), 0) << "two lanes met in a sector";
  auto run = gather;
  run.sectors = 320;
  EXPECT_EQ(gathered(std::array{run}), 0);
  kernel.load.l2_degree = 0.2;
  EXPECT_GT(gathered(std::array{run}), 0) << "L1 keeps nothing";
  auto next = run;
  next.code->base_offset = 4;
  EXPECT_EQ(gathered(std::array{run, next}), 0) << "two steps of one run";
}

TEST(LineRows, CountsLoadsOfBytes) {
  auto bytes = instruction(1, "a.cu", 7, 10, 10, true);
  bytes.code = load_code(1, false);
  const LineRow narrow = line_rows(std::array{bytes}, {}).at(0);
  EXPECT_EQ(narrow.narrow_loads, narrow.loads);
  auto beside = bytes;  // a neighbour's, from the next sector on
  beside.sectors = *beside.ideal_sectors * 2;
  EXPECT_EQ(line_rows(std::array{beside}, {}).at(0).narrow_loads, narrow.loads);
  beside.code->indexed = true;
  EXPECT_EQ(line_rows(std::array{beside}, {}).at(0).narrow_loads, std::nullopt) << "of a table";
  bytes.code = load_code(4, false);
  EXPECT_EQ(line_rows(std::array{bytes}, {}).at(0).narrow_loads, std::nullopt) << "a word that lanes share";
}

TEST(LineRows, AtomicsOnSharedMemoryNeedTheirWavefronts) {
  auto bins = instruction(1, "a.cu", 7, 0, 0, true);
  bins.shared_requests = 4;
  bins.shared_wavefronts = 64;
  bins.shared_ideal_wavefronts = 4;
  EXPECT_GT(line_rows(std::array{bins}, {}).at(0).shared.surplus_wavefronts, 0);
  bins.code = model::InstructionCode{.operation = model::MemoryOperation::shared_atomic};
  EXPECT_EQ(line_rows(std::array{bins}, {}).at(0).shared.surplus_wavefronts, 0);
  EXPECT_EQ(sum_instructions(std::array{bins}).at(GroupId{1}).surplus_wavefronts, 0);
}

// They arrive piece by piece, whatever the banks.
TEST(LineRows, AsynchronousCopiesNeedAWavefrontForEachSector) {
  auto copies = instruction(1, "a.cu", 45, 30, 16, true);
  copies.async_copies = 1;
  copies.shared_requests = 1;
  copies.shared_wavefronts = 15;
  copies.shared_ideal_wavefronts = 4;
  EXPECT_EQ(line_rows(std::array{copies}, {}).at(0).shared.surplus_wavefronts, 0);
  EXPECT_EQ(sum_instructions(std::array{copies}).at(GroupId{1}).surplus_wavefronts, 0);
  copies.shared_wavefronts = 32;
  EXPECT_EQ(sum_instructions(std::array{copies}).at(GroupId{1}).surplus_wavefronts, 2) << "into one bank";
}

TEST(LineRows, AnIndexedLoadIsToldFromAStride) {
  auto index = instruction(1, "a.cu", 7, 40, 40, true), data = instruction(1, "a.cu", 7, 320, 40, true);
  index.threads = data.threads = 320;
  const std::array gather{index, data};
  EXPECT_TRUE(line_rows(gather, {}).at(0).indexed);
  auto random = instruction(1, "a.cu", 9, 319, 40, true);
  random.threads = 320;
  const std::array elsewhere{index, random};
  EXPECT_TRUE(line_rows(elsewhere, {}).at(0).indexed) << "two lanes met in a sector";
  auto word = instruction(1, "a.cu", 7, 10, 10, true), byte = word;
  word.threads = byte.threads = 320;
  byte.sectors = byte.ideal_sectors = 10;
  const std::array no_index{word, byte, data};
  EXPECT_FALSE(line_rows(no_index, {}).at(0).indexed)
      << "a word for all lanes, or a byte for each, is no index";
  const std::array strided{data};
  EXPECT_FALSE(line_rows(strided, {}).at(0).indexed);
  EXPECT_THAT(line_rows(strided, {}).at(0).traits, ElementsAre("far apart"));
}

}  // namespace
}  // namespace coalescope::analysis
