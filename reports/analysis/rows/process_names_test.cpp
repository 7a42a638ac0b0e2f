#include "reports/analysis/rows/process_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coalescope::analysis {
namespace {

using testing::ElementsAre;

model::Process process(std::int64_t id, std::int64_t pid, const std::string& host,
                       std::optional<std::int64_t> rank = std::nullopt) {
  model::Process row;
  row.id.value = id;
  row.pid = pid;
  row.host = host;
  row.rank = rank;
  return row;
}

TEST(ProcessNames, SayAsLittleAsTellsThemApart) {
  EXPECT_THAT(process_names(std::vector{process(1, 7, "a", 0), process(2, 7, "b", 1)}),
              ElementsAre("rank 0", "rank 1"));
  EXPECT_THAT(process_names(std::vector{process(1, 7, "a"), process(2, 8, "a")}),
              ElementsAre("process 7", "process 8"));
  EXPECT_THAT(process_names(std::vector{process(1, 7, "a", 0), process(2, 8, "a", 0)}),
              ElementsAre("rank 0, process 7", "rank 0, process 8"));
  EXPECT_THAT(process_names(std::vector{process(1, 7, "a"), process(2, 7, "b")}),
              ElementsAre("process 7 on a", "process 7 on b"));
  EXPECT_THAT(process_names(std::vector{process(1, 7, "a", 0), process(2, 8, "a")}),
              ElementsAre("rank 0", "process 8"));
}

TEST(ProcessNames, StandInTheKernelsOfSeveralProcessesOnly) {
  std::vector<KernelRow> kernels(2);
  kernels[0].name = kernels[1].name = "copy";
  kernels[0].process_id = kernels[1].process_id = 2;
  const std::vector processes{process(1, 7, "a", 0), process(2, 8, "a", 1)};
  name_processes(kernels, processes);
  EXPECT_EQ(kernels[0].name, "copy");
  kernels[0].process_id = 1;
  name_processes(kernels, processes);
  EXPECT_EQ(kernels[0].name, "rank 0: copy");
  EXPECT_EQ(kernels[1].name, "rank 1: copy");
}

}  // namespace
}  // namespace coalescope::analysis
