#include "core/capture/database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/capture/captures_test.h"

namespace coalescope::capture {
namespace {

using base::ErrorCode;
using ::testing::HasSubstr;

class DatabaseTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto created = Database::create(path_);
    ASSERT_TRUE(created) << created.error().text();
    database_ = std::move(*created);
    expect_done(database_->execute("CREATE TABLE t (a INTEGER) STRICT"));
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.file("x.db");
  std::optional<Database> database_;
};

TEST_F(DatabaseTest, RollsBackWhatIsNotCommitted) {
  {
    auto transaction = Transaction::begin(*database_);
    ASSERT_TRUE(transaction);
    expect_done(database_->execute("INSERT INTO t VALUES (1)"));
  }
  EXPECT_FALSE(database_->in_transaction());
  EXPECT_EQ(database_->integer("SELECT count(*) FROM t"), 0);
  {
    auto transaction = Transaction::begin(*database_);
    expect_done(database_->execute("INSERT INTO t VALUES (1)"));
    expect_done(transaction->commit());
  }
  EXPECT_EQ(database_->integer("SELECT count(*) FROM t"), 1);
}

TEST_F(DatabaseTest, ReadOnlyMeansThat) {
  auto reader = Database::open_read_only(path_);
  ASSERT_TRUE(reader);
  const auto written = reader->execute("INSERT INTO t VALUES (1)");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::not_permitted);
  EXPECT_THAT(written.error().message, HasSubstr("cannot write '" + path_));
}

TEST_F(DatabaseTest, AttachedFilesAreReadOnly) {
  auto other = Database::create(folder_.file("other?.db"));
  expect_done(other->execute("CREATE TABLE u (a INTEGER); INSERT INTO u VALUES (7)"));
  expect_done(database_->attach(folder_.file("other?.db"), "part"));
  EXPECT_EQ(database_->integer("SELECT a FROM part.u"), 7);
  EXPECT_FALSE(database_->execute("DELETE FROM part.u"));
}

// A file that comes from elsewhere may hold them.
TEST_F(DatabaseTest, TriggersAndViewsOfAFileDoNotRun) {
  expect_done(
      database_->execute("CREATE TABLE u (a INTEGER);"
                         "CREATE TRIGGER fires AFTER INSERT ON t BEGIN INSERT INTO u VALUES (1); END;"
                         "CREATE VIEW v AS SELECT 1 AS a; INSERT INTO t VALUES (1)"));
  EXPECT_EQ(database_->integer("SELECT count(*) FROM t"), 1);
  EXPECT_EQ(database_->integer("SELECT count(*) FROM u"), 0);
  EXPECT_FALSE(database_->integer("SELECT a FROM v"));
}

// An error must not stay behind for the next row.
TEST_F(DatabaseTest, AStatementWorksAgainAfterAnError) {
  auto statement = database_->prepare("INSERT INTO t VALUES (?)");
  ASSERT_TRUE(statement);
  statement->bind(0, std::string_view("no number"));
  EXPECT_FALSE(statement->run());
  statement->bind(7, std::int64_t{1});
  EXPECT_FALSE(statement->run()) << "there is no such parameter";
  statement->bind(0, std::int64_t{1});
  expect_done(statement->run());
  EXPECT_EQ(database_->integer("SELECT count(*) FROM t"), 1);
}

TEST_F(DatabaseTest, SaysWhatIsWrongWithAStatement) {
  const auto statement = database_->prepare("SELECT b FROM t");
  ASSERT_FALSE(statement);
  EXPECT_THAT(statement.error().message, HasSubstr("no such column: b"));
}

TEST_F(DatabaseTest, StopsWhatTakesTooLong) {
  const std::string_view endless =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n";
  database_->limit_work(3);
  const auto answer = database_->integer(endless);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::damaged);
  EXPECT_THAT(answer.error().text(), HasSubstr("takes too long"));
}

// Whoever adds to a stranger's file must not run what the stranger wrote into it.
TEST_F(DatabaseTest, RunsNoTriggers) {
  expect_done(
      database_->execute("CREATE TRIGGER more AFTER INSERT ON t BEGIN INSERT INTO t VALUES (99); END"));
  expect_done(database_->execute("INSERT INTO t VALUES (1)"));
  EXPECT_EQ(database_->integer("SELECT count(*) FROM t"), 1);
}

TEST_F(DatabaseTest, ReadsNoViewsButItsOwn) {
  expect_done(database_->execute("CREATE VIEW v AS SELECT 1; CREATE TEMP VIEW own AS SELECT 2"));
  EXPECT_FALSE(database_->integer("SELECT * FROM v"));
  EXPECT_EQ(database_->integer("SELECT * FROM own"), 2);
}

TEST_F(DatabaseTest, RefusesQueriesOfASizeThatNoneOfOursHas) {
  std::string deep = "SELECT 1";
  for (int i = 0; i < 500; ++i) deep += " + (1";
  EXPECT_FALSE(database_->prepare(deep + std::string(500, ')')));
  auto reader = Database::open_read_only(path_);
  ASSERT_TRUE(reader);
  EXPECT_FALSE(reader->prepare("SELECT '" + std::string(2'000'000, 'x') + "'"));
}

}  // namespace
}  // namespace coalescope::capture
