#include "tool/program.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace coalescope::tool {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;

class FindProgram : public testing::Test {
 protected:
  FindProgram()
      : folder_(fs::path(testing::TempDir()) / ("coalescope-find_program-" + std::to_string(::getpid()))),
        path_(std::getenv("PATH")) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "first" / "tool");  // a folder called like the program
    fs::create_directories(folder_ / "second");
    put("second/tool", true);
    put("second/notes", false);
    const std::string path = (folder_ / "first").string() + ":" + (folder_ / "second").string();
    ::setenv("PATH", path.c_str(), 1);
  }
  ~FindProgram() override {
    ::setenv("PATH", path_.c_str(), 1);
    fs::remove_all(folder_);
  }

  void put(const std::string& name, bool executable) const {
    std::ofstream(folder_ / name) << "#!/bin/sh\n";
    if (executable) fs::permissions(folder_ / name, fs::perms::owner_all);
  }

  fs::path folder_;
  std::string path_;
};

TEST_F(FindProgram, TakesTheFirstExecutableInPath) {
  EXPECT_EQ(find_program("tool").value(), folder_ / "second" / "tool");
}

TEST_F(FindProgram, TakesANameWithASlashAsItIs) {
  const std::string path = (folder_ / "second" / "tool").string();
  EXPECT_EQ(find_program(path).value(), path);
}

TEST_F(FindProgram, TellsWhatIsNotThereFromWhatCannotRun) {
  EXPECT_EQ(find_program("absent").error().code, ErrorCode::not_found);
  EXPECT_EQ(find_program("").error().code, ErrorCode::not_found);
  EXPECT_EQ(find_program("./absent").error().code, ErrorCode::not_found);
  EXPECT_EQ(find_program("notes").error().code, ErrorCode::not_permitted);
  EXPECT_EQ(find_program(folder_.string()).error().code, ErrorCode::not_permitted);
}

TEST_F(FindProgram, SearchesTheUsualFoldersWithoutPath) {
  ::unsetenv("PATH");
  EXPECT_TRUE(find_program("sh").has_value());
}

TEST_F(FindProgram, AnEmptyEntryIsTheCurrentFolder) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_ / "second");
  ::setenv("PATH", "/absent:", 1);
  EXPECT_TRUE(find_program("tool").has_value());
  fs::current_path(before);
}

TEST(FindCompanion, SaysWhatToDoWhenItIsMissing) {
  const auto companion = find_companion("no_such_companion");
  ASSERT_FALSE(companion.has_value());
  EXPECT_EQ(companion.error().code, ErrorCode::not_found);
  EXPECT_NE(companion.error().remedy.find("CUDA Toolkit"), std::string::npos);
}

}  // namespace
}  // namespace coalescope::tool
