#include "tool/keep_sources.h"

#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/capture/reader.h"
#include "core/capture/writer.h"

namespace coalescope::tool {
namespace {

namespace fs = std::filesystem;

class KeepSources : public testing::Test {
 protected:
  KeepSources()
      : folder_(fs::path(testing::TempDir()) / ("coalescope-keep-" + std::to_string(::getpid()))),
        capture_(folder_ / "x.coal"),
        writer_([&] {
          fs::remove_all(folder_);
          fs::create_directories(folder_);
          return capture::Writer::create(capture_.string()).value();
        }()) {}
  ~KeepSources() override { fs::remove_all(folder_); }

  void write_source(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  // An instruction on a line, and what was counted for it; 0: nothing.
  void measure(const std::string& file, std::int64_t line, std::int64_t count) {
    model::Instruction row;
    row.id.value = ++instructions_;
    row.source_state = model::SourceState::resolved;
    row.file = file;
    row.line = line;
    ASSERT_TRUE(writer_.insert(row).has_value());
    if (count == 0) return;
    ASSERT_TRUE(
        writer_.insert(model::InstructionReading{{1}, row.id, model::MetricId::global_load_sectors, count})
            .has_value());
  }
  void call(const std::string& file, std::int64_t line) {
    model::CallSite row;
    row.id.value = ++sites_;
    row.kind = model::FrameKind::python;
    row.file = file;
    row.line = line;
    ASSERT_TRUE(writer_.insert(row).has_value());
  }
  void keep() {
    ASSERT_TRUE(writer_.commit().has_value());
    const auto kept = keep_sources(capture_, folder_.string());
    ASSERT_TRUE(kept.has_value()) << kept.error().text();
  }
  template <class Row>
  std::vector<Row> rows() const {
    return capture::Reader::open(capture_.string()).value().rows<Row>().value();
  }

  fs::path folder_, capture_;
  capture::Writer writer_;
  std::int64_t instructions_ = 0, sites_ = 0;
};

TEST_F(KeepSources, KeepsMeasuredLinesWithTheirSurroundingsAndTheHash) {
  std::string text;
  for (int line = 1; line <= 20; ++line) text += "line " + std::to_string(line) + "\n";
  write_source("a.cu", text);
  measure("a.cu", 2, 8);
  measure("a.cu", 20, 8);
  measure("a.cu", 10, 0);
  measure("gone.cu", 2, 8);
  keep();
  const auto files = rows<model::SourceFile>();
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].path, "a.cu");
  EXPECT_EQ(files[0].sha256.size(), 64U);
  EXPECT_EQ(files[0].bytes, static_cast<std::int64_t>(text.size()));
  std::vector<std::int64_t> numbers;
  for (const auto& row : rows<model::SourceLine>()) {
    numbers.push_back(row.line);
    EXPECT_EQ(row.text, "line " + std::to_string(row.line));
  }
  EXPECT_EQ(numbers, (std::vector<std::int64_t>{1, 2, 3, 4, 5, 17, 18, 19, 20}));
}

TEST_F(KeepSources, KeepsOwnLinesThatCalledAndNoneOfPackages) {
  write_source("train.py", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
  fs::create_directories(folder_ / "lib/site-packages/torch");
  write_source("lib/site-packages/torch/nn.py", "1\n");
  call("train.py", 8);
  call((folder_ / "lib/site-packages/torch/nn.py").string(), 1);
  keep();
  const auto files = rows<model::SourceFile>();
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].path, "train.py");
  EXPECT_EQ(rows<model::SourceLine>().size(), 5U) << "lines 5 to 9";
}

TEST_F(KeepSources, KeepsTheLinesThatCountMostWhenThereAreTooMany) {
  const std::string wide(3000, 'x');
  std::string text;
  for (int line = 0; line < 3000; ++line)
    text += wide.substr(0, 999) + "\xC3\xA9" + wide.substr(0, 300) + "\n";
  write_source("a.cu", text);
  for (std::int64_t line = 1; line <= 3000; ++line) measure("a.cu", line, line);
  keep();
  std::size_t bytes = 0;
  const auto lines = rows<model::SourceLine>();
  ASSERT_FALSE(lines.empty());
  for (const auto& row : lines) {
    bytes += row.text.size();
    EXPECT_EQ(row.text.size(), 999U) << "no half of a character";
  }
  EXPECT_LE(bytes, 1U << 20);
  EXPECT_GT(bytes, 1U << 19);
  EXPECT_EQ(lines.back().line, 3000);
}

TEST_F(KeepSources, KeepsOfSoManyFilesAtMost) {
  for (int i = 0; i < 70; ++i) {
    write_source(std::to_string(i) + ".cu", "text\n");
    measure(std::to_string(i) + ".cu", 1, 100 - i);
  }
  keep();
  EXPECT_EQ(rows<model::SourceFile>().size(), 64U);
}

TEST_F(KeepSources, WithoutMeasuredLinesTheCaptureStaysAsItIs) {
  write_source("a.cu", "text\n");
  measure("a.cu", 1, 0);
  keep();
  EXPECT_TRUE(rows<model::SourceFile>().empty());
}

}  // namespace
}  // namespace coalescope::tool
