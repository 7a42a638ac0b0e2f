#include "tool/output_file.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "core/capture/writer.h"

namespace coalescope::tool {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class OutputFileTest : public testing::Test {
 protected:
  OutputFileTest()
      : folder_(fs::path(testing::TempDir()) / ("coalescope-output-" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~OutputFileTest() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string name(const std::string& file) const { return folder_ / file; }
  void put(const std::string& file, const std::string& text) const { std::ofstream(folder_ / file) << text; }
  [[nodiscard]] std::string content(const std::string& file) const {
    std::ifstream stream(folder_ / file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  [[nodiscard]] base::Result<void> write(const std::string& file, const std::string& text,
                                         bool force = false) const {
    return OutputFile::at(name(file), OutputKind::report, force).and_then([&](const OutputFile& output) {
      return output.write(text);
    });
  }
  [[nodiscard]] static struct stat status_of(const std::string& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    return status;
  }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  const std::string report_ = "## coalescope: `program`\n";
  fs::path folder_;
};

TEST_F(OutputFileTest, ANewFileHasTheUsualMode) {
  const mode_t before = ::umask(027);
  ASSERT_TRUE(write("new.md", report_));
  ::umask(before);
  EXPECT_EQ(content("new.md"), report_);
  EXPECT_EQ(status_of(name("new.md")).st_mode & 07777U, 0640U);
  EXPECT_EQ(files(), 1U) << "a draft was left";
}

TEST_F(OutputFileTest, AFileThatIsReplacedGivesItsModeAndOwner) {
  put("old.md", report_);
  // Only root may give a file away.
  const bool given = ::chown(name("old.md").c_str(), 12, 34) == 0;
  ASSERT_EQ(::chmod(name("old.md").c_str(), 0604), 0);
  ASSERT_TRUE(write("old.md", "new"));
  EXPECT_EQ(content("old.md"), "new");
  const struct stat status = status_of(name("old.md"));
  EXPECT_EQ(status.st_mode & 07777U, 0604U);
  EXPECT_EQ(status.st_uid, given ? 12U : ::geteuid());
  EXPECT_EQ(status.st_gid, given ? 34U : ::getegid());
}

TEST_F(OutputFileTest, WhatIsNotOursNeedsForce) {
  for (const std::string& text :
       {std::string("my thesis"), std::string("{\"results\": 1}"), std::string(1, '\0'),
        std::string("coalescope: note: wrote x.coal\n"), std::string("\n")}) {
    put("thesis", text);
    const auto refused = write("thesis", "new");
    ASSERT_FALSE(refused) << text;
    EXPECT_THAT(refused.error().text(),
                testing::AllOf(HasSubstr("thesis': it exists and is not a report"), HasSubstr("--force")));
    EXPECT_EQ(content("thesis"), text);
  }
  EXPECT_TRUE(write("thesis", "new", true));
  EXPECT_EQ(content("thesis"), "new");
}

TEST_F(OutputFileTest, ReportsAndCapturesReplaceTheirOwnKindOnly) {
  ASSERT_TRUE(capture::Writer::create(name("x.coal")));
  const auto refused = write("x.coal", report_);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("x.coal': it is a capture, not a report"));
  EXPECT_TRUE(OutputFile::at(name("x.coal"), OutputKind::capture, false));
  put("x.md", report_);
  EXPECT_FALSE(OutputFile::at(name("x.md"), OutputKind::capture, false));
  EXPECT_TRUE(write("x.md", report_));
  put("empty", "");
  EXPECT_TRUE(OutputFile::at(name("empty"), OutputKind::capture, false));
  EXPECT_TRUE(write("empty", report_));
}

TEST_F(OutputFileTest, LinksStayAndWhatTheyLeadToIsWritten) {
  fs::create_directory(folder_ / "real");
  put("real/report.md", report_);
  fs::create_symlink("real/report.md", folder_ / "link.md");
  fs::create_symlink("link.md", folder_ / "second.md");
  fs::create_symlink("real/absent.md", folder_ / "dangling.md");
  ASSERT_TRUE(write("second.md", "new"));
  ASSERT_TRUE(write("dangling.md", "made"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "second.md") && fs::is_symlink(folder_ / "link.md"));
  EXPECT_EQ(content("real/report.md"), "new");
  EXPECT_EQ(content("real/absent.md"), "made");
  put("real/thesis", "my thesis");
  fs::create_symlink("real/thesis", folder_ / "to_thesis");
  EXPECT_FALSE(write("to_thesis", "new"));
  fs::create_symlink("circle", folder_ / "circle");
  EXPECT_FALSE(write("circle", "new"));
}

TEST_F(OutputFileTest, DevicesAndPipesAreWrittenTo) {
  fs::create_symlink("/dev/null", folder_ / "null");
  EXPECT_TRUE(write("null", report_));
  EXPECT_TRUE(fs::is_symlink(folder_ / "null") && fs::is_character_file("/dev/null"));
  ASSERT_EQ(::mkfifo(name("pipe").c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = content("pipe"); });
  EXPECT_TRUE(write("pipe", report_));
  reader.join();
  EXPECT_EQ(got, report_);
  EXPECT_TRUE(fs::is_fifo(folder_ / "pipe"));
}

TEST_F(OutputFileTest, ADescriptorOfOursIsAddedTo) {
  put("log", "before\n");
  const int descriptor = ::open(name("log").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  const auto output =
      OutputFile::at("/proc/self/fd/" + std::to_string(descriptor), OutputKind::report, false);
  ASSERT_TRUE(output) << output.error().text();
  EXPECT_TRUE(output->write("report\n"));
  ::close(descriptor);
  EXPECT_EQ(content("log"), "before\nreport\n");
}

TEST_F(OutputFileTest, AFailingWriteLeavesTheOldFileWhole) {
  put("old.md", report_);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 1000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto refused = write("old.md", std::string(100'000, 'x'));
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr(std::strerror(EFBIG)));
  EXPECT_EQ(content("old.md"), report_);
  EXPECT_EQ(files(), 1U) << "a draft was left";
}

TEST_F(OutputFileTest, AFileThatCameMeanwhileStays) {
  const auto output = OutputFile::at(name("x.md"), OutputKind::report, false);
  ASSERT_TRUE(output);
  put("x.md", "of another program");
  EXPECT_FALSE(output->write(report_));
  EXPECT_EQ(content("x.md"), "of another program");
}

TEST_F(OutputFileTest, FoldersAreRefused) {
  for (const std::string& folder : {name(""), folder_.string(), std::string()})
    EXPECT_FALSE(OutputFile::at(folder, OutputKind::report, true)) << folder;
}

}  // namespace
}  // namespace coalescope::tool
