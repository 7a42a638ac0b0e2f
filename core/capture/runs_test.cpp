#include "core/capture/runs.h"

#include <gtest/gtest.h>
#include <vector>

#include "core/capture/captures_test.h"
#include "core/capture/merge.h"
#include "core/capture/reader.h"

namespace coalescope::capture {
namespace {

using model::CoverageReason;
using model::MetricId;
using model::Phase;

// One process of one run: kernel "k" in one shape, a traced and a measured launch, a copy.
struct Part {
  std::int64_t run = 0;
  Phase phase = Phase::trace;
  MetricId metric{};
  std::int64_t value = 0;
  std::optional<std::int64_t> rank;
  std::string kernel = "k";
};

void write(const std::string& path, const Part& part) {
  auto writer = Writer::create(path);
  ASSERT_TRUE(writer) << writer.error().text();
  insert(*writer, model::Capture{.started_unix_ns = 1'000 * (part.run + 1)});
  model::Process process{.id = {1}, .pid = 50 + part.run, .host = "h", .executable = "/app"};
  process.run = part.run;
  process.rank = part.rank;
  insert(*writer, process);
  insert(*writer, model::Device{.id = {1}, .process_id = {1}});
  // Another order in each run, so that ids differ from one to the next.
  const std::int64_t id = 1 + part.run % 2;
  insert(*writer, model::Kernel{.id = {3 - id}, .process_id = {1}, .name = "other"});
  insert(*writer, model::Kernel{.id = {id}, .process_id = {1}, .name = part.kernel});
  insert(*writer,
         model::KernelGroup{.id = {id}, .process_id = {1}, .device_id = {1}, .kernel_id = {id}, .grid_x = 8});
  insert(*writer,
         model::Launch{.id = {1}, .group_id = {id}, .start_ns = 100, .gpu_ns = 40 + 1000 * part.run});
  insert(*writer, model::Transfer{.id = 1, .process_id = {1}, .device_id = {1}, .bytes = 64, .gpu_ns = 5});
  for (const Phase phase : {Phase::bytes, Phase::lines}) {
    const bool measured = phase == part.phase;
    insert(*writer,
           model::Coverage{.group_id = {id},
                           .phase = phase,
                           .launches_seen = 1,
                           .launches_measured = measured ? 1 : 0,
                           .reason = measured ? CoverageReason::measured : CoverageReason::phase_off});
  }
  if (part.phase != Phase::trace) {
    insert(*writer, model::PhaseWindow{.id = {1}, .process_id = {1}, .phase = part.phase, .launches = 1});
    insert(*writer, model::Launch{.id = {2}, .group_id = {id}, .window_id = model::WindowId{1}});
  }
  if (part.phase == Phase::bytes) {
    insert(*writer, model::MetricUsed{.id = part.metric, .key = "global_load_bytes"});
    insert(*writer, model::Reading{.launch_id = {2}, .metric_id = part.metric, .value = part.value});
  }
  if (part.phase == Phase::lines) {
    insert(*writer, model::MetricUsed{.id = MetricId::instruction_sectors, .key = "instruction_sectors"});
    insert(*writer, model::Instruction{.id = {1}, .kernel_id = {id}, .module_crc = 9, .pc_offset = 16});
    insert(*writer, model::InstructionReading{{1}, {1}, MetricId::instruction_sectors, part.value});
  }
  expect_done(writer->commit());
}

class Runs : public testing::Test {
 protected:
  Reader united(const std::vector<Part>& parts) {
    const std::string all = folder_.file("all.coal");
    {
      auto writer = Writer::create(all);
      insert(*writer, model::Capture{.started_unix_ns = 1'000});
      expect_done(writer->commit());
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::string path = folder_.file(std::to_string(i) + ".part.coal");
      write(path, parts[i]);
      expect_done(merge_into(all, path));
    }
    return std::move(Reader::open(all).value());
  }
  TemporaryFolder folder_;
};

const Part kFirst{};
const Part kBytes{.run = 1, .phase = Phase::bytes, .metric = MetricId::global_load_bytes, .value = 512};
const Part kLines{.run = 2, .phase = Phase::lines, .value = 7};

TEST_F(Runs, LeaveACaptureOfOneRunAlone) {
  Reader reader = united({kFirst});
  EXPECT_EQ(reader.runs().runs, 1);
  EXPECT_EQ(reader.groups().value().size(), 1U);
  EXPECT_EQ(reader.rows<model::Launch>().value().size(), 1U);
}

TEST_F(Runs, CountAndTimeTheFirstOnly) {
  Reader reader = united({kFirst, kBytes, kLines});
  EXPECT_EQ(reader.runs().runs, 3);
  EXPECT_EQ(reader.runs().groups_only_later, 0);
  EXPECT_EQ(reader.rows<model::Process>().value().size(), 1U);
  EXPECT_EQ(reader.rows<model::Device>().value().size(), 1U);
  const auto groups = reader.groups().value();
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].launches, 1);
  EXPECT_EQ(groups[0].timed_launches, 1);
  EXPECT_EQ(groups[0].timed_gpu_ns, 40);
  const auto transfers = reader.transfers().value();
  ASSERT_EQ(transfers.size(), 1U);
  EXPECT_EQ(transfers[0].transfers, 1);
}

TEST_F(Runs, GiveTheirReadingsToTheFirst) {
  Reader reader = united({kFirst, kBytes, kLines});
  const auto group = reader.groups().value().at(0);
  const auto readings = reader.readings().value();
  ASSERT_EQ(readings.size(), 1U);
  const auto sum = readings.at(group.group_id).at(MetricId::global_load_bytes);
  EXPECT_EQ(sum.launches, 1);
  EXPECT_EQ(sum.sum, 512);
  const auto instructions = reader.instructions().value();
  ASSERT_EQ(instructions.size(), 1U);
  EXPECT_EQ(instructions[0].group_id, group.group_id);
  EXPECT_EQ(instructions[0].kernel_id, group.kernel_id);
  EXPECT_EQ(instructions[0].sectors, 7);
}

TEST_F(Runs, SayWhatTheyMeasuredTogether) {
  Reader reader = united({kFirst, kBytes});
  const auto coverage = reader.rows<model::Coverage>().value();
  ASSERT_EQ(coverage.size(), 2U);
  EXPECT_EQ(coverage[0].phase, Phase::bytes);
  EXPECT_EQ(coverage[0].launches_seen, 1);
  EXPECT_EQ(coverage[0].launches_measured, 1);
  EXPECT_EQ(coverage[0].reason, CoverageReason::measured);
  EXPECT_EQ(coverage[1].reason, CoverageReason::phase_off);
}

TEST_F(Runs, KeepRanksApart) {
  Part first1 = kFirst;
  first1.rank = 1;
  Part first0 = kFirst;
  first0.rank = 0;
  Part bytes0 = kBytes;
  bytes0.rank = 0;
  bytes0.value = 100;
  Part bytes1 = kBytes;
  bytes1.rank = 1;
  bytes1.value = 200;
  Reader reader = united({first1, first0, bytes0, bytes1});
  std::map<std::optional<std::int64_t>, std::int64_t> bytes_of_rank;
  std::map<std::int64_t, std::optional<std::int64_t>> ranks;
  const auto processes = reader.rows<model::Process>().value();
  for (const auto& process : processes) ranks[process.id.value] = process.rank;
  const auto readings = reader.readings().value();
  const auto groups = reader.groups().value();
  for (const auto& group : groups)
    bytes_of_rank[ranks[group.process_id.value]] =
        readings.at(group.group_id).at(MetricId::global_load_bytes).sum;
  EXPECT_EQ(bytes_of_rank, (std::map<std::optional<std::int64_t>, std::int64_t>{{0, 100}, {1, 200}}));
}

TEST_F(Runs, LeaveOutAndCountWhatTheFirstDidNotLaunch) {
  Part other = kBytes;
  other.kernel = "another";
  Reader reader = united({kFirst, other});
  EXPECT_EQ(reader.runs().groups_only_later, 1);
  const auto groups = reader.groups().value();
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].kernel_name, "k");
  EXPECT_TRUE(reader.readings().value().empty());
}

}  // namespace
}  // namespace coalescope::capture
