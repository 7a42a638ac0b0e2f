#include "tool/recording_mark.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace coalescope::tool {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;

class RecordingMarkTest : public testing::Test {
 protected:
  RecordingMarkTest()
      : parent_(fs::path(testing::TempDir()) / ("coalescope-mark-" + std::to_string(::getpid()))),
        folder_(parent_ / ".x.coal.parts-abcdef") {
    fs::remove_all(parent_);
    fs::create_directories(folder_);
    row_.tool_version = "1.2.3";
    row_.command = R"(["./program","\"quoted\""])";
    row_.options = R"({"samples":"3"})";
    row_.working_directory = "/not \xff UTF-8";
    row_.started_unix_ns = 1'700'000'000'000'000'001;
  }
  ~RecordingMarkTest() override { fs::remove_all(parent_); }

  void put(const std::string& text) const { std::ofstream(folder_ / "recording.json") << text; }
  [[nodiscard]] ErrorCode refused() const {
    const auto mark = RecordingMark::take_over(folder_);
    EXPECT_FALSE(mark);
    return mark ? ErrorCode::failed : mark.error().code;
  }

  fs::path parent_, folder_;
  model::Capture row_;
};

TEST_F(RecordingMarkTest, KeepsWhatACaptureNeeds) {
  ASSERT_TRUE(RecordingMark::leave(folder_, row_, true));
  const auto mark = RecordingMark::take_over(folder_);
  ASSERT_TRUE(mark) << mark.error().text();
  EXPECT_EQ(mark->capture().tool_version, row_.tool_version);
  EXPECT_EQ(mark->capture().command, row_.command);
  EXPECT_EQ(mark->capture().options, row_.options);
  EXPECT_EQ(mark->capture().working_directory, "/not \xEF\xBF\xBD UTF-8");
  EXPECT_EQ(mark->capture().started_unix_ns, row_.started_unix_ns);
  EXPECT_FALSE(mark->capture().clean);
}

TEST_F(RecordingMarkTest, SaysWhetherTheCaptureMayCarryCode) {
  for (const bool keeps_code : {true, false}) {
    ASSERT_TRUE(RecordingMark::leave(folder_, row_, keeps_code));
    const auto mark = RecordingMark::take_over(folder_);
    ASSERT_TRUE(mark) << mark.error().text();
    EXPECT_EQ(mark->keeps_code(), keeps_code);
    remove_mark(folder_);
  }
  put(R"({"format": 1, "tool_version": "", "command": "[]", "options": "{}", "working_directory": "/", "started_unix_ns": 1})");
  const auto older = RecordingMark::take_over(folder_);
  ASSERT_TRUE(older) << older.error().text();
  EXPECT_TRUE(older->keeps_code());
}

TEST_F(RecordingMarkTest, IsHeldAsLongAsTheProcessLives) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto mark = RecordingMark::leave(folder_, row_, true);
    std::ofstream(parent_ / (mark ? "ready" : "failed"));
    ::pause();
  }
  while (!fs::exists(parent_ / "ready") && !fs::exists(parent_ / "failed")) ::usleep(10'000);
  EXPECT_EQ(refused(), ErrorCode::busy);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(RecordingMark::take_over(folder_));
}

TEST_F(RecordingMarkTest, OnlyOneTakesItOver) {
  ASSERT_TRUE(RecordingMark::leave(folder_, row_, true));
  {
    const auto first = RecordingMark::take_over(folder_);
    ASSERT_TRUE(first);
    EXPECT_EQ(refused(), ErrorCode::busy);
  }
  EXPECT_TRUE(RecordingMark::take_over(folder_));
}

TEST_F(RecordingMarkTest, AnotherUsersIsLeftAlone) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  ASSERT_TRUE(RecordingMark::leave(folder_, row_, true));
  ASSERT_EQ(::chown((folder_ / "recording.json").c_str(), 12'345, 12'345), 0);
  EXPECT_EQ(refused(), ErrorCode::not_permitted);
}

TEST_F(RecordingMarkTest, WhatNoRecordingLeftIsRefused) {
  EXPECT_EQ(refused(), ErrorCode::not_found);
  for (const char* text :
       {"", "{", "[]", "{\"format\":1}",
        R"({"format":2,"tool_version":"","command":"","options":"","working_directory":"",)"
        R"("started_unix_ns":1})",
        R"({"format":1,"tool_version":"","command":7,"options":"","working_directory":"",)"
        R"("started_unix_ns":1})"}) {
    put(text);
    EXPECT_EQ(refused(), ErrorCode::damaged) << text;
  }
}

TEST_F(RecordingMarkTest, FoldersOfRecordingsAreFound) {
  EXPECT_TRUE(recordings_in(parent_).empty()) << "nothing says what was recorded";
  ASSERT_TRUE(RecordingMark::leave(folder_, row_, true));
  fs::create_directory(parent_ / "folder");
  std::ofstream(parent_ / ".file.parts-abcdef");
  EXPECT_THAT(recordings_in(parent_), testing::ElementsAre(folder_));
  remove_mark(folder_);
  EXPECT_TRUE(recordings_in(parent_).empty());
  EXPECT_TRUE(recordings_in(parent_ / "absent").empty());
}

}  // namespace
}  // namespace coalescope::tool
