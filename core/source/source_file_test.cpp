#include "core/source/source_file.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace coalescope::source {
namespace {

namespace fs = std::filesystem;

class SourceFileTest : public testing::Test {
 protected:
  SourceFileTest()
      : directory_(fs::temp_directory_path() / ("coalescope-source-file-" + std::to_string(::getpid()))) {
    fs::create_directories(directory_);
  }
  ~SourceFileTest() override { fs::remove_all(directory_); }

  [[nodiscard]] fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(directory_ / name, std::ios::binary) << text;
    return directory_ / name;
  }

  fs::path directory_;
};

TEST_F(SourceFileTest, HasTheLinesAndTheHashOfTheBytes) {
  const auto file = read_source(write("a.cu", "one\r\ntwo\n\nthree"));
  ASSERT_TRUE(file);
  EXPECT_THAT(file->lines, testing::ElementsAre("one", "two", "", "three"));
  EXPECT_EQ(file->bytes, 15);
  // Of FIPS 180-2: "abc".
  EXPECT_EQ(read_source(write("abc.h", "abc"))->sha256,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(read_source(write("empty.py", ""))->lines.size(), 0U);
}

TEST_F(SourceFileTest, LongLinesAreCutBetweenCharacters) {
  const std::string cut(999, 'x');
  EXPECT_EQ(shortened(cut + "y"), cut + "y");
  EXPECT_EQ(shortened(cut + "\xC3\xA9 more"), cut);
  EXPECT_EQ(shortened(std::string(5000, '\x80')), "") << "no character begins";
  EXPECT_THAT(read_source(write("long.cu", cut + "yz\nshort"))->lines,
              testing::ElementsAre(cut + "y", "short"));
}

// What a hostile capture could name.
TEST_F(SourceFileTest, OnlyRegularFilesNamedLikeSourcesAreOpened) {
  EXPECT_FALSE(read_source(write("secret.txt", "x\n")));
  EXPECT_FALSE(read_source("/dev/zero"));
  EXPECT_FALSE(read_source("/etc/passwd"));
  EXPECT_FALSE(read_source(directory_ / "missing.cu"));
  (void)write("nul", "x\n");
  EXPECT_FALSE(read_source(directory_ / std::string("nul\0.cu", 7)));
  fs::create_symlink("/dev/zero", directory_ / "device.cu");
  EXPECT_FALSE(read_source(directory_ / "device.cu"));
  fs::create_directory(directory_ / "folder.cu");
  EXPECT_FALSE(read_source(directory_ / "folder.cu"));
  ASSERT_EQ(::mkfifo((directory_ / "pipe.cu").c_str(), 0600), 0);
  EXPECT_FALSE(read_source(directory_ / "pipe.cu")) << "must not wait for a writer";
}

TEST_F(SourceFileTest, HugeFilesAreLeftAlone) {
  EXPECT_TRUE(read_source(write("large.cu", std::string(4 << 20, '\n'))));
  EXPECT_FALSE(read_source(write("huge.cu", std::string((4 << 20) + 1, '\n'))));
}

}  // namespace
}  // namespace coalescope::source
