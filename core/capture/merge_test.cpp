#include "core/capture/merge.h"

#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/capture/captures_test.h"
#include "core/capture/database.h"
#include "core/capture/reader.h"
#include "core/capture/schema.h"
#include "core/capture/seal.h"
#include "core/capture/tables.h"

namespace coalescope::capture {
namespace {

using ::testing::HasSubstr;

class MergeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto writer = Writer::create(target_);
    ASSERT_TRUE(writer);
    insert(*writer, model::Capture{.command = "[\"app\"]", .started_unix_ns = 1000});
    expect_done(writer->commit());
  }

  template <class Row>
  std::vector<Row> rows() {
    auto reader = Reader::open(target_);
    EXPECT_TRUE(reader) << reader.error().text();
    return reader->rows<Row>().value();
  }

  // `part` is refused, and the target holds what it held.
  void expect_refused(const std::string& part) {
    write_part(folder_.file("good.part"), 1000, "good");
    expect_done(merge_into(target_, folder_.file("good.part")));
    expect_done(seal(target_));
    const std::string before = content(target_);
    const auto merged = merge_into(target_, part);
    ASSERT_FALSE(merged);
    EXPECT_THAT(merged.error().message, HasSubstr(part));
    EXPECT_EQ(content(target_), before);
  }

  const TemporaryFolder folder_;
  const std::string target_ = folder_.file("target.coal");
  const std::string part_ = folder_.file("1.part.coal");
};

TEST_F(MergeTest, RenumbersEachProcess) {
  write_part(part_, 1000, "same_kernel");
  const std::string second = folder_.file("2.part.coal");
  write_part(second, 1000, "same_kernel");
  expect_done(merge_into(target_, part_));
  expect_done(merge_into(target_, second));

  EXPECT_EQ(rows<model::Capture>().size(), 1U);
  EXPECT_EQ(rows<model::Capture>().front().command, "[\"app\"]");
  EXPECT_EQ(rows<model::MetricUsed>().size(), 1U);
  const auto kernels = rows<model::Kernel>();
  ASSERT_EQ(kernels.size(), 2U) << "a kernel in two processes is two kernels";
  EXPECT_EQ(kernels[1].id.value, 2);
  EXPECT_EQ(kernels[1].process_id.value, 2);
  const auto launches = rows<model::Launch>();
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_EQ(launches[1].group_id.value, 2);
  EXPECT_EQ(launches[1].stream, 7) << "a plain number";
  EXPECT_EQ(launches[1].window_id, std::nullopt);
  const auto readings = rows<model::Reading>();
  ASSERT_EQ(readings.size(), 2U);
  EXPECT_EQ(readings[1].launch_id.value, 2);
  EXPECT_EQ(readings[1].metric_id, model::MetricId{1}) << "the same in every capture";
  EXPECT_EQ(rows<model::Diagnostic>()[1].process_id, std::nullopt);
}

// One row of ones in each table: after two merges each of the second row's ids is a two.
TEST_F(MergeTest, RenumbersEveryTable) {
  write_part(part_, 1000, "kernel");
  {
    auto part = Database::open_writable(part_).value();
    for (const TableInfo& table : tables()) {
      std::string values;
      for (const ColumnInfo& column : table.columns)
        values += (values.empty() ? "" : ", ") + std::string(column.type == "BLOB" ? "x'01'" : "1");
      expect_done(part.execute(
          fmt::format("INSERT OR REPLACE INTO {} ({}) VALUES ({})", table.name, column_list(table), values)));
    }
  }
  expect_done(merge_into(target_, part_));
  expect_done(merge_into(target_, part_));

  auto target = Database::open_read_only(target_).value();
  const auto with_ids = [](std::string_view name) {
    return name != Table<model::MetricUsed>::kName && std::ranges::any_of(tables(), [&](const auto& each) {
             return each.name == name && each.key == "id";
           });
  };
  for (const TableInfo& table : tables())
    for (const ColumnInfo& column : table.columns) {
      if (!with_ids(column.refers_to)) continue;
      const auto second = target.integer(fmt::format("SELECT max({}) FROM {}", column.name, table.name));
      EXPECT_GE(second.value(), 2) << table.name << '.' << column.name;
    }
}

