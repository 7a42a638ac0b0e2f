#include "tool/workspace.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/capture/writer.h"

namespace coalescope::tool {
namespace {

namespace fs = std::filesystem;

class WorkspaceTest : public testing::Test {
 protected:
  WorkspaceTest()
      : folder_(fs::path(testing::TempDir()) / ("coalescope-workspace-" + std::to_string(::getpid()))),
        before_(fs::current_path()) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    fs::current_path(folder_);
  }
  ~WorkspaceTest() override {
    fs::current_path(before_);
    fs::remove_all(folder_);
  }

  static void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }
  static std::string read(const fs::path& path) {
    std::ifstream stream(path);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  static std::size_t files() {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator("."), fs::directory_iterator()));
  }

  fs::path folder_;
  fs::path before_;
};

TEST_F(WorkspaceTest, PublishesTheDraftAndLeavesNothingElse) {
  {
    auto workspace = Workspace::make("x.coal", "program");
    ASSERT_TRUE(workspace.has_value());
    EXPECT_TRUE(workspace->folder().is_absolute());
    write(workspace->draft(), "content");
    EXPECT_EQ(workspace->publish().value(), "x.coal");
  }
  EXPECT_EQ(read("x.coal"), "content");
  EXPECT_EQ(files(), 1U);
}

TEST_F(WorkspaceTest, LeavesAnOlderCaptureAloneUntilTheEnd) {
  ASSERT_TRUE(capture::Writer::create("x.coal").has_value());
  const auto bytes = fs::file_size("x.coal");
  {
    auto workspace = Workspace::make("x.coal", "program");
    ASSERT_TRUE(workspace.has_value());
    EXPECT_FALSE(workspace->publish().has_value());  // there is no draft
  }
  EXPECT_EQ(fs::file_size("x.coal"), bytes);
  EXPECT_EQ(files(), 1U);
}

TEST_F(WorkspaceTest, RefusesToReplaceWhatIsNoCapture) {
  write("thesis.txt", "years of work");
  const auto workspace = Workspace::make("thesis.txt", "program");
  ASSERT_FALSE(workspace.has_value());
  EXPECT_EQ(workspace.error().code, base::ErrorCode::usage);
  EXPECT_EQ(read("thesis.txt"), "years of work");
  EXPECT_TRUE(Workspace::make("thesis.txt", "program", true).has_value());
}

TEST_F(WorkspaceTest, WritesWhereALinkLeadsAndIntoPipes) {
  fs::create_directory("real");
  fs::create_symlink("real/x.coal", "link.coal");
  {
    auto workspace = Workspace::make("link.coal", "program");
    ASSERT_TRUE(workspace.has_value());
    write(workspace->draft(), "content");
    EXPECT_EQ(workspace->publish().value(), "link.coal");
  }
  EXPECT_TRUE(fs::is_symlink("link.coal"));
  EXPECT_EQ(read("real/x.coal"), "content");
  {
    auto workspace = Workspace::make("/dev/null", "program");
    ASSERT_TRUE(workspace.has_value());
    write(workspace->draft(), "content");
    EXPECT_EQ(workspace->publish().value(), "/dev/null");
  }
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

// The program that is recorded may write a file of the name that its capture was to have.
TEST_F(WorkspaceTest, LeavesAFileThatCameMeanwhile) {
  auto workspace = Workspace::make("x.coal", "program");
  ASSERT_TRUE(workspace.has_value());
  write(workspace->draft(), "content");
  write("x.coal", "of the program");
  EXPECT_EQ(workspace->publish().value(), "x-2.coal");
  EXPECT_EQ(read("x.coal"), "of the program");
  EXPECT_EQ(read("x-2.coal"), "content");
}

TEST_F(WorkspaceTest, ReplacesAnEmptyFile) {
  write("made_by_mktemp", "");
  EXPECT_TRUE(Workspace::make("made_by_mktemp", "program").has_value());
}

TEST_F(WorkspaceTest, RefusesFoldersAndWhatIsUnderAFile) {
  write("file", "");
  for (const char* path : {".", "./", "file/x.coal", "absent/x.coal", "/proc/x.coal", ""})
    EXPECT_FALSE(Workspace::make(path, "program").has_value()) << path;
}

TEST_F(WorkspaceTest, DatesACaptureWithoutAName) {
  auto workspace = Workspace::make(std::nullopt, "/usr/bin/program");
  ASSERT_TRUE(workspace.has_value());
  write(workspace->draft(), "");
  EXPECT_THAT(workspace->publish().value(), testing::MatchesRegex("program-[0-9]{8}-[0-9]{6}\\.coal"));
}

TEST_F(WorkspaceTest, NumbersADatedNameThatIsTaken) {
  auto first = Workspace::make(std::nullopt, "program");
  auto second = Workspace::make(std::nullopt, "program");  // within the second, or the names differ anyway
  ASSERT_TRUE(first.has_value() && second.has_value());
  write(first->draft(), "1");
  write(second->draft(), "2");
  const std::string first_name = first->publish().value();
  const std::string second_name = second->publish().value();
  EXPECT_NE(first_name, second_name);
  EXPECT_EQ(read(first_name), "1");
  EXPECT_EQ(read(second_name), "2");
}

TEST_F(WorkspaceTest, KeepsTheFolderWhenAsked) {
  {
    auto workspace = Workspace::make("x.coal", "program");
    ASSERT_TRUE(workspace.has_value());
    workspace->keep();
  }
  EXPECT_EQ(files(), 1U);
}

}  // namespace
}  // namespace coalescope::tool
