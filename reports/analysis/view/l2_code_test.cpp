#include "reports/analysis/view/l2_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/analysis/view/l2_hits.h"

namespace coalescope::analysis {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

Finding advised_finding(std::string rule, std::string advice, std::vector<Fact> parameters) {
  Finding finding;
  finding.rule = std::move(rule);
  finding.advice_id = std::move(advice);
  finding.advice_parameters = std::move(parameters);
  finding.evidence = "what was seen";
  return finding;
}

TEST(L2Code, AWindowHasTheFiguresOfItsAdviceRoundedDown) {
  Report report;
  report.findings = {advised_finding("R01", "R01.tune_hit_ratio",
                                     {{"set_aside_bytes", 31'457'280, "bytes"},
                                      {"num_bytes", 67'108'864, "bytes"},
                                      {"hit_ratio", 0.4688, "share"}})};
  const auto codes = l2_codes(report);
  ASSERT_THAT(codes, SizeIs(1));
  EXPECT_THAT(codes[0].code, HasSubstr("cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 31457280);"));
  EXPECT_THAT(codes[0].code, HasSubstr("num_bytes = 67108864;"));
  EXPECT_THAT(codes[0].code, HasSubstr("hitRatio = 0.46f;"));
}

TEST(L2Code, WithoutALargerSetAsideItSetsNone) {
  Report report;
  report.findings = {
      advised_finding("R01", "R01.tune_hit_ratio", {{"num_bytes", 64, "bytes"}, {"hit_ratio", 1, "share"}})};
  EXPECT_THAT(l2_codes(report).at(0).code, Not(HasSubstr("cudaDeviceSetLimit")));
}

TEST(L2Code, TheSameCodeStandsOnce) {
  Report report;
  report.findings = {advised_finding("R02", "R02.give_back", {}),
                     advised_finding("R02", "R02.give_back", {})};
  const auto codes = l2_codes(report);
  ASSERT_THAT(codes, SizeIs(1));
  EXPECT_THAT(codes[0].code, HasSubstr("cudaCtxResetPersistingL2Cache();"));
}

// A kernel that reads again from DRAM, with two pointers.
Report rereading() {
  Report report;
  KernelRow row;
  row.id = 4;
  row.device_id = 1;
  row.footprint_bytes = 192'000'000;
  report.kernels = {row};
  DeviceRow device;
  device.properties.id = {1};
  device.properties.l2_bytes = 50'000'000;
  device.properties.persisting_l2_max_bytes = 32'000'000;
  device.properties.access_policy_max_window_bytes = 128'000'000;
  report.devices = {device};
  for (const std::int64_t parameter : {0, 1})
    report.program.pointers.push_back(
        {4, "k", parameter, model::MemoryKind::device, 1, 64'000'000 * (parameter + 1), 0});
  Finding finding = advised_finding("R04", "R04.work_in_blocks", {});
  finding.kernel_id = 4;
  report.findings = {finding};
  return report;
}

TEST(L2Code, ForWhatIsReadAgainItOffersAWindowToTry) {
  const auto codes = l2_codes(rereading());
  ASSERT_THAT(codes, SizeIs(1));
  EXPECT_THAT(codes[0].why, HasSubstr("measure before and after"));
  EXPECT_THAT(codes[0].code, HasSubstr("base_ptr = parameter_1;"));
  EXPECT_THAT(codes[0].code, HasSubstr("num_bytes = 128000000;"));
  EXPECT_THAT(codes[0].code, HasSubstr("hitRatio = 0.25f;"));
}

TEST(L2Code, WithoutAPointerOrASetAsideThereIsNoCode) {
  Report report = rereading();
  report.program.pointers.clear();
  EXPECT_THAT(l2_codes(report), IsEmpty());
  report = rereading();
  report.devices[0].properties.persisting_l2_max_bytes.reset();
  EXPECT_THAT(l2_codes(report), IsEmpty());
  report = rereading();
  report.kernels[0].footprint_bytes = 2'000'000;
  EXPECT_THAT(l2_codes(report), IsEmpty()) << "what fits into L2 needs no window";
}

TEST(L2Hits, WeighKernelsByTheirBytesAndSayWhoseTheyAre) {
  Report report;
  for (const std::int64_t id : {1, 2, 3}) {
    KernelRow row;
    row.id = id;
    row.launches = id;
    row.gpu_ns = 100;
    row.l2_sectors = 1'000;
    if (id < 3) row.l2_hit_ratio = id == 1 ? 0.9 : 0.3;
    report.kernels.push_back(row);
  }
  const auto hits = l2_hits(report);
  ASSERT_THAT(hits.kernels, SizeIs(2));
  EXPECT_EQ(hits.kernels[0].kernel->id, 2);
  EXPECT_DOUBLE_EQ(*hits.hit_ratio, 0.5);
  EXPECT_DOUBLE_EQ(hits.share, 2.0 / 3);
  EXPECT_FALSE(l2_hits({}).hit_ratio);
}

}  // namespace
}  // namespace coalescope::analysis
