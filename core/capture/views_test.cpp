// The joins of queries/*.sql, each against a capture small enough to add up by hand.
#include "core/capture/views.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

#include "core/capture/captures_test.h"
#include "core/capture/reader.h"
#include "core/capture/seal.h"

namespace coalescope::capture {
namespace {

using model::GroupId;
using model::MetricId;
using model::WindowId;
using ::testing::ElementsAre;

class ViewsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto created = Writer::create(path_);
    ASSERT_TRUE(created);
    writer_ = std::move(*created);
    insert(*writer_, model::Process{.id = {1}});
    insert(*writer_, model::Device{.id = {1}, .process_id = {1}});
    insert(*writer_,
           model::Kernel{.id = {1}, .process_id = {1}, .name = "first", .registers_per_thread = 32});
    insert(*writer_, model::Kernel{.id = {2}, .process_id = {1}, .name = "second"});
    for (const std::int64_t id : {1, 2})
      insert(*writer_,
             model::KernelGroup{.id = {id}, .process_id = {1}, .device_id = {1}, .kernel_id = {id}});
  }

  void launch(std::int64_t group, std::optional<std::int64_t> gpu_ns, std::optional<WindowId> window = {}) {
    insert(*writer_,
           model::Launch{.id = {++launches_}, .group_id = {group}, .gpu_ns = gpu_ns, .window_id = window});
  }

