#include "reports/analysis/rows/source_text.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace coalescope::analysis {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// "capture" is where the program was started, and "here" where the report is made.
auto with_text(const char* text) {
  return testing::Field(&model::Diagnostic::text, HasSubstr(text));
}

class SourceText : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("coalescope-source-" + std::to_string(::getpid()));
    fs::create_directories(folder_ / "here" / "sub");
    fs::create_directories(folder_ / "elsewhere");
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  [[nodiscard]] SourceFiles files(const std::vector<model::SourceFile>& recorded_files = {},
                                  const std::vector<model::SourceLine>& recorded_lines = {}) const {
    return {(folder_ / "here").string(), {true, {folder_ / "here"}}, recorded_files, recorded_lines};
  }

  static LineRow row(const std::string& file, std::int64_t line, std::int64_t sectors = 8) {
    LineRow result;
    result.file = file;
    result.line = line;
    result.sectors = sectors;
    result.ideal_sectors = 4;
    return result;
  }
  static std::string text_of(SourceFiles& files, const std::string& name, std::int64_t line = 1) {
    const std::string* text = files.line(name, line);
    return text ? *text : "(none)";
  }

  fs::path folder_;
  std::vector<CallLineRow> no_calls_;
};

TEST_F(SourceText, LinesGetTheirTextAndFilesTheirExcerpts) {
  const std::string file =
      write("here/a.cu", "one\r\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n");
  std::vector rows{row(file, 2), row(file, 10), row(file, 2, 16), row(file, 99)};
  SourceFiles sources = files();
  const auto excerpts = take_sources(rows, no_calls_, sources);
  EXPECT_EQ(rows[0].text, "two");
  EXPECT_EQ(rows[3].text, std::nullopt) << "the file is shorter";
  ASSERT_EQ(excerpts.size(), 1U);
  std::vector<std::int64_t> numbers;
  for (const auto& line : excerpts[0].lines) numbers.push_back(line.number);
  EXPECT_THAT(numbers, ElementsAre(1, 2, 3, 4, 5, 7, 8, 9, 10));
  EXPECT_EQ(excerpts[0].lines[0].text, "one");
  EXPECT_EQ(excerpts[0].lines[1].sectors, 24) << "all kernels of the line";
  EXPECT_EQ(excerpts[0].lines[2].sectors, std::nullopt);
  EXPECT_THAT(sources.notices(), IsEmpty());
}

