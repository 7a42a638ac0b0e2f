#include "injection/recorder/rank.h"

#include <gtest/gtest.h>
#include <map>

#include "injection/recorder/part_file.h"

namespace coalescope::recorder {
namespace {

Rank find(const std::map<std::string, std::string, std::less<>>& variables) {
  return find_rank([&](std::string_view name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

TEST(Rank, IsNotGuessedWithoutALauncher) {
  EXPECT_EQ(find({}).rank, std::nullopt);
  EXPECT_EQ(find({{"LOCAL_RANK", "1"}}).local_rank, std::nullopt);
}

TEST(Rank, IsWhatEachLauncherSays) {
  for (const auto& [rank, local] :
       std::map<std::string, std::string>{{"RANK", "LOCAL_RANK"},
                                          {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK"},
                                          {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_LOCAL_RANK"},
                                          {"PMI_RANK", "MPI_LOCALRANKID"},
                                          {"PALS_RANKID", "PALS_LOCAL_RANKID"},
                                          {"FLUX_TASK_RANK", "FLUX_TASK_LOCAL_ID"},
                                          {"SLURM_PROCID", "SLURM_LOCALID"}}) {
    const Rank found = find({{rank, "13"}, {local, "5"}});
    EXPECT_EQ(found.rank, 13) << rank;
    EXPECT_EQ(found.local_rank, 5) << local;
  }
  EXPECT_EQ(find({{"PMIX_RANK", "3"}}).rank, 3);
}

TEST(Rank, IsTheInnermostLaunchers) {
  const Rank found =
      find({{"SLURM_PROCID", "0"}, {"SLURM_LOCALID", "0"}, {"RANK", "7"}, {"LOCAL_RANK", "3"}});
  EXPECT_EQ(found.rank, 7);
  EXPECT_EQ(found.local_rank, 3);
  // One launcher's local rank does not belong to another's rank.
  EXPECT_EQ(find({{"PMIX_RANK", "2"}, {"SLURM_LOCALID", "1"}}).local_rank, std::nullopt);
}

TEST(Rank, IsANumberOrNothing) {
  for (const char* text : {"", "two", "-1", "1 ", "0x1", "99999999999999999999"})
    EXPECT_EQ(find({{"RANK", text}}).rank, std::nullopt) << text;
  EXPECT_EQ(find({{"RANK", "first"}, {"SLURM_PROCID", "4"}}).rank, 4);
}

TEST(Rank, StandsInTheNameOfThePart) {
  model::Process process;
  process.host = "node/7";
  process.pid = 42;
  process.began_ns = 99;
  EXPECT_EQ(part_name(process), "node_7-42-99");
  process.rank = 3;
  EXPECT_EQ(part_name(process), "node_7-42-rank3-99");
}

}  // namespace
}  // namespace coalescope::recorder