  Reader read() {
    expect_done(writer_->commit());
    writer_.reset();
    auto reader = Reader::open(path_);
    EXPECT_TRUE(reader) << reader.error().text();
    return std::move(*reader);
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.file("x.coal");
  std::optional<Writer> writer_;
  std::int64_t launches_ = 0;
};

TEST_F(ViewsTest, GroupsComeWithTheMiddleOfTheirTimes) {
  for (const std::int64_t gpu_ns : {5, 100, 7}) launch(1, gpu_ns);
  for (const std::int64_t gpu_ns : {4000, 1000, 3000, 2000}) launch(2, gpu_ns);
  const auto groups = read().groups();
  ASSERT_TRUE(groups) << groups.error().text();
  ASSERT_EQ(groups->size(), 2U);
  const GroupView& second = groups->front();
  EXPECT_EQ(second.kernel_name, "second") << "most time first";
  EXPECT_EQ(second.registers_per_thread, std::nullopt);
  EXPECT_EQ(second.median_gpu_ns, 2500);
  EXPECT_EQ(second.timed_gpu_ns, 10000);
  EXPECT_EQ(second.shortest_gpu_ns, 1000);
  const GroupView& first = groups->back();
  EXPECT_EQ(first.registers_per_thread, 32);
  EXPECT_THAT(first.grid, ElementsAre(1, 1, 1));
  EXPECT_EQ(first.median_gpu_ns, 7);
  EXPECT_EQ(first.launches, 3);
}

TEST_F(ViewsTest, LaunchesThatWereNotListedCount) {
  for (const std::int64_t gpu_ns : {5, 100, 7}) launch(1, gpu_ns);
  insert(*writer_, model::LaunchTotal{{1}, 1000, 50, 400, 4});
  insert(*writer_, model::LaunchTotal{{2}, 20, 10, 1000, 90});
  const auto groups = read().groups();
  ASSERT_EQ(groups->size(), 2U);
  const GroupView& second = groups->front();
  EXPECT_EQ(second.launches, 20);
  EXPECT_EQ(second.counted_launches, 10);
  EXPECT_EQ(second.median_gpu_ns, 100) << "of launches that are not listed only the mean is known";
  const GroupView& first = groups->back();
  EXPECT_EQ(first.launches, 1003);
  EXPECT_EQ(first.timed_launches, 53);
  EXPECT_EQ(first.counted_launches, 950);
  EXPECT_EQ(first.timed_gpu_ns, 512);
  EXPECT_EQ(first.median_gpu_ns, 7);
  EXPECT_EQ(first.shortest_gpu_ns, 4);
}

// A launch in a window was slowed down by what counted it.
TEST_F(ViewsTest, TimesInWindowsAreNotTheGroups) {
  launch(1, 10);
  launch(1, 9999, WindowId{1});
  launch(1, std::nullopt, WindowId{1});
  launch(2, 500, WindowId{1});
  const auto groups = read().groups();
  ASSERT_EQ(groups->size(), 2U);
  EXPECT_EQ(groups->front().launches, 3);
  EXPECT_EQ(groups->front().timed_launches, 1);
  EXPECT_EQ(groups->front().median_gpu_ns, 10);
  EXPECT_EQ(groups->back().launches, 1);
  EXPECT_EQ(groups->back().timed_launches, 0);
  EXPECT_EQ(groups->back().timed_gpu_ns, std::nullopt);
  EXPECT_EQ(groups->back().median_gpu_ns, std::nullopt);
  EXPECT_EQ(groups->back().shortest_gpu_ns, std::nullopt);
}

TEST_F(ViewsTest, AGroupWithoutItsKernelIsDamage) {
  insert(*writer_, model::KernelGroup{.id = {3}, .process_id = {1}, .device_id = {1}, .kernel_id = {9}});
  const auto groups = read().groups();
  ASSERT_FALSE(groups);
  EXPECT_EQ(groups.error().code, base::ErrorCode::damaged);
}

TEST_F(ViewsTest, ReadingsAddUpOverTheLaunchesThatHaveThem) {
  for (int i = 0; i < 3; ++i) launch(1, std::nullopt, WindowId{1});
  insert(*writer_, model::Reading{{1}, MetricId::global_load_bytes, 100});
  insert(*writer_, model::Reading{{2}, MetricId::global_load_bytes, 20});
  insert(*writer_, model::Reading{{2}, MetricId::global_load_sectors, 0});
  const auto readings = read().readings();
  ASSERT_TRUE(readings) << readings.error().text();
  ASSERT_EQ(readings->size(), 1U);
  const GroupReadings& group = readings->at(GroupId{1});
  ASSERT_EQ(group.size(), 2U);
  EXPECT_EQ(group.at(MetricId::global_load_bytes).launches, 2);
  EXPECT_EQ(group.at(MetricId::global_load_bytes).sum, 120);
  EXPECT_LE(group.at(MetricId::global_load_bytes).least, 60);
  EXPECT_GE(group.at(MetricId::global_load_bytes).greatest, 60);
  EXPECT_EQ(group.at(MetricId::global_load_sectors).launches, 1) << "a measured zero";
  EXPECT_EQ(group.at(MetricId::global_load_sectors).sum, 0);
}

TEST_F(ViewsTest, ASumOfReadingsThatDoesNotFitIsDamage) {
  for (const std::int64_t id : {1, 2}) {
    launch(1, std::nullopt, WindowId{1});
    insert(*writer_,
           model::Reading{{id}, MetricId::global_load_bytes, std::numeric_limits<std::int64_t>::max()});
  }
  const auto readings = read().readings();
  ASSERT_FALSE(readings);
  EXPECT_EQ(readings.error().code, base::ErrorCode::damaged);
}

class InstructionViewsTest : public ViewsTest {
 protected:
  void SetUp() override {
    ViewsTest::SetUp();
    for (const MetricId id : {MetricId::instruction_sectors, MetricId::instruction_ideal_sectors,
                              MetricId::instruction_loads, MetricId::instruction_stores})
      insert(*writer_, model::MetricUsed{.id = id, .key = std::string(model::metric(id).key)});
    insert(*writer_, model::Instruction{.id = {1}, .kernel_id = {1}, .module_crc = 5, .pc_offset = 16});
    insert(*writer_, model::Instruction{.id = {2}, .kernel_id = {1}, .module_crc = 5, .pc_offset = 32});
  }
  void window(std::int64_t id, model::Phase phase = model::Phase::lines,
              model::CoverageReason outcome = model::CoverageReason::measured) {
    insert(*writer_, model::PhaseWindow{.id = {id}, .process_id = {1}, .phase = phase, .outcome = outcome});
  }
  void count(std::int64_t window, std::int64_t instruction, MetricId metric, std::int64_t value) {
    insert(*writer_, model::InstructionReading{{window}, {instruction}, metric, value});
  }
};

TEST_F(InstructionViewsTest, AddUpOverTheWindowsOfTheGroup) {
  window(1);
  window(2);
  launch(1, std::nullopt, WindowId{1});
  launch(1, std::nullopt, WindowId{2});
  count(1, 1, MetricId::instruction_sectors, 32);
  count(2, 1, MetricId::instruction_sectors, 30);
  count(2, 1, MetricId::instruction_loads, 0);
  count(2, 2, MetricId::instruction_ideal_sectors, 4);
  const auto rows = read().instructions();
  ASSERT_TRUE(rows) << rows.error().text();
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ(rows->front().sectors, 62);
  EXPECT_EQ(rows->front().loads, 0) << "a measured zero";
  EXPECT_EQ(rows->front().ideal_sectors, std::nullopt);
  EXPECT_EQ(rows->front().launches, 2);
  EXPECT_EQ(rows->back().pc_offset, 32);
  EXPECT_EQ(rows->back().launches, 2) << "it did not run in the first window, but was watched";
}

TEST_F(InstructionViewsTest, LeaveOutOtherWindowsAndWhatCannotBeToldApart) {
  insert(*writer_, model::KernelGroup{.id = {3}, .process_id = {1}, .device_id = {1}, .kernel_id = {1}});
  window(1, model::Phase::lines, model::CoverageReason::window_discarded);
  window(2, model::Phase::bytes);
  window(3);  // two shapes of one kernel
  launch(1, std::nullopt, WindowId{1});
  launch(1, std::nullopt, WindowId{2});
  launch(1, std::nullopt, WindowId{3});
  launch(3, std::nullopt, WindowId{3});
  for (const std::int64_t id : {1, 2, 3}) count(id, 1, MetricId::instruction_sectors, 8);
  const auto rows = read().instructions();
  ASSERT_TRUE(rows) << rows.error().text();
  EXPECT_EQ(rows->size(), 0U);
}

TEST_F(InstructionViewsTest, ASumThatDoesNotFitIsDamage) {
  for (const std::int64_t id : {1, 2}) {
    window(id);
    launch(1, std::nullopt, WindowId{id});
    count(id, 1, MetricId::instruction_sectors, std::numeric_limits<std::int64_t>::max());
  }
  const auto rows = read().instructions();
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().code, base::ErrorCode::damaged);
}

