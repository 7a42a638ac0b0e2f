#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/html/sections.h"

namespace coalescope::html {
namespace {

using testing::HasSubstr;

class GpuTimeSection : public testing::Test {
 protected:
  void add(std::int64_t gpu_ns, std::int64_t bytes, std::optional<double> reference) {
    auto& row = report_.transfers.emplace_back();
    row.gpu_ns = gpu_ns;
    row.bytes = bytes;
    row.reference_bandwidth = reference;
    report_.totals.transfer_ns += gpu_ns;
  }

  analysis::Report report_;
};

TEST_F(GpuTimeSection, CopiesAreComparedWithPinnedMemory) {
  add(1'000'000, 10'000'000, 50e9);
  EXPECT_THAT(gpu_time_section(report_).markup(), HasSubstr("20.0 % of the speed of pinned memory"));
}

TEST_F(GpuTimeSection, AFewThatCanBeComparedSayNothingOfTheOthers) {
  add(1'000'000, 50'000'000, 50e9);
  add(9'000'000, 1'000'000, std::nullopt);
  const std::string page = gpu_time_section(report_).markup();
  EXPECT_THAT(page, HasSubstr("most of this time went to memory sets"));
  EXPECT_THAT(page, HasSubstr("class=\"use-unknown\" x=\"0.0\" width=\"998.5\""));
}

}  // namespace
}  // namespace coalescope::html
