#include "core/ring/part_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

#include "core/capture/captures_test.h"
#include "core/capture/reader.h"
#include "core/ring/note.h"
#include "core/ring/row_writer.h"

namespace coalescope::ring {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

class PartWriterTest : public ::testing::Test {
 protected:
  void make(const std::string& folder) {
    auto segment = Segment::create(kRingSegmentBytes).value();
    bytes_ = static_cast<std::byte*>(segment.data());
    ring_ = std::make_unique<RingWriter>(Segment::attach(segment.id(), kRingSegmentBytes).value());
    rows_ = std::make_unique<RowWriter>(*ring_);
    part_ = std::make_unique<PartWriter>(std::move(segment), folder);
  }
  void SetUp() override { make(folder_.path()); }

  void push(FrameKind kind, std::string_view text) {
    ASSERT_TRUE(ring_->push(kind, std::as_bytes(std::span(text)), 1s));
  }
  void begin() {
    push(FrameKind::begin, "host-1-0");
    ASSERT_TRUE(rows_->insert(model::Capture{}));
    ASSERT_TRUE(rows_->insert(model::Process{.id = {1}, .pid = 1}));
    ASSERT_TRUE(rows_->publish());
  }
  static model::Range range(std::int64_t id) {
    model::Range row;
    row.id = id;
    return row;
  }
  template <class Row>
  std::vector<Row> rows() {
    auto reader = capture::Reader::open(folder_.file("host-1-0.part.coal"));
    EXPECT_TRUE(reader) << reader.error().text();
    return reader ? reader->rows<Row>().value() : std::vector<Row>{};
  }
  std::vector<std::string> codes() {
    std::vector<std::string> codes;
    for (const auto& row : rows<model::Diagnostic>()) codes.push_back(row.code);
    return codes;
  }

  const capture::TemporaryFolder folder_;
  std::byte* bytes_ = nullptr;
  std::unique_ptr<RingWriter> ring_;
  std::unique_ptr<RowWriter> rows_;
  std::unique_ptr<PartWriter> part_;
};

TEST_F(PartWriterTest, WritesRowsAndCode) {
  begin();
  push(FrameKind::code, "ab");
  push(FrameKind::code, "cd");
  ASSERT_TRUE(rows_->insert(range(1)));
  ASSERT_TRUE(rows_->publish());
  part_->finish();
  EXPECT_EQ(rows<model::Process>().size(), 1U);
  EXPECT_EQ(rows<model::Range>().size(), 1U);
  EXPECT_EQ(capture::content(folder_.file("host-1-0.code")), "abcd");
  EXPECT_TRUE(codes().empty());
}

TEST_F(PartWriterTest, CommitsWhileItsProcessGoesOn) {
  begin();
  std::this_thread::sleep_for(260ms);
  part_->step();
  EXPECT_EQ(rows<model::Process>().size(), 1U);
}

// What was sent and is whole is kept; of what was begun and is not, nothing.
TEST_F(PartWriterTest, RowsThatBelongTogetherComeAllOrNot) {
  begin();
  ASSERT_TRUE(rows_->insert(range(1)));
  ASSERT_TRUE(rows_->publish());
  for (std::int64_t id = 2; id < 20'000; ++id) ASSERT_TRUE(rows_->insert(range(id)));
  part_->step();
  ring_.reset();  // its process was killed
  EXPECT_TRUE(part_->process_is_gone());
  part_->finish();
  EXPECT_EQ(rows<model::Range>().size(), 1U);
}

TEST_F(PartWriterTest, ManyRowsThatBelongTogetherAreKept) {
  begin();
  for (std::int64_t id = 1; id < 20'000; ++id) ASSERT_TRUE(rows_->insert(range(id)));
  ASSERT_TRUE(rows_->publish());
  part_->finish();
  EXPECT_EQ(rows<model::Range>().size(), 19'999U);
}

TEST_F(PartWriterTest, ARowThatDoesNotFitCostsOnlyItself) {
  begin();
  for (const std::int64_t id : {1, 1, 2}) ASSERT_TRUE(rows_->insert(range(id)));
  ASSERT_TRUE(rows_->publish());
  part_->finish();
  EXPECT_EQ(rows<model::Range>().size(), 2U);
  EXPECT_THAT(codes(), ElementsAre("row_refused"));
}

TEST_F(PartWriterTest, ARowThatIsTooLongIsLeftOut) {
  begin();
  EXPECT_FALSE(rows_->insert(model::Process{.id = {2}, .executable = std::string(kMostFrameBytes, 'x')}));
  ASSERT_TRUE(rows_->insert(range(1)));
  ASSERT_TRUE(rows_->publish());
  part_->finish();
  EXPECT_EQ(rows<model::Range>().size(), 1U);
}

TEST_F(PartWriterTest, AProcessThatSendsNonsenseIsToldOf) {
  begin();
  push(FrameKind::rows, "nonsense");
  part_->step();
  EXPECT_FALSE(ring_->has_reader()) << "it need send nothing more";
  part_->finish();
  EXPECT_EQ(rows<model::Process>().size(), 1U);
  EXPECT_THAT(codes(), ElementsAre("ring_damaged"));
}

TEST_F(PartWriterTest, AValueThatCannotBeCostsItsRowOnly) {
  begin();
  model::Diagnostic row;
  row.severity = static_cast<model::Severity>(4711);
  ASSERT_TRUE(rows_->insert(row));
  ASSERT_TRUE(rows_->insert(range(1)));
  ASSERT_TRUE(rows_->publish());
  part_->step();
  EXPECT_TRUE(ring_->has_reader()) << "the recording goes on";
  part_->finish();
  EXPECT_EQ(rows<model::Range>().size(), 1U);
  EXPECT_THAT(codes(), ElementsAre("row_refused"));
}

TEST_F(PartWriterTest, WritesNowhereElse) {
  for (const char* name : {"../x", "/tmp/x", "", ".x", "a/b"}) {
    make(folder_.path());
    push(FrameKind::begin, name);
    ASSERT_TRUE(rows_->insert(range(1)));
    part_->finish();
    EXPECT_FALSE(ring_->has_reader());
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
    EXPECT_TRUE(entry.is_symlink());
}

TEST_F(PartWriterTest, AFolderThatCannotBeWrittenEndsTheRecording) {
  make(folder_.file("missing"));
  push(FrameKind::begin, "host-1-0");
  part_->step();
  EXPECT_FALSE(ring_->has_reader());
  part_->finish();
}

TEST_F(PartWriterTest, APartThatIsThereIsNotWrittenOver) {
  capture::set_content(folder_.file("host-1-0.part.coal"), "mine");
  push(FrameKind::begin, "host-1-0");
  part_->finish();
  EXPECT_EQ(capture::content(folder_.file("host-1-0.part.coal")), "mine");
  EXPECT_THAT(read_notes(folder_.path()), ElementsAre(HasSubstr("cannot create")));
}

TEST_F(PartWriterTest, SurvivesEveryDamage) {
  std::mt19937 random(1);
  for (int round = 0; round < 40; ++round) {
    make(folder_.path());
    push(FrameKind::begin, "host-" + std::to_string(round));
    for (std::int64_t id = 1; id < 20; ++id) ASSERT_TRUE(rows_->insert(range(id)));
    ASSERT_TRUE(rows_->publish());
    push(FrameKind::code, "123456789012");
    for (int i = 0; i < 20; ++i)
      bytes_[kRingHeaderBytes + random() % 1500] = static_cast<std::byte>(random());
    part_->finish();
  }
}

}  // namespace
}  // namespace coalescope::ring
