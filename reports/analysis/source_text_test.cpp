#include "reports/analysis/source_text.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace coalescope::analysis {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

class SourceText : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = fs::temp_directory_path() / ("coalescope-source-" + std::to_string(::getpid()));
    fs::create_directories(directory_);
  }
  void TearDown() override { fs::remove_all(directory_); }

  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(directory_ / name) << text;
    return (directory_ / name).string();
  }

  static LineRow row(const std::string& file, std::int64_t line, std::int64_t sectors = 8) {
    LineRow result;
    result.file = file;
    result.line = line;
    result.sectors = sectors;
    result.ideal_sectors = 4;
    return result;
  }

  fs::path directory_;
};

TEST_F(SourceText, LinesGetTheirTextAndFilesTheirExcerpts) {
  const std::string file = write("a.cu", "one\r\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n");
  std::vector rows{row(file, 2), row(file, 10), row(file, 2, 16), row(file, 99)};
  SourceFiles files(directory_.string());
  const auto excerpts = take_sources(rows, files);
  EXPECT_EQ(rows[0].text, "two");
  EXPECT_EQ(rows[3].text, std::nullopt) << "the file is shorter";
  ASSERT_EQ(excerpts.size(), 1U);
  std::vector<std::int64_t> numbers;
  for (const auto& line : excerpts[0].lines) numbers.push_back(line.number);
  EXPECT_THAT(numbers, testing::ElementsAre(1, 2, 3, 4, 5, 7, 8, 9, 10));
  EXPECT_EQ(excerpts[0].lines[0].text, "one");
  EXPECT_EQ(excerpts[0].lines[1].sectors, 24) << "all kernels of the line";
  EXPECT_EQ(excerpts[0].lines[2].sectors, std::nullopt);
}

TEST_F(SourceText, RelativeNamesAreOfTheRunsDirectory) {
  write("b.cuh", "text\n");
  SourceFiles files(directory_.string());
  ASSERT_NE(files.lines_of("b.cuh"), nullptr);
  EXPECT_EQ(files.lines_of("b.cuh")->at(0), "text");
}

// What a hostile capture could name.
TEST_F(SourceText, OnlyRegularFilesNamedLikeSourcesAreOpened) {
  SourceFiles files(directory_.string());
  EXPECT_EQ(files.lines_of(write("secret.txt", "x\n")), nullptr);
  EXPECT_EQ(files.lines_of("/dev/zero"), nullptr);
  EXPECT_EQ(files.lines_of("/etc/passwd"), nullptr);
  EXPECT_EQ(files.lines_of("missing.cu"), nullptr);
  EXPECT_EQ(files.lines_of(std::string("nul\0.cu", 7)), nullptr);
  fs::create_symlink("/dev/zero", directory_ / "device.cu");
  EXPECT_EQ(files.lines_of("device.cu"), nullptr);
  fs::create_directory(directory_ / "folder.cu");
  EXPECT_EQ(files.lines_of("folder.cu"), nullptr);
  ASSERT_EQ(::mkfifo((directory_ / "pipe.cu").c_str(), 0600), 0);
  EXPECT_EQ(files.lines_of("pipe.cu"), nullptr) << "must not wait for a writer";
}

TEST_F(SourceText, HugeFilesAreLeftAlone) {
  SourceFiles files(directory_.string());
  EXPECT_EQ(files.lines_of(write("huge.cu", std::string((4 << 20) + 1, '\n'))), nullptr);
}

TEST_F(SourceText, UnreadableSourcesLeaveTheRowsAsTheyAre) {
  std::vector rows{row("gone.cu", 3), row("gone.cu", -1)};
  SourceFiles files(directory_.string());
  EXPECT_THAT(take_sources(rows, files), IsEmpty());
  EXPECT_EQ(rows[0].text, std::nullopt);
}

}  // namespace
}  // namespace coalescope::analysis
