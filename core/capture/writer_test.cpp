#include "core/capture/writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/capture/captures_test.h"
#include "core/capture/reader.h"

namespace coalescope::capture {
namespace {

using ::testing::HasSubstr;

template <class Row>
class RoundTrip : public ::testing::Test {};

template <class Tuple>
struct AsTypes;
template <class... Row>
struct AsTypes<std::tuple<Row...>> {
  using type = ::testing::Types<Row...>;
};
struct TableName {
  template <class Row>
  static std::string GetName(int) {
    return std::string(Table<Row>::kName);
  }
};
TYPED_TEST_SUITE(RoundTrip, AsTypes<Tables>::type, TableName);

TYPED_TEST(RoundTrip, KeepsEveryColumnAndEveryGap) {
  const TemporaryFolder folder;
  const TypeParam full = filled_row<TypeParam>(100, true);
  const TypeParam bare = filled_row<TypeParam>(201, false);
  {
    auto writer = Writer::create(folder.file("a.coal"));
    ASSERT_TRUE(writer);
    insert(*writer, full);
    insert(*writer, bare);
    expect_done(writer->commit());
  }
  auto reader = Reader::open(folder.file("a.coal"));
  ASSERT_TRUE(reader);
  const auto rows = reader->template rows<TypeParam>();
  ASSERT_TRUE(rows) << rows.error().text();
  ASSERT_EQ(rows->size(), 2U);
  expect_equal(rows->front(), full);
  expect_equal(rows->back(), bare);
}

TYPED_TEST(RoundTrip, ReplacesByKey) {
  const TemporaryFolder folder;
  const TypeParam first = filled_row<TypeParam>(100, true);
  {
    auto writer = Writer::create(folder.file("a.coal"));
    ASSERT_TRUE(writer);
    insert(*writer, filled_row<TypeParam>(302, true));
    insert(*writer, first);
    expect_done(writer->replace(first));
    EXPECT_FALSE(writer->insert(first)) << "two rows with one key";
    expect_done(writer->commit());
  }
  auto reader = Reader::open(folder.file("a.coal"));
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->template rows<TypeParam>()->size(), 2U);
}

TEST(Writer, DoesNotTouchAFileThatExists) {
  const TemporaryFolder folder;
  set_content(folder.file("a.coal"), "precious");
  const auto writer = Writer::create(folder.file("a.coal"));
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().code, base::ErrorCode::usage);
  EXPECT_THAT(writer.error().text(), HasSubstr("a.coal"));
  EXPECT_EQ(content(folder.file("a.coal")), "precious");
}

TEST(Writer, SaysThatTheFolderIsMissing) {
  const auto writer = Writer::create("/nowhere/at/all/a.coal");
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().code, base::ErrorCode::not_found);
}

TEST(Writer, CommitsNothingByItself) {
  const TemporaryFolder folder;
  {
    auto writer = Writer::create(folder.file("a.coal"));
    insert(*writer, model::Process{.id = {1}});
    expect_done(writer->commit());
    insert(*writer, model::Process{.id = {2}});
  }
  EXPECT_EQ(Reader::open(folder.file("a.coal"))->rows<model::Process>()->size(), 1U);
}

TEST(Writer, GoesOnWithACapture) {
  const TemporaryFolder folder;
  write_part(folder.file("a.coal"), 1000, "k");
  {
    auto writer = Writer::open(folder.file("a.coal"));
    ASSERT_TRUE(writer) << writer.error().text();
    expect_done(writer->replace(model::Capture{.clean = true}));
    expect_done(writer->commit());
  }
  const auto rows = Reader::open(folder.file("a.coal"))->rows<model::Capture>();
  ASSERT_EQ(rows->size(), 1U);
  EXPECT_TRUE(rows->front().clean);
  EXPECT_FALSE(Writer::open(folder.file("missing.coal")));
}

TEST(Writer, CanBeMovedWithItsStatements) {
  const TemporaryFolder folder;
  auto first = Writer::create(folder.file("a.coal"));
  auto other = Writer::create(folder.file("b.coal"));
  insert(*first, model::Process{.id = {1}});
  *other = std::move(*first);
  insert(*other, model::Process{.id = {2}});
  expect_done(other->commit());
  EXPECT_EQ(Reader::open(folder.file("a.coal"))->rows<model::Process>()->size(), 2U);
}

// The promise that a crash of the recorded program costs no more than the last batch.
TEST(Writer, CommittedRowsSurviveSigkill) {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    auto writer = Writer::create(folder.file("a.coal"));
    for (std::int64_t i = 1; writer && i <= 5000; ++i) (void)writer->insert(model::Launch{.id = {i}});
    if (writer) (void)writer->commit();
    for (std::int64_t i = 5001; writer && i <= 5100; ++i) (void)writer->insert(model::Launch{.id = {i}});
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_TRUE(std::filesystem::exists(folder.file("a.coal-wal")));
  auto reader = Reader::open(folder.file("a.coal"));
  ASSERT_TRUE(reader) << reader.error().text();
  EXPECT_EQ(reader->rows<model::Launch>()->size(), 5000U);
  // The log lies beside the file, not beside a link to it.
  std::filesystem::create_directory(folder.file("elsewhere"));
  std::filesystem::create_symlink(folder.file("a.coal"), folder.file("elsewhere/link.coal"));
  auto linked = Reader::open(folder.file("elsewhere/link.coal"));
  ASSERT_TRUE(linked) << linked.error().text();
  EXPECT_EQ(linked->rows<model::Launch>()->size(), 5000U);
}

}  // namespace
}  // namespace coalescope::capture
