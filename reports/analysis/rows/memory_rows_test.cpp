#include "reports/analysis/rows/memory_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/analysis/rows/time_line.h"

namespace coalescope::analysis {
namespace {

using testing::ElementsAre;
using testing::Pair;

model::Allocation allocation(std::int64_t bytes, std::int64_t allocated_ns,
                             std::optional<std::int64_t> freed_ns, std::int64_t site = 1) {
  model::Allocation row;
  row.kind = model::AllocationKind::device;
  row.device_id = model::DeviceId{1};
  row.bytes = bytes;
  row.allocated_ns = allocated_ns;
  row.freed_ns = freed_ns;
  row.call_site_id = model::CallSiteId{site};
  return row;
}

std::vector<std::pair<std::int64_t, std::int64_t>> pairs(const MemoryCourse& course) {
  std::vector<std::pair<std::int64_t, std::int64_t>> all;
  for (const auto& step : course.steps) all.emplace_back(step.at_ns, step.bytes);
  return all;
}

TEST(MemoryCourse, FollowsAllocationsAndFrees) {
  const std::vector<model::Allocation> rows{allocation(100, 10, 30), allocation(50, 20, std::nullopt),
                                            allocation(70, 30, 40)};
  const auto courses = memory_courses(rows);
  ASSERT_EQ(courses.size(), 1U);
  EXPECT_THAT(pairs(courses[0]), ElementsAre(Pair(10, 100), Pair(20, 150), Pair(30, 120), Pair(40, 50)));
}

TEST(MemoryCourse, ManyChangesKeepTheirHighestAndTheirLast) {
  std::vector<model::Allocation> rows;
  for (std::int64_t at = 0; at < 10'000; ++at)
    rows.push_back(allocation(at == 5'000 ? 900 : 10, 2 * at, 2 * at + 1));
  const auto courses = memory_courses(rows);
  ASSERT_EQ(courses.size(), 1U);
  const auto& steps = courses[0].steps;
  EXPECT_LE(steps.size(), 2 * static_cast<std::size_t>(kTimeBins));
  EXPECT_EQ(std::ranges::max_element(steps, {}, &LiveBytes::bytes)->bytes, 900);
  EXPECT_EQ(steps.back().bytes, 0);
}

TEST(MemoryCourse, HostMemoryIsApart) {
  std::vector<model::Allocation> rows{allocation(100, 10, 30), allocation(8, 10, 30)};
  rows[1].device_id = std::nullopt;
  EXPECT_EQ(memory_courses(rows).size(), 2U);
}

TEST(AllocationPlaces, AddUpByThePlaceThatAsked) {
  const std::vector<model::Allocation> rows{allocation(100, 10, 20, 1), allocation(100, 20, 30, 2),
                                            allocation(150, 10, std::nullopt, 3), allocation(5, 1, 2, 9)};
  const auto places = allocation_places(rows, [](const model::Allocation& row) -> std::optional<std::string> {
    if (row.call_site_id->value == 9) return std::nullopt;
    return row.call_site_id->value < 3 ? "loop.cu:4 step()" : "main.cu:9 main()";
  });
  ASSERT_EQ(places.size(), 3U);
  EXPECT_EQ(places[0].place, "main.cu:9 main()");
  EXPECT_EQ(places[1].place, "loop.cu:4 step()");
  EXPECT_EQ(places[1].allocations, 2);
  EXPECT_EQ(places[1].bytes, 200);
  EXPECT_EQ(places[1].most_bytes, 100) << "the first is freed when the second comes";
  EXPECT_EQ(places[1].freed, 2);
  EXPECT_EQ(places[2].place, std::nullopt);
}

}  // namespace
}  // namespace coalescope::analysis