// The nodes of a graph share a window: each kernel's instructions are its own.
TEST_F(InstructionViewsTest, TellTheKernelsOfOneWindowApart) {
  insert(*writer_, model::Instruction{.id = {3}, .kernel_id = {2}, .pc_offset = 64});
  window(1);
  for (int i = 0; i < 3; ++i) launch(1, std::nullopt, WindowId{1});
  launch(2, std::nullopt, WindowId{1});
  count(1, 1, MetricId::instruction_sectors, 30);
  count(1, 3, MetricId::instruction_sectors, 7);
  const auto rows = read().instructions();
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ(rows->front().group_id, GroupId{1});
  EXPECT_EQ(rows->front().launches, 3);
  EXPECT_EQ(rows->back().group_id, GroupId{2});
  EXPECT_EQ(rows->back().sectors, 7);
  EXPECT_EQ(rows->back().launches, 1);
}

TEST_F(ViewsTest, TransfersFallIntoClassesOfSize) {
  std::int64_t id = 0;
  for (const std::int64_t bytes : {0, 1, 3, 4, 15, 16, 63, 64, 255, 256})
    insert(*writer_, model::Transfer{.id = ++id, .device_id = {1}, .bytes = bytes, .gpu_ns = id});
  insert(*writer_, model::Transfer{.id = ++id, .device_id = {1}, .bytes = 256, .gpu_ns = 1000});
  insert(*writer_,
         model::Transfer{.id = ++id, .device_id = {1}, .bytes = 256, .gpu_ns = 1, .asynchronous = true});
  const auto rows = read().transfers();
  ASSERT_TRUE(rows) << rows.error().text();
  std::vector<std::array<std::int64_t, 5>> found;
  for (const TransferView& row : *rows)
    found.push_back({row.smallest_bytes, row.largest_bytes, row.transfers, row.bytes, row.gpu_ns});
  using Row = std::array<std::int64_t, 5>;
  EXPECT_THAT(found, ElementsAre(Row{256, 256, 2, 512, 1010}, Row{64, 255, 2, 319, 17},
                                 Row{16, 63, 2, 79, 13}, Row{4, 15, 2, 19, 9}, Row{1, 3, 2, 4, 5},
                                 Row{0, 0, 1, 0, 1}, Row{256, 256, 1, 256, 1}));
  EXPECT_TRUE(rows->back().asynchronous);
}

