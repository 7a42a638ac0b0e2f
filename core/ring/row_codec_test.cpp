#include <gtest/gtest.h>
#include <random>

#include "core/capture/captures_test.h"
#include "core/capture/cells.h"
#include "core/ring/row_decoder.h"

namespace coalescope::ring {
namespace {

template <class Row>
class EveryTable : public ::testing::Test {};
template <class Tuple>
struct RowTypes;
template <class... Row>
struct RowTypes<std::tuple<Row...>> {
  using type = ::testing::Types<Row...>;
};
struct RowName {
  template <class Row>
  static std::string GetName(int) {
    return std::string(capture::Table<Row>::kName);
  }
};
TYPED_TEST_SUITE(EveryTable, RowTypes<capture::Tables>::type, RowName);

template <class Row>
std::vector<std::byte> bytes_of(const Row& row) {
  RowEncoder encoder;
  encoder.add(row, capture::OnConflict::fail);
  return {encoder.bytes().begin(), encoder.bytes().end()};
}

// Two rows with the same columns have the same bytes.
TYPED_TEST(EveryTable, ARowIsWhatItWas) {
  for (const bool full : {true, false}) {
    const auto row = capture::filled_row<TypeParam>(100, full);
    const auto bytes = bytes_of(row);
    RowDecoder decoder(bytes);
    const EncodedRow* found = decoder.next();
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->table, capture::table_index<TypeParam>());
    TypeParam again;
    capture::Cells cells(found->columns, capture::Table<TypeParam>::kName);
    EXPECT_TRUE(cells.take_row(again)) << cells.fault();
    EXPECT_EQ(bytes_of(again), bytes);
    EXPECT_EQ(decoder.next(), nullptr);
    EXPECT_FALSE(decoder.damaged());
  }
}

TYPED_TEST(EveryTable, ARowThatIsCutOffIsDamaged) {
  const auto bytes = bytes_of(capture::filled_row<TypeParam>(100, true));
  for (std::size_t length = 1; length < bytes.size(); ++length) {
    RowDecoder decoder({bytes.data(), length});
    EXPECT_EQ(decoder.next(), nullptr);
    EXPECT_TRUE(decoder.damaged()) << length;
  }
}

TEST(RowCodec, KeepsOrderAndWhatAConflictMeans) {
  RowEncoder encoder;
  encoder.add(model::Reading{{1}, model::MetricId{1}, 10}, capture::OnConflict::fail);
  encoder.add(model::Reading{{2}, model::MetricId{1}, 20}, capture::OnConflict::replace);
  encoder.add(model::Reading{{3}, model::MetricId{1}, 30}, capture::OnConflict::fail);
  encoder.take_back();
  RowDecoder decoder(encoder.bytes());
  EXPECT_EQ(decoder.next()->on_conflict, capture::OnConflict::fail);
  EXPECT_EQ(decoder.next()->on_conflict, capture::OnConflict::replace);
  EXPECT_EQ(decoder.next(), nullptr);
  EXPECT_FALSE(decoder.damaged());
}

TEST(RowCodec, SurvivesEveryDamage) {
  RowEncoder encoder;
  for (int i = 0; i < 10; ++i) {
    encoder.add(capture::filled_row<model::Process>(i, true), capture::OnConflict::replace);
    encoder.add(capture::filled_row<model::Module>(i, true), capture::OnConflict::fail);
  }
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::byte> bytes(encoder.bytes().begin(), encoder.bytes().end());
    for (int i = 0; i < 3; ++i) bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    RowDecoder decoder(bytes);
    while (const EncodedRow* row = decoder.next()) {
      model::Process process;
      capture::Cells cells(row->columns, capture::Table<model::Process>::kName);
      (void)cells.take_row(process);
    }
  }
}

}  // namespace
}  // namespace coalescope::ring
