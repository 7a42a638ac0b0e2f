#include "core/capture/seal.h"

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/capture/captures_test.h"
#include "core/capture/reader.h"

namespace coalescope::capture {
namespace {

using ::testing::HasSubstr;

TEST(Seal, LeavesOnePlainFile) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.coal");
  write_part(path, 1000, "kernel");
  expect_done(seal(path));
  expect_done(seal(path));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
  EXPECT_EQ(content(path).at(18), 1) << "the header still speaks of a log";
  EXPECT_EQ(Reader::open(path)->rows<model::Kernel>()->size(), 1U);
}

TEST(Seal, JoinsGroupsThatDoTheSame) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.coal");
  write_part(path, 1000, "kernel");
  {
    auto database = Database::open_writable(path);
    ASSERT_TRUE(database);
    expect_done(database->execute(R"(
      INSERT INTO kernel_group SELECT id + 10, process_id, device_id, kernel_id, grid_x, grid_y, grid_z, block_x, block_y,
        block_z, dynamic_shared_bytes, NULL, NULL, id FROM kernel_group;
      INSERT INTO launch VALUES (90, 11, 7, 100, 40, NULL, NULL), (91, 11, 7, 200, 40, NULL, NULL);
      DELETE FROM launch_total; DELETE FROM coverage;
      INSERT INTO launch_total VALUES (1, 5, 2, 80, 40), (11, 3, 1, 30, 30);
      INSERT INTO coverage VALUES (1, 0, 9, 0, 3), (11, 0, 5, 0, 3), (1, 1, 9, 0, 3), (11, 1, 5, 2, 0),
        (1, 2, 9, 0, 1), (11, 2, 5, 0, 2);)"));
  }
  expect_done(seal(path));
  auto reader = Reader::open(path);
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->rows<model::KernelGroup>()->size(), 1U);
  const auto launches = *reader->rows<model::Launch>();
  for (const auto& launch : launches) EXPECT_EQ(launch.group_id.value, 1);
  const auto totals = *reader->rows<model::LaunchTotal>();
  ASSERT_EQ(totals.size(), 1U);
  EXPECT_EQ(totals.front().launches, 8);
  EXPECT_EQ(totals.front().timed_launches, 3);
  EXPECT_EQ(totals.front().gpu_ns, 110);
  EXPECT_EQ(totals.front().shortest_gpu_ns, 30);
  const auto coverage = *reader->rows<model::Coverage>();
  ASSERT_EQ(coverage.size(), 2U) << "that of the trace is only for groups without times";
  EXPECT_EQ(coverage.front().launches_seen, 14);
  EXPECT_EQ(coverage.front().launches_measured, 2);
  EXPECT_EQ(coverage.front().reason, model::CoverageReason::measured);
  EXPECT_EQ(coverage.back().launches_seen, 14);
  EXPECT_EQ(coverage.back().reason, model::CoverageReason::budget_spent) << "14 launches are enough";
}

TEST(Seal, RefusesAFileThatIsStillOpenElsewhere) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.coal");
  auto writer = Writer::create(path);
  ASSERT_TRUE(writer);
  insert(*writer, model::Process{.id = {1}});
  expect_done(writer->commit());
  const auto sealed = seal(path);
  ASSERT_FALSE(sealed);
  EXPECT_EQ(sealed.error().code, base::ErrorCode::busy) << sealed.error().text();
  insert(*writer, model::Process{.id = {2}});
  expect_done(writer->commit());
}

TEST(Seal, TellsAFileThatIsWrittenFromOneThatWasLeft) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.part.coal");
  std::array<int, 2> ready{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    auto writer = Writer::create(path);
    const bool written = writer && writer->insert(model::Process{.id = {1}}) && writer->commit();
    (void)!::write(ready[1], written ? "y" : "n", 1);
    ::pause();
  }
  char answer = 0;
  ASSERT_EQ(::read(ready[0], &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  EXPECT_TRUE(is_open_elsewhere(path));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(is_open_elsewhere(path));
  EXPECT_EQ(Reader::open(path)->rows<model::Process>()->size(), 1U) << "its log is kept";
  EXPECT_FALSE(is_open_elsewhere(folder.file("absent")));
}

TEST(Seal, RefusesWhatIsNoCapture) {
  const TemporaryFolder folder;
  set_content(folder.file("notes.txt"), "my notes");
  EXPECT_FALSE(seal(folder.file("notes.txt")));
  EXPECT_EQ(content(folder.file("notes.txt")), "my notes");
}

// The plan of line_windows.sql rests on this index: without it every launch is looked at.
TEST(Seal, MakesTheIndexOfLaunchesInWindows) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.coal");
  write_part(path, 1000, "kernel");
  expect_done(seal(path));
  auto database = Database::open_read_only(path);
  EXPECT_EQ(database->integer("SELECT count(*) FROM sqlite_schema WHERE name = 'launch_by_window'"), 1);
}

}  // namespace
}  // namespace coalescope::capture
