#include "core/ring/note.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/capture/captures_test.h"

namespace coalescope::ring {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Note, IsReadAsItWasLeft) {
  const capture::TemporaryFolder folder;
  EXPECT_THAT(read_notes(folder.path()), IsEmpty());
  leave_note(folder.path(), "b", "the second");
  leave_note(folder.path(), "a", "the first: it's 100 % /not a path/");
  leave_note(folder.path(), "a", "nobody's");
  capture::set_content(folder.file("other.part.coal"), "no note");
  capture::set_content(folder.file("file.unrecorded"), "no link");
  EXPECT_THAT(read_notes(folder.path()), ElementsAre("the first: it's 100 % /not a path/", "the second"));
}

TEST(Note, TakesNoDescriptor) {
  const capture::TemporaryFolder folder;
  const rlimit none{0, 0};
  const pid_t child = fork();
  if (child == 0) {
    setrlimit(RLIMIT_NOFILE, &none);
    leave_note(folder.path(), "a", "left");
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  EXPECT_THAT(read_notes(folder.path()), ElementsAre("left"));
}

TEST(Note, WhereNoneCanBeLeftThereIsNone) {
  leave_note("/does/not/exist", "a", "text");
  EXPECT_THAT(read_notes("/does/not/exist"), IsEmpty());
}

TEST(Note, ALongOneIsCutOff) {
  const capture::TemporaryFolder folder;
  leave_note(folder.path(), "a", std::string(10'000, 'x'));
  ASSERT_EQ(read_notes(folder.path()).size(), 1U);
  EXPECT_GT(read_notes(folder.path()).front().size(), 1000U);
}

}  // namespace
}  // namespace coalescope::ring
