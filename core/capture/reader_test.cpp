#include "core/capture/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>

#include "core/capture/captures_test.h"
#include "core/capture/seal.h"

namespace coalescope::capture {
namespace {

using base::ErrorCode;
using ::testing::HasSubstr;

class ReaderTest : public ::testing::Test {
 protected:
  // A sealed capture, changed by SQL that none of ours would write.
  void make_capture(const std::string& change) {
    write_part(path_, 1000, "kernel");
    expect_done(seal(path_));
    auto database = Database::open_writable(path_);
    ASSERT_TRUE(database);
    expect_done(database->execute(change));
  }

  void expect_refused(ErrorCode code, const std::string& words) {
    const auto reader = Reader::open(path_);
    ASSERT_FALSE(reader);
    EXPECT_EQ(reader.error().code, code) << reader.error().text();
    EXPECT_THAT(reader.error().message, HasSubstr(path_));
    EXPECT_THAT(reader.error().text(), HasSubstr(words));
    EXPECT_FALSE(reader.error().remedy.empty()) << reader.error().message;
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.file("x.coal");
};

TEST_F(ReaderTest, MeasuredLinesComeWithTheLargestCountsFirst) {
  make_capture(
      "INSERT INTO instruction (id, kernel_id, module_crc, pc_offset, source_state, file, line) VALUES "
      "(1, 1, 0, 0, 1, 'a.cu', 7), (2, 1, 0, 16, 1, 'a.cu', 9),"
      " (3, 1, 0, 32, 1, 'a.cu', 9), (4, 1, 0, 48, 1, 'a.cu', 11), (5, 1, 0, 64, 2, NULL, NULL);"
      "INSERT INTO instruction_reading VALUES (1, 1, 1, 70), (1, 2, 1, 60), (1, 3, 1, 50), (1, 5, 1, 999);");
  const auto lines = Reader::open(path_)->measured_lines();
  ASSERT_TRUE(lines) << lines.error().text();
  ASSERT_EQ(lines->size(), 2U) << "line 11 was not measured";
  EXPECT_EQ(lines->front().file, "a.cu");
  EXPECT_EQ(lines->front().line, 9);
  EXPECT_EQ(lines->back().line, 7);
}

TEST_F(ReaderTest, RefusesAMissingFile) {
  expect_refused(ErrorCode::not_found, "no such file");
}

TEST_F(ReaderTest, RefusesAFolder) {
  std::filesystem::create_directory(path_);
  expect_refused(ErrorCode::not_a_capture, "folder");
}

TEST_F(ReaderTest, RefusesAnEmptyFile) {
  set_content(path_, "");
  expect_refused(ErrorCode::not_a_capture, "empty");
}

TEST_F(ReaderTest, RefusesAPipeWithoutWaitingForIt) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  expect_refused(ErrorCode::not_a_capture, "not a file");
}

TEST_F(ReaderTest, RefusesText) {
  set_content(path_, std::string(5000, 'x'));
  expect_refused(ErrorCode::not_a_capture, "coalescope record");
}

TEST_F(ReaderTest, RefusesADatabaseOfAnotherProgram) {
  make_capture("PRAGMA application_id = 7");
  expect_refused(ErrorCode::not_a_capture, "another program");
}

TEST_F(ReaderTest, NamesBothVersionsOfANewerSchema) {
  const std::string newer = std::to_string(kSchemaVersion + 1);
  make_capture("PRAGMA user_version = " + newer);
  expect_refused(ErrorCode::newer_schema, "its schema " + newer + " is newer than this build's " +
                                              std::to_string(kSchemaVersion) + "; use a later coalescope");
}

TEST_F(ReaderTest, RefusesASchemaThatNeverWas) {
  make_capture("PRAGMA user_version = 0");
  expect_refused(ErrorCode::damaged, "there is no schema 0");
}

TEST_F(ReaderTest, RefusesAMissingTable) {
  make_capture("DROP TABLE reading");
  expect_refused(ErrorCode::damaged, "its table 'reading' is missing");
}

TEST_F(ReaderTest, RefusesATableOfOtherColumns) {
  make_capture("ALTER TABLE launch RENAME COLUMN gpu_ns TO cpu_ns");
  expect_refused(ErrorCode::damaged,
                 "its table 'launch' is not as schema " + std::to_string(kSchemaVersion) + " has it");
}

TEST_F(ReaderTest, RefusesAColumnOfAnotherType) {
  make_capture(
      "DROP TABLE metric; CREATE TABLE metric (id INTEGER NOT NULL, key BLOB NOT NULL, cupti_name TEXT"
      " NOT NULL, phase INTEGER NOT NULL, unit TEXT NOT NULL, PRIMARY KEY (id)) STRICT");
  expect_refused(ErrorCode::damaged, "its table 'metric'");
}

// A view could hold a query that never ends.
TEST_F(ReaderTest, RefusesAViewInPlaceOfATable) {
  make_capture("ALTER TABLE reading RENAME TO r; CREATE VIEW reading AS SELECT * FROM r");
  expect_refused(ErrorCode::damaged, "its table 'reading'");
}

TEST_F(ReaderTest, RefusesANumberOutsideItsEnumeration) {
  make_capture("UPDATE metric SET phase = 99");
  const auto rows = Reader::open(path_)->rows<model::MetricUsed>();
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().code, ErrorCode::damaged);
  EXPECT_THAT(rows.error().text(), HasSubstr("'phase'"));
}

TEST_F(ReaderTest, RefusesAMetricOutsideTheCatalogue) {
  make_capture("UPDATE reading SET metric_id = 1000");
  const auto readings = Reader::open(path_)->readings();
  ASSERT_FALSE(readings);
  EXPECT_THAT(readings.error().text(), HasSubstr("'metric_id'"));
}

TEST_F(ReaderTest, RefusesSumsThatOverflow) {
  make_capture("INSERT INTO launch SELECT 2, 1, 7, 9, 9223372036854775807, NULL, NULL");
  const auto groups = Reader::open(path_)->groups();
  ASSERT_FALSE(groups);
  EXPECT_EQ(groups.error().code, ErrorCode::damaged);
}

// Cut off anywhere, also within the last page, which SQLite would fill up with zeros.
TEST_F(ReaderTest, SurvivesTruncation) {
  make_capture("SELECT 1");
  const std::string whole = content(path_);
  for (std::size_t size = 1; size < whole.size(); size += 1021) {
    set_content(path_, std::string_view(whole).substr(0, size));
    EXPECT_FALSE(Reader::open(path_)) << size << " of " << whole.size() << " bytes";
  }
}

template <class... Row>
void read_everything(Reader& reader, std::type_identity<std::tuple<Row...>>) {
  ((void)reader.rows<Row>(), ...);
  (void)reader.groups();
  (void)reader.readings();
  (void)reader.instructions();
  (void)reader.transfers();
  (void)reader.windows();
}

// What is read may be wrong, but reading ends, and sanitizers see nothing.
TEST_F(ReaderTest, SurvivesChangedBytes) {
  make_capture("SELECT 1");
  const std::string whole = content(path_);
  std::uint64_t random = 88172645463325252U;
  for (int round = 0; round < 200; ++round) {
    std::string bytes = whole;
    for (int change = 0; change < 8; ++change) {
      random ^= random << 13U;
      random ^= random >> 7U;
      random ^= random << 17U;
      bytes[random % bytes.size()] = static_cast<char>(random >> 32U);
    }
    set_content(path_, bytes);
    if (auto reader = Reader::open(path_)) read_everything(*reader, std::type_identity<Tables>());
  }
}

TEST_F(ReaderTest, LeavesFileAndFolderAsTheyWere) {
  write_part(path_, 1000, "kernel");  // in WAL mode, at rest
  const std::string before = content(path_);
  {
    auto reader = Reader::open(path_);
    ASSERT_TRUE(reader);
    read_everything(*reader, std::type_identity<Tables>());
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1);
  }
  EXPECT_EQ(content(path_), before);
}

