#include "reports/analysis/rows/program_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/analysis/view/program_tables.h"

namespace coalescope::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

model::Allocation allocation(std::int64_t id, model::AllocationKind kind, std::int64_t address,
                             std::int64_t bytes, std::int64_t from, std::optional<std::int64_t> to) {
  model::Allocation row;
  row.id = id;
  row.process_id = {1};
  if (kind != model::AllocationKind::pinned) row.device_id = model::DeviceId{1};
  row.kind = kind;
  row.address = address;
  row.bytes = bytes;
  row.allocated_ns = from;
  row.freed_ns = to;
  return row;
}

model::UnifiedMemory moved(model::UnifiedMemoryEvent event, std::int64_t address, std::int64_t amount,
                           std::int64_t start_ns, std::optional<std::int64_t> duration_ns = {}) {
  model::UnifiedMemory row;
  row.process_id = {1};
  row.event = event;
  row.address = address;
  row.amount = amount;
  row.start_ns = start_ns;
  row.duration_ns = duration_ns;
  return row;
}

TEST(ProgramRows, AllocationsAreAddedUpByKindWithTheirPeak) {
  ProgramTables tables;
  tables.allocations = {allocation(1, model::AllocationKind::device, 0x1000, 100, 0, 10),
                        allocation(2, model::AllocationKind::device, 0x2000, 60, 5, std::nullopt),
                        allocation(3, model::AllocationKind::device, 0x1000, 80, 10, 20),
                        allocation(4, model::AllocationKind::pinned, 0x9000, 500, 0, std::nullopt)};
  const Program program = program_of(tables, {}, {}, CallStacks({}));
  ASSERT_EQ(program.allocations.size(), 2U);
  EXPECT_EQ(program.allocations[0].kind, model::AllocationKind::pinned);
  EXPECT_EQ(program.allocations[0].device_id, std::nullopt);
  EXPECT_EQ(program.allocations[1].bytes, 240);
  EXPECT_EQ(program.allocations[1].most_bytes, 160) << "what is freed at a time is gone before that time's";
  EXPECT_EQ(program.allocations[1].freed, 2);
  EXPECT_EQ(program.largest.front().id, 4);
}

// The same addresses belong to two allocations, one after the other.
TEST(ProgramRows, MigrationsBelongToWhatWasThereThen) {
  ProgramTables tables;
  tables.allocations = {allocation(1, model::AllocationKind::managed, 0x10000, 0x2000, 0, 10),
                        allocation(2, model::AllocationKind::managed, 0x10000, 0x1000, 20, std::nullopt)};
  tables.unified_memory = {moved(model::UnifiedMemoryEvent::bytes_to_device, 0x11000, 4096, 5),
                           moved(model::UnifiedMemoryEvent::bytes_to_host, 0x10000, 100, 30),
                           moved(model::UnifiedMemoryEvent::gpu_page_faults, 0x10800, 7, 31),
                           moved(model::UnifiedMemoryEvent::bytes_to_host, 0x11000, 50, 32)};
  const auto rows = program_of(tables, {}, {}, CallStacks({})).migrations;
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].id, 1);
  EXPECT_EQ(rows[0].migration.bytes_to_device, 4096);
  EXPECT_EQ(rows[1].id, 2);
  EXPECT_EQ(rows[1].migration.bytes_to_host, 100);
  EXPECT_EQ(rows[1].migration.gpu_faults, 7);
  EXPECT_EQ(rows[1].migration.began_ns, 30);
  EXPECT_EQ(rows[1].migration.ended_ns, 31 + tables.unified_memory[2].duration_ns.value_or(0));
  EXPECT_EQ(rows[2].id, 0) << "beyond the second allocation's end";
}

