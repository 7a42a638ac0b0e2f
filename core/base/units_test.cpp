#include "core/base/units.h"

#include <gtest/gtest.h>
#include <limits>

namespace coalescope::base {
namespace {

TEST(Units, BytesAreExactWhereTheyAreWhole) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(37), "37 B");
  EXPECT_EQ(format_bytes(4096), "4 KiB");
  EXPECT_EQ(format_bytes(1536), "1.50 KiB");
  EXPECT_EQ(format_bytes(134217728), "128 MiB");
  EXPECT_EQ(format_bytes(85.0 * 1024 * 1024 * 1024), "85 GiB");
}

TEST(Units, BytesBelowTheNextUnitStayInTheirOwn) {
  EXPECT_EQ(format_bytes(1023), "1,023 B");
  EXPECT_EQ(format_bytes(1024), "1 KiB");
  EXPECT_EQ(format_bytes(1010.0 * 1024), "1,010 KiB");
}

TEST(Units, TimesTakeTheUnitThatKeepsThreeDigits) {
  EXPECT_EQ(format_ns(0), "0 ns");
  EXPECT_EQ(format_ns(850), "850 ns");
  EXPECT_EQ(format_ns(61600), "61.6 us");
  EXPECT_EQ(format_ns(136500), "136 us");
  EXPECT_EQ(format_ns(1240000), "1.24 ms");
  EXPECT_EQ(format_ns(12345678901), "12.3 s");
  EXPECT_EQ(format_ns(4000000000000), "4,000 s");
}

// 999,960 ns is 1.00 ms, not "1000 us".
TEST(Units, RoundingCarriesIntoTheNextUnit) {
  EXPECT_EQ(format_ns(999960), "1.00 ms");
  EXPECT_EQ(format_ns(999400), "999 us");
  EXPECT_EQ(format_ns(9999), "10.0 us");
}

TEST(Units, SharesDoNotRoundIntoNothingOrAll) {
  EXPECT_EQ(format_share(0.125), "12.5 %");
  EXPECT_EQ(format_share(1.0 / 3), "33.3 %");
  EXPECT_EQ(format_share(0), "0 %");
  EXPECT_EQ(format_share(1), "100 %");
  EXPECT_EQ(format_share(1.0003), "100 %") << "a sum of rounded parts";
  EXPECT_EQ(format_share(0.00001), "< 0.1 %");
  EXPECT_EQ(format_share(0.0039), "0.4 %");
  EXPECT_EQ(format_share(0.99999), "> 99.9 %");
  EXPECT_EQ(format_share(1.5), "150.0 %");
}

TEST(Units, CountsAreGrouped) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1048576), "1,048,576");
  EXPECT_EQ(format_count(-1000), "-1,000");
  EXPECT_EQ(format_count(std::numeric_limits<std::int64_t>::min()), "-9,223,372,036,854,775,808");
}

TEST(Units, BandwidthsAreDecimal) {
  EXPECT_EQ(format_bandwidth(55.0e9), "55.0 GB/s");
  EXPECT_EQ(format_bandwidth(1.6e9), "1.60 GB/s");
  EXPECT_EQ(format_bandwidth(3.35e12), "3.35 TB/s");
  EXPECT_EQ(format_bandwidth(0), "0 B/s");
}

TEST(Units, AFigureIsShownInItsUnit) {
  EXPECT_EQ(format_figure(55, "GB/s"), "55.0 GB/s");
  EXPECT_EQ(format_figure(61600, "ns"), "61.6 us");
  EXPECT_EQ(format_figure(2048, "bytes"), "2 KiB");
  EXPECT_EQ(format_figure(0.12346, ""), "0.1235");
  EXPECT_EQ(format_figure(12, "words"), "12 words");
}

TEST(Units, RatiosHaveOneDecimal) {
  EXPECT_EQ(format_ratio(31.94), "31.9");
  EXPECT_EQ(format_ratio(4), "4.0");
  EXPECT_EQ(format_ratio(0), "0.0");
  EXPECT_EQ(format_ratio(0.01), "< 0.1");
}

}  // namespace
}  // namespace coalescope::base
