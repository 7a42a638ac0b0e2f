#include "core/capture/cells.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/capture/captures_test.h"
#include "core/capture/database.h"
#include "core/capture/reader.h"
#include "core/capture/seal.h"

namespace coalescope::capture {
namespace {

using ::testing::HasSubstr;

class CellsTest : public ::testing::Test {
 protected:
  // A sealed capture with something in it that none of ours would write.
  void make_capture(const std::string& change) {
    write_part(path_, 1000, "kernel");
    expect_done(seal(path_));
    auto database = Database::open_writable(path_);
    ASSERT_TRUE(database);
    expect_done(database->execute(change));
  }

  template <class Row>
  void expect_refused(const std::string& words) {
    auto reader = Reader::open(path_);
    ASSERT_TRUE(reader) << reader.error().text();
    const auto rows = reader->rows<Row>();
    ASSERT_FALSE(rows);
    EXPECT_EQ(rows.error().code, base::ErrorCode::damaged);
    EXPECT_THAT(rows.error().text(), HasSubstr(words));
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.file("x.coal");
};

TEST_F(CellsTest, NameRowColumnValueAndRange) {
  make_capture("INSERT INTO launch SELECT 2, 1, 7, 9, -5, NULL, NULL");
  expect_refused<model::Launch>(
      "in row 2 of 'launch' the column 'gpu_ns' is -5, which is not between 0 and 9007199254740992");
}

TEST_F(CellsTest, LookAtColumnsThatMustNotBeMissing) {
  make_capture("UPDATE kernel_group SET grid_x = -1");
  expect_refused<model::KernelGroup>("the column 'grid_x' is -1");
  EXPECT_FALSE(Reader::open(path_)->groups());
}

TEST_F(CellsTest, RefuseWhatAddsUpToTooMuch) {
  make_capture(
      "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 300)"
      " INSERT INTO launch SELECT i, 1, 7, 9, 1 << 53, NULL, NULL FROM n");
  expect_refused<model::Launch>(
      "the column 'gpu_ns' makes the sum of the column more than 1152921504606846976");
}

TEST_F(CellsTest, RefuseWhatNoClockTells) {
  make_capture("UPDATE launch SET start_ns = 9223372036854775807");
  expect_refused<model::Launch>("the column 'start_ns' is 9223372036854775807");
}

TEST_F(CellsTest, RefuseAnInfiniteNumber) {
  make_capture(
      "INSERT INTO calibration SELECT 1, 'A1', 'x', 'q', 'u', NULL, NULL, 9e999, min(id), NULL FROM verdict");
  expect_refused<model::Calibration>("the column 'measured' is beyond 1e+18");
}

TEST_F(CellsTest, RefuseALongText) {
  make_capture("UPDATE kernel SET name = printf('%.*c', 2000000, 'x')");
  expect_refused<model::Kernel>("the column 'name' has 2000000 bytes, more than 1048576");
}

TEST_F(CellsTest, TakeCountersAsTheyAre) {
  make_capture("UPDATE reading SET value = -9223372036854775807");
  EXPECT_TRUE(Reader::open(path_)->rows<model::Reading>());
  EXPECT_TRUE(Reader::open(path_)->readings());
}

// A name is read once however many groups have it, and the more there are the less of it each of them holds.
TEST_F(CellsTest, ManyGroupsOfALongNameHoldAPartOfIt) {
  make_capture(
      "UPDATE kernel SET name = printf('%.*c', 1000000, 'x');"
      "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)"
      " INSERT INTO kernel_group SELECT i, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL FROM n");
  const auto groups = Reader::open(path_)->groups();
  ASSERT_TRUE(groups) << groups.error().text();
  std::size_t bytes = 0;
  for (const GroupView& group : *groups) bytes += group.kernel_name.size();
  EXPECT_LE(bytes, kMostNamesTogether + 3 * groups->size());
  EXPECT_TRUE(groups->front().kernel_name.ends_with("x..."));
}

}  // namespace
}  // namespace coalescope::capture
