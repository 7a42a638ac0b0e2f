#include "core/capture/migrate.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/capture/captures_test.h"
#include "core/capture/merge.h"
#include "core/capture/reader.h"
#include "core/capture/seal.h"

namespace coalescope::capture {
namespace {

using base::ErrorCode;
using ::testing::HasSubstr;

class MigrateTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto database = Database::create(path_);
    ASSERT_TRUE(database) << database.error().text();
    expect_done(database->execute(
        fmt::format("PRAGMA application_id = {}; PRAGMA user_version = 1;", kApplicationId) + schema_sql(1) +
        "INSERT INTO capture VALUES (1, '0.1.0', '[]', '{}', '/', 1500, NULL, NULL, NULL, 1);"
        "INSERT INTO process VALUES (1, 77, 1, 'host', '/app', 5, NULL, 13000, NULL, 0);"
        "INSERT INTO device (id, process_id, ordinal, uuid, name, chip, pci_bus_id)"
        " VALUES (1, 1, 0, '', 'GPU', 'GH100', '');"
        "INSERT INTO kernel VALUES (1, 1, 'kernel', 32, NULL, NULL);"
        "INSERT INTO kernel_group VALUES (1, 1, 1, 1, 8, 1, 1, 32, 1, 1, 0);"
        "INSERT INTO launch VALUES (1, 1, 7, 100, 40, NULL, NULL);"
        "INSERT INTO transfer VALUES (1, 1, 1, 7, 10, 3, 3, 4096, 200, 9, 0, NULL);"));
    before_ = content(path_);
  }

  void change(const std::string& sql) {
    auto database = Database::open_writable(path_);
    ASSERT_TRUE(database);
    expect_done(database->execute(sql));
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.file("old.coal");
  std::string before_;
};

TEST_F(MigrateTest, AnOlderFileIsReadAndLeftAsItWas) {
  auto reader = Reader::open(path_);
  ASSERT_TRUE(reader) << reader.error().text();
  const auto processes = reader->rows<model::Process>();
  ASSERT_TRUE(processes) << processes.error().text();
  ASSERT_EQ(processes->size(), 1U);
  EXPECT_EQ(processes->front().pid, 77);
  EXPECT_EQ(processes->front().run, 0);
  EXPECT_EQ(processes->front().rank, std::nullopt);
  EXPECT_EQ(reader->rows<model::Transfer>()->front().source_device_id, std::nullopt);
  EXPECT_TRUE(reader->rows<model::Allocation>()->empty());
  EXPECT_EQ(reader->groups()->front().timed_gpu_ns, 40);
  EXPECT_EQ(content(path_), before_);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1);
}

// These two are of version 1, recorded on a GPU; see PROVENANCE.md there.
TEST_F(MigrateTest, CapturesThatWereRecordedByVersionOneAreRead) {
  for (const char* name : {"showcase.coal", "torch.coal"}) {
    const std::string path = std::string(COALESCOPE_SOURCE_DIR) + "/tests/fixtures/recorded/" + name;
    auto database = Database::open_read_only(path);
    ASSERT_TRUE(database) << database.error().text();
    EXPECT_EQ(database->integer("PRAGMA user_version"), 1);
    auto reader = Reader::open(path);
    ASSERT_TRUE(reader) << reader.error().text();
    EXPECT_EQ(static_cast<std::int64_t>(reader->rows<model::Launch>()->size()),
              database->integer("SELECT count(*) FROM launch"));
    EXPECT_EQ(static_cast<std::int64_t>(reader->rows<model::Reading>()->size()),
              database->integer("SELECT count(*) FROM reading"));
  }
}

TEST_F(MigrateTest, ADamagedOlderFileIsRefused) {
  change("ALTER TABLE process ADD COLUMN run INTEGER NOT NULL DEFAULT 0");
  const auto reader = Reader::open(path_);
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code, ErrorCode::damaged);
  EXPECT_THAT(reader.error().message, HasSubstr("'process' is not as schema 1 has it"));
}

// A value that the copy's tables do not take: the error names the file, not the copy.
TEST_F(MigrateTest, AnErrorNamesTheFile) {
  change("UPDATE transfer SET direction = 999");
  const auto rows = Reader::open(path_)->rows<model::Transfer>();
  ASSERT_FALSE(rows);
  EXPECT_THAT(rows.error().message, HasSubstr(path_));
}

TEST_F(MigrateTest, MergeTakesAnOlderPart) {
  const std::string target = folder_.file("target.coal");
  write_part(target, 1000, "first");
  expect_done(merge_into(target, path_));
  auto reader = Reader::open(target);
  ASSERT_TRUE(reader) << reader.error().text();
  const auto processes = reader->rows<model::Process>();
  ASSERT_EQ(processes->size(), 2U);
  EXPECT_EQ(processes->back().began_ns, 505);
  EXPECT_EQ(processes->back().run, 0);
  EXPECT_EQ(reader->rows<model::Kernel>()->back().process_id.value, 2);
  EXPECT_EQ(content(path_), before_);
}

TEST_F(MigrateTest, NothingIsWrittenToAnOlderFile) {
  const std::string part = folder_.file("part.coal");
  write_part(part, 1000, "first");
  for (const auto& done : {merge_into(path_, part), seal(path_), Writer::open(path_).map([](auto&&) {})}) {
    ASSERT_FALSE(done);
    EXPECT_THAT(done.error().message,
                HasSubstr("its schema 1 is older than this build's " + std::to_string(kSchemaVersion)));
  }
  EXPECT_EQ(content(path_), before_);
}

TEST(Schema, AFileThatWouldActWhenItIsWrittenToIsOnlyRead) {
  for (const std::string added :
       {"CREATE TRIGGER t AFTER UPDATE ON instruction BEGIN DELETE FROM kernel; END",
        "CREATE VIEW v AS SELECT 1"}) {
    const TemporaryFolder folder;
    const std::string path = folder.file("a.coal");
    write_part(path, 1000, "kernel");
    expect_done(seal(path));
    expect_done(Database::open_writable(path)->execute(added));
    const std::string before = content(path);
    write_part(folder.file("part.coal"), 1000, "kernel");
    for (const auto& done :
         {seal(path), Writer::open(path).map([](auto&&) {}), merge_into(path, folder.file("part.coal"))}) {
      ASSERT_FALSE(done);
      EXPECT_EQ(done.error().code, ErrorCode::damaged);
      EXPECT_THAT(done.error().message, HasSubstr("that coalescope never makes"));
    }
    EXPECT_EQ(content(path), before);
    EXPECT_EQ(Reader::open(path)->rows<model::Kernel>()->size(), 1U);
  }
}

// `since` may only be left out where version 1 really had the table: the first captures are out there.
TEST(Schema, VersionOneIsAsItWasShipped) {
  std::string names;
  for (const TableInfo& table : tables(1)) names += fmt::format("{} ({}); ", table.name, column_list(table));
  EXPECT_THAT(names, HasSubstr("process (id, pid, parent_pid, host, executable, began_ns, ended_ns, "
                               "driver_version, cupti_version, clean); "));
  EXPECT_THAT(names, HasSubstr("kernel (id, process_id, name, registers_per_thread, static_shared_bytes, "
                               "local_bytes_per_thread); "));
  EXPECT_EQ(tables(1).size(), 16U);
  EXPECT_EQ(lookups(1).size(), 7U);
}

}  // namespace
}  // namespace coalescope::capture