TEST_F(SourceText, LinesThatCallHaveTheirTextAndAnExcerptToo) {
  const std::string kernel = write("here/a.cu", "one\n");
  const std::string script = write("here/train.py", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
  std::vector rows{row(kernel, 1)};
  std::vector<CallLineRow> calls(2);
  calls[0] = {script, 9, "step", {}, std::nullopt};
  calls[1] = {"gone.py", 1, "step", {}, std::nullopt};
  SourceFiles sources = files();
  const auto excerpts = take_sources(rows, calls, sources);
  EXPECT_EQ(calls[0].text, "9");
  EXPECT_EQ(calls[1].text, std::nullopt);
  ASSERT_EQ(excerpts.size(), 2U);
  EXPECT_EQ(excerpts[1].file, script);
  EXPECT_EQ(excerpts[1].lines.size(), 4U) << "the line and three before it";
}

TEST_F(SourceText, RelativeNamesAreOfTheRunsDirectory) {
  (void)write("here/b.cuh", "text\n");
  SourceFiles sources = files();
  EXPECT_EQ(text_of(sources, "b.cuh"), "text");
  EXPECT_EQ(text_of(sources, "sub/../b.cuh"), "text");
}

// What a stranger's capture could name.
TEST_F(SourceText, OnlyFilesBelowTheAllowedFoldersAreRead) {
  const std::string secret = write("elsewhere/secret.py", "password\n");
  fs::create_symlink(secret, folder_ / "here" / "link.py");
  fs::create_directory_symlink(folder_ / "elsewhere", folder_ / "here" / "linked");
  (void)write("here-too.cu", "beside\n");
  SourceFiles sources = files();
  for (const std::string& name :
       {secret, std::string("link.py"), std::string("linked/secret.py"),
        std::string("../elsewhere/secret.py"), std::string("sub/../../elsewhere/secret.py"),
        (folder_ / "here-too.cu").string(), (folder_ / "here").string(), std::string("nul\0.py", 7),
        std::string(100'000, 'x') + ".py"})
    EXPECT_EQ(text_of(sources, name), "(none)") << name;
  SourceFiles more("/", {true, {folder_ / "here", folder_ / "elsewhere", folder_ / "absent"}});
  EXPECT_EQ(text_of(more, secret), "password");
  EXPECT_EQ(text_of(more, (folder_ / "here/link.py").string()), "password") << "what it leads to is allowed";
}

TEST_F(SourceText, NothingIsShownUnlessAskedFor) {
  const std::string file = write("here/a.cu", "one\n");
  SourceFiles sources((folder_ / "here").string(), {false, {folder_ / "here"}}, {{{1}, file, "hash", 4}},
                      {{{1}, 1, "recorded"}});
  std::vector rows{row(file, 1)};
  EXPECT_THAT(take_sources(rows, no_calls_, sources), IsEmpty());
  EXPECT_EQ(rows[0].text, std::nullopt);
  EXPECT_THAT(sources.notices(), IsEmpty()) << "whoever wanted none knows why there is none";
}

TEST_F(SourceText, RecordedLinesComeFirst) {
  SourceFiles sources = files({{{7}, "/build/a.cu", "hash", 4}}, {{{7}, 1, "one"}, {{7}, 2, "two"}});
  std::vector rows{row("/build/a.cu", 2)};
  const auto excerpts = take_sources(rows, no_calls_, sources);
  EXPECT_EQ(rows[0].text, "two");
  ASSERT_EQ(excerpts.size(), 1U);
  EXPECT_EQ(excerpts[0].lines.size(), 2U);
  EXPECT_THAT(sources.notices(), IsEmpty());
}

TEST_F(SourceText, AFileThatChangedIsShownAsItWasRecorded) {
  const std::string file = write("here/a.cu", "new one\nnew two\n");
  SourceFiles sources = files({{{1}, file, "another hash", 4}}, {{{1}, 1, "old one"}});
  std::vector rows{row(file, 1), row(file, 2)};
  (void)take_sources(rows, no_calls_, sources);
  EXPECT_EQ(rows[0].text, "old one");
  EXPECT_EQ(rows[1].text, std::nullopt) << "a line of another file";
  EXPECT_THAT(sources.notices(), ElementsAre(with_text("a.cu' changed after the recording")));
}

TEST_F(SourceText, AFileThatIsTheSameGivesTheLinesThatWereNotRecorded) {
  const std::string file = write("here/abc.h", "abc");
  SourceFiles sources =
      files({{{1}, file, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", 3}},
            {{{1}, 9, "nine"}});
  EXPECT_EQ(text_of(sources, file, 9), "nine");
  EXPECT_EQ(text_of(sources, file, 1), "abc");
  EXPECT_THAT(sources.notices(), IsEmpty());
}

// Each kernel that has the line shows it.
TEST_F(SourceText, LongRecordedLinesAreCut) {
  SourceFiles sources = files({{{1}, "a.cu", "hash", 4}}, {{{1}, 1, std::string(1 << 20, 'x')}});
  EXPECT_EQ(text_of(sources, "a.cu"), std::string(1000, 'x'));
}

// Of captures that were merged.
TEST_F(SourceText, OfTwoStatesOfAFileTheFirstCounts) {
  SourceFiles sources =
      files({{{1}, "a.cu", "first", 4}, {{2}, "a.cu", "second", 4}, {{3}, "a.cu", "first", 4}},
            {{{1}, 1, "one"}, {{2}, 1, "other"}, {{2}, 2, "other"}, {{3}, 3, "three"}});
  EXPECT_EQ(text_of(sources, "a.cu", 1), "one");
  EXPECT_EQ(text_of(sources, "a.cu", 2), "(none)");
  EXPECT_EQ(text_of(sources, "a.cu", 3), "three");
}

TEST_F(SourceText, WhatIsMissingIsSaidOnce) {
  std::vector rows{row("/build/b.cu", 3), row("/build/a.cu", 3), row("/build/a.cu", 9), row("gone.cu", 3),
                   row("gone.cu", -1)};
  SourceFiles sources = files();
  EXPECT_THAT(take_sources(rows, no_calls_, sources), IsEmpty());
  EXPECT_EQ(rows[0].text, std::nullopt);
  EXPECT_THAT(sources.notices(),
              ElementsAre(testing::AllOf(with_text("Source lines of 2 files, such as '/build/a.cu',"),
                                         with_text("'report --source-root DIR' adds a folder"))));
  std::vector here{row("gone.cu", 3)};
  SourceFiles readable = files();
  (void)take_sources(here, no_calls_, readable);
  EXPECT_THAT(readable.notices(),
              ElementsAre(with_text("'gone.cu' are not shown: the capture does not contain")));
}

// A capture with as many names as it likes.
TEST_F(SourceText, ReadsSoManyFilesAtMost) {
  for (int i = 0; i < 70; ++i) (void)write("here/" + std::to_string(i) + ".cu", "text\n");
  SourceFiles sources = files();
  int shown = 0;
  for (int i = 0; i < 70; ++i) shown += text_of(sources, std::to_string(i) + ".cu") == "text" ? 1 : 0;
  EXPECT_EQ(shown, 64);
}

}  // namespace
}  // namespace coalescope::analysis