// As CUPTI records some memory sets.
TEST_F(ViewsTest, SetsWithoutATimeAreAClassOfTheirOwn) {
  model::Transfer set{.id = 1, .device_id = {1}, .direction = model::Direction::set, .bytes = 256};
  set.start_ns = 5;
  set.gpu_ns = 7;
  insert(*writer_, set);
  set.id = 2;
  set.start_ns = -1'795'231'104'210'405'274;
  set.gpu_ns = 0;
  insert(*writer_, set);
  Reader reader = read();
  const auto rows = reader.transfers();
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ(rows->front().gpu_ns, 7);
  EXPECT_EQ(rows->front().transfers, 1);
  EXPECT_EQ(rows->back().gpu_ns, 0);
  const auto places = reader.transfer_places();
  ASSERT_EQ(places->size(), 1U);
  EXPECT_EQ(places->front().start_ns, 5);
}

TEST_F(ViewsTest, TransfersThatWereNotListedAreInTheirClass) {
  insert(*writer_, model::Transfer{.id = 1, .device_id = {1}, .bytes = 100, .gpu_ns = 7});
  model::TransferTotal total{.process_id = {1}, .device_id = {1}};
  total.size_class = model::size_class(200);
  total.transfers = 10;
  total.bytes = 1500;
  total.smallest_bytes = 70;
  total.largest_bytes = 200;
  total.gpu_ns = 50;
  insert(*writer_, total);
  const auto rows = read().transfers();
  ASSERT_EQ(rows->size(), 1U);
  EXPECT_EQ(rows->front().transfers, 11);
  EXPECT_EQ(rows->front().bytes, 1600);
  EXPECT_EQ(rows->front().smallest_bytes, 70);
  EXPECT_EQ(rows->front().largest_bytes, 200);
  EXPECT_EQ(rows->front().gpu_ns, 57);
}

// Of one class: ten transfers that took 50 ns, and four without a time.
void insert_ten_and_four_untimed(Writer& writer, model::Direction direction) {
  model::TransferTotal total{.process_id = {1}, .device_id = {1}};
  total.direction = direction;
  total.transfers = 10;
  total.bytes = 1500;
  total.gpu_ns = 50;
  insert(writer, total);
  total.timed = false;
  total.transfers = 4;
  total.gpu_ns = 0;
  insert(writer, total);
}

TEST_F(ViewsTest, OfSetsThatWereNotListedThoseWithoutATimeAreApart) {
  insert_ten_and_four_untimed(*writer_, model::Direction::set);
  const auto rows = read().transfers();
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ(rows->front().transfers, 10);
  EXPECT_EQ(rows->back().transfers, 4);
  EXPECT_EQ(rows->back().gpu_ns, 0);
}

TEST_F(ViewsTest, CopiesThatWereOnlyCountedAreLikeTheOthersOfTheirClass) {
  insert_ten_and_four_untimed(*writer_, model::Direction::host_to_device);
  const auto rows = read().transfers();
  ASSERT_EQ(rows->size(), 1U);
  EXPECT_EQ(rows->front().transfers, 14);
  EXPECT_EQ(rows->front().timed, 10);
  EXPECT_EQ(rows->front().gpu_ns, 70);
}

TEST_F(ViewsTest, WindowsAddUpByPhaseAndOutcome) {
  using model::CoverageReason;
  using model::Phase;
  insert(*writer_, model::PhaseWindow{{1}, {1}, Phase::bytes, 0, 9, 3, 100, CoverageReason::measured, 40});
  insert(*writer_, model::PhaseWindow{{2}, {1}, Phase::bytes, 0, 9, 4, 200, CoverageReason::measured, 2});
  insert(*writer_, model::PhaseWindow{{3}, {1}, Phase::bytes, 0, 9, 5, 50, CoverageReason::window_discarded});
  const auto rows = read().windows();
  ASSERT_TRUE(rows) << rows.error().text();
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ(rows->front().windows, 2);
  EXPECT_EQ(rows->front().launches, 7);
  EXPECT_EQ(rows->front().cost_ns, 300);
  EXPECT_EQ(rows->front().launches_cost_ns, 42);
  EXPECT_EQ(rows->back().outcome, CoverageReason::window_discarded);
  EXPECT_EQ(rows->back().launches_cost_ns, std::nullopt);
}

}  // namespace
}  // namespace coalescope::capture
