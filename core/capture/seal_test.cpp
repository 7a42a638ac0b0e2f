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