TEST(ProgramRows, PagesThatComeAgainAreToldFromThoseThatComeFirst) {
  constexpr std::int64_t kPage = 4096, kMs = 1'000'000;
  ProgramTables tables;
  tables.allocations = {allocation(1, model::AllocationKind::managed, 0x10000, 0x4000, 0, std::nullopt)};
  const auto piece = [&](model::UnifiedMemoryEvent event, std::int64_t page, std::int64_t pages,
                         std::int64_t start_ns) {
    tables.unified_memory.push_back(moved(event, 0x10000 + page * kPage, pages * kPage, start_ns, 10'000));
  };
  using enum model::UnifiedMemoryEvent;
  piece(bytes_to_device, 2, 2, 100'000);  // the order of time counts, not that of the records
  piece(bytes_to_device, 0, 2, 0);
  piece(bytes_to_host, 1, 1, kMs);
  piece(bytes_to_device, 1, 1, 2 * kMs);
  piece(bytes_to_host, 1, 1, 3 * kMs);
  const auto rows = program_of(tables, {}, {}, CallStacks({})).migrations;
  ASSERT_EQ(rows.size(), 1U);
  const Migration& did = rows[0].migration;
  EXPECT_EQ(did.bytes_to_device, 5 * kPage);
  EXPECT_EQ(did.first_bytes_to_device, 4 * kPage);
  EXPECT_EQ(did.bytes_to_host, 2 * kPage);
  EXPECT_EQ(did.first_bytes_to_host, kPage);
  EXPECT_EQ(did.pieces_to_device, 3);
  EXPECT_EQ(did.first_ns, 110'000) << "with the pause between them";
  EXPECT_EQ(did.again_ns, 10'000);
}

TEST(ProgramRows, PagesComeForAsLongAsFaultsAreServed) {
  constexpr std::int64_t kPage = 4096, kUs = 1'000;
  ProgramTables tables;
  tables.allocations = {allocation(1, model::AllocationKind::managed, 0x10000, 0x4000, 0, std::nullopt)};
  using enum model::UnifiedMemoryEvent;
  tables.unified_memory = {moved(gpu_page_faults, 0x10000, 4, 0, 450 * kUs),
                           moved(bytes_to_device, 0x10000, kPage, 440 * kUs, 5 * kUs),
                           moved(gpu_page_faults, 0x10000, 4, 460 * kUs, 500 * kUs),
                           moved(bytes_to_device, 0x10000, kPage, 950 * kUs, 5 * kUs)};
  const Migration did = program_of(tables, {}, {}, CallStacks({})).migrations.at(0).migration;
  EXPECT_EQ(did.first_ns + did.again_ns, 960 * kUs);
  EXPECT_EQ(did.first_ns, did.again_ns) << "the same page twice";
  EXPECT_EQ(did.pieces_to_device, 2);
}

// Of two processes one was recorded to the end.
TEST(ProgramRows, WhereRecordingStoppedTheKernelsTimeUntilThenIsKnown) {
  ProgramTables tables;
  tables.allocations = {allocation(1, model::AllocationKind::managed, 0x10000, 0x2000, 0, std::nullopt)};
  using enum model::UnifiedMemoryEvent;
  tables.unified_memory = {moved(bytes_to_device, 0x10000, 4096, 50),
                           moved(bytes_to_host, 0x10000, 4096, 100)};
  const auto times = [&] {
    const Migration did = program_of(tables, {}, {}, CallStacks({})).migrations.at(0).migration;
    return std::pair(did.recorded_kernel_ns, did.kernel_ns);
  };
  tables.groups = {
      {.id = {1}, .process_id = {1}}, {.id = {2}, .process_id = {1}}, {.id = {3}, .process_id = {2}}};
  tables.pointers = {{.group_id = {1}, .memory = model::MemoryKind::managed},
                     {.group_id = {2}, .memory = model::MemoryKind::device},
                     {.group_id = {3}, .memory = model::MemoryKind::managed}};
  for (const std::int64_t group : {1, 2, 3})
    for (const std::int64_t start : {40, 100, 101})
      tables.launches.push_back({.group_id = {group}, .start_ns = start, .gpu_ns = 10});
  tables.launch_totals = {{.group_id = {1}, .launches = 7, .timed_launches = 2, .gpu_ns = 20},
                          {.group_id = {2}, .launches = 5}};
  EXPECT_EQ(times(), std::pair(std::int64_t{0}, std::int64_t{0}));
  tables.diagnostics = {
      {.process_id = model::ProcessId{1}, .origin = "unified_memory", .code = "records_dropped"}};
  EXPECT_EQ(times(), std::pair(std::int64_t{20}, std::int64_t{100}));
  tables.launches.push_back({.group_id = {1}, .start_ns = 200, .gpu_ns = 30});
  tables.launch_totals.front().timed_launches = tables.launch_totals.front().gpu_ns = 0;
  EXPECT_EQ(times(), std::pair(std::int64_t{20}, std::int64_t{60 + 7 * 20})) << "as those after the records";
}

TEST(ProgramRows, RangesKnowTheKernelsThatBeganInThem) {
  ProgramTables tables;
  tables.range_names = {{.id = {1}, .process_id = {1}, .domain = std::nullopt, .name = "step"}};
  const auto range = [](std::int64_t start, std::optional<std::int64_t> end) {
    model::Range row;
    row.process_id = {1};
    row.name_id = {1};
    row.start_ns = start;
    row.end_ns = end;
    return row;
  };
  tables.ranges = {range(0, 100), range(100, 200), range(200, std::nullopt)};
  tables.groups = {{.id = {1}, .process_id = {1}}, {.id = {2}, .process_id = {2}}};
  const auto launch = [](std::int64_t group, std::int64_t start) {
    model::Launch row;
    row.group_id = {group};
    row.start_ns = start;
    row.gpu_ns = 3;
    return row;
  };
  tables.launches = {launch(1, 0), launch(1, 99), launch(1, 150), launch(1, 500), launch(2, 10)};
  const auto rows = program_of(tables, {}, {}, CallStacks({})).ranges;
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].ranges, 3);
  EXPECT_EQ(rows[0].open, 1);
  EXPECT_EQ(rows[0].host_ns, 200);
  EXPECT_EQ(rows[0].launches, 3);
  EXPECT_EQ(rows[0].gpu_ns, 9);
}

TEST(ProgramRows, PlacesAreFunctionsOrOffsets) {
  ProgramTables tables;
  tables.allocations = {allocation(1, model::AllocationKind::device, 1, 20, 0, {}),
                        allocation(2, model::AllocationKind::device, 2, 10, 0, {})};
  tables.allocations[0].call_site_id = model::CallSiteId{1};
  tables.allocations[1].call_site_id = model::CallSiteId{2};
  tables.sites.sites = {{.id = {1}, .module = "/opt/bin/app", .symbol = "_ZN3app4loadEi"},
                        {.id = {2}, .module = "/opt/lib/libx.so", .module_offset = 0x40}};
  const auto sites = call_site_rows(tables.sites.sites, {});
  const auto rows = program_of(tables, {}, {}, CallStacks(sites)).largest;
  EXPECT_EQ(rows[0].place, "app::load (app)");
  EXPECT_EQ(rows[1].place, "libx.so+0x40");
}

// A kernel is listed when it copies asynchronously; TMA is named, because nothing else shows what it moves.
TEST(ProgramRows, AsynchronousCopiesAreThoseThatHappened) {
  using model::MetricId;
  std::vector<KernelRow> kernels(3);
  for (std::int64_t i = 0; i < 3; ++i) kernels[static_cast<std::size_t>(i)].id = i + 1;
  ReadingsByGroup readings;
  readings[{1}][MetricId::async_copy_requests] = {2, 0};
  readings[{2}][MetricId::async_copy_requests] = {2, 200};
  readings[{2}][MetricId::async_copy_bytes] = {2, 102'400};
  readings[{3}][MetricId::tma_instructions] = {1, 4};
  const Program program = program_of({}, kernels, readings, CallStacks({}));
  ASSERT_EQ(program.async_copies.size(), 2U);
  EXPECT_EQ(program.async_copies[0].kernel_id, 2);
  EXPECT_EQ(program.async_copies[0].bytes, 102'400);
  EXPECT_EQ(program.async_copies[0].tma_instructions, std::nullopt);
}

TEST(ProgramTables, OnlyThoseWithRowsAreShown) {
  Report report;
  EXPECT_TRUE(program_tables(report).empty());
  Program& program = report.program;
  program.waits.push_back({model::SynchronizationKind::stream, 5, 2'000'000, 1, 1'900'000});
  for (int i = 0; i < 50; ++i) program.pointers.push_back({});
  const auto tables = program_tables(report);
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_EQ(tables[0].rows.size(), 40U);
  EXPECT_EQ(tables[0].rows_in_all, 50U);
  EXPECT_EQ(tables[1].rows[0].front(), "stream");
  for (const auto& table : tables)
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.headings.size()) << table.id;
}

}  // namespace
}  // namespace coalescope::analysis