TEST_F(ReaderTest, TakesNamesThatSqliteWouldInterpret) {
  for (const char* name : {"a?mode=memory", "100%25.coal", "#1.coal", ":memory:", "file:x.coal"}) {
    const std::string path = folder_.file(name);
    write_part(path, 1000, "kernel");
    EXPECT_TRUE(std::filesystem::exists(path)) << name;
    auto reader = Reader::open(path);
    ASSERT_TRUE(reader) << reader.error().text();
    EXPECT_EQ(reader->rows<model::Kernel>()->size(), 1U);
  }
}

TEST_F(ReaderTest, ReadsAConsistentStateWhileTheRecorderWrites) {
  auto writer = Writer::create(path_);
  ASSERT_TRUE(writer);
  constexpr std::int64_t kBatch = 100;
  std::thread recorder([&] {
    for (std::int64_t id = 1; id <= 200 * kBatch; ++id) {
      (void)writer->insert(model::Launch{.id = {id}, .group_id = {1}});
      if (id % kBatch == 0) (void)writer->commit();
    }
  });
  for (int round = 0; round < 20; ++round) {
    auto reader = Reader::open(path_);
    ASSERT_TRUE(reader) << reader.error().text();
    const auto first = reader->rows<model::Launch>();
    ASSERT_TRUE(first) << first.error().text();
    EXPECT_EQ(first->size() % kBatch, 0U) << "half a batch";
    EXPECT_EQ(reader->rows<model::Launch>()->size(), first->size()) << "the reader's state moved on";
  }
  recorder.join();
  EXPECT_EQ(Reader::open(path_)->rows<model::Launch>()->size(), 200U * kBatch);
}

}  // namespace
}  // namespace coalescope::capture