TEST_F(MergeTest, SourceLinesStayWithTheirFile) {
  for (const std::string name : {"1.part.coal", "2.part.coal"}) {
    write_part(folder_.file(name), 1000, "kernel");
    auto writer = Writer::open(folder_.file(name));
    ASSERT_TRUE(writer);
    insert(*writer, model::SourceFile{.id = {1}, .path = name});
    insert(*writer, model::SourceLine{.source_file_id = {1}, .line = 7, .text = "of " + name});
    expect_done(writer->commit());
    expect_done(merge_into(target_, folder_.file(name)));
  }
  const auto files = rows<model::SourceFile>();
  const auto lines = rows<model::SourceLine>();
  ASSERT_TRUE(files.size() == 2 && lines.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(lines[i].source_file_id, files[i].id);
    EXPECT_EQ(lines[i].text, "of " + files[i].path);
  }
}

TEST_F(MergeTest, KeepsTheSameCodeOnce) {
  for (const std::string name : {"1.part.coal", "2.part.coal", "3.part.coal"}) {
    write_part(folder_.file(name), 1000, "kernel");
    auto writer = Writer::open(folder_.file(name));
    ASSERT_TRUE(writer);
    // The third has other code with the same checksum.
    const auto byte = static_cast<std::byte>(name == "3.part.coal" ? 8 : 7);
    insert(*writer,
           model::Module{.id = {1}, .process_id = {1}, .crc = 5, .size_bytes = 1, .code = Blob{byte}});
    expect_done(writer->commit());
    expect_done(merge_into(target_, folder_.file(name)));
  }
  const auto modules = rows<model::Module>();
  ASSERT_EQ(modules.size(), 3U);
  EXPECT_TRUE(modules[0].code);
  EXPECT_FALSE(modules[1].code);
  EXPECT_TRUE(modules[2].code);
}

// A recorder that began 500 ns after `record` counts its times from there.
TEST_F(MergeTest, ShiftsMomentsAndKeepsDurations) {
  write_part(part_, 1500, "kernel");
  expect_done(merge_into(target_, part_));
  EXPECT_EQ(rows<model::Process>().front().began_ns, 505);
  EXPECT_EQ(rows<model::Process>().front().ended_ns, std::nullopt);
  EXPECT_EQ(rows<model::Launch>().front().start_ns, 600);
  EXPECT_EQ(rows<model::Launch>().front().gpu_ns, 40);
}

TEST_F(MergeTest, TakesWhatAKilledProcessCommitted) {
  const pid_t child = ::fork();
  if (child == 0) {
    auto writer = Writer::create(part_);
    if (writer) (void)writer->insert(model::Process{.id = {1}, .pid = 1});
    if (writer) (void)writer->commit();
    if (writer) (void)writer->insert(model::Process{.id = {2}, .pid = 2});
    ::kill(::getpid(), SIGKILL);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  ASSERT_TRUE(std::filesystem::exists(part_ + "-wal"));
  expect_done(merge_into(target_, part_));
  ASSERT_EQ(rows<model::Process>().size(), 1U);
  EXPECT_EQ(rows<model::Process>().front().pid, 1);
}

TEST_F(MergeTest, LeavesThePartAsItWas) {
  write_part(part_, 1000, "kernel");
  const std::string before = content(part_);
  expect_done(merge_into(target_, part_));
  EXPECT_EQ(content(part_), before);
  EXPECT_FALSE(std::filesystem::exists(part_ + "-wal"));
}

TEST_F(MergeTest, RefusesAMissingPart) {
  expect_refused(folder_.file("none.part"));
}

TEST_F(MergeTest, RefusesGarbage) {
  set_content(part_, std::string(10000, 'g'));
  expect_refused(part_);
}

TEST_F(MergeTest, RefusesAPartThatWasCutOff) {
  write_part(part_, 1000, "kernel");
  std::filesystem::resize_file(part_, std::filesystem::file_size(part_) / 2);
  expect_refused(part_);
}

// Found only while copying: some tables are in by then, and must go again.
TEST_F(MergeTest, UndoesWhatItHadCopied) {
  write_part(part_, 1000, "kernel");
  {
    auto database = Database::open_writable(part_);
    ASSERT_TRUE(database);
    expect_done(database->execute("UPDATE diagnostic SET id = 9223372036854775807"));
  }
  expect_refused(part_);
}

TEST_F(MergeTest, RefusesItself) {
  expect_refused(target_);
}

TEST_F(MergeTest, RefusesATargetThatIsNoCapture) {
  write_part(part_, 1000, "kernel");
  const std::string text = folder_.file("notes.txt");
  set_content(text, "my notes");
  EXPECT_FALSE(merge_into(text, part_));
  EXPECT_EQ(content(text), "my notes");
  EXPECT_FALSE(merge_into(folder_.file("new.coal"), part_));
  EXPECT_FALSE(std::filesystem::exists(folder_.file("new.coal")));
}

}  // namespace
}  // namespace coalescope::capture
