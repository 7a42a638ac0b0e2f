#include "reports/analysis/view/verdict.h"

#include <gmock/gmock.h>

#include "reports/analysis/rules/rules.h"
#include "reports/analysis/view/savings.h"

namespace coalescope::analysis {
namespace {

using model::CoverageReason;
using model::Phase;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t kMs = 1'000'000;

KernelRow kernel(std::int64_t id, std::int64_t gpu_ns, bool counted = true) {
  KernelRow row;
  row.id = id;
  row.name = "kernel" + std::to_string(id);
  row.gpu_ns = gpu_ns;
  row.bytes_samples.measured = counted ? 1 : 0;
  if (!counted) row.unmeasured.push_back({Phase::bytes, CoverageReason::too_few_launches, "ran once"});
  return row;
}

Finding finding(std::string rule, std::vector<std::int64_t> kernels, std::optional<std::int64_t> lost_ns,
                std::int64_t subject_ns) {
  Finding made;
  made.rule = std::move(rule);
  made.title = "Uncoalesced loads";
  made.subject = kernels.empty() ? "pageable host to device, 4 MiB" : "kernel" + std::to_string(kernels[0]);
  if (!kernels.empty()) made.kernel_id = kernels[0];
  made.kernel_ids = std::move(kernels);
  made.lost_ns = lost_ns;
  made.subject_ns = subject_ns;
  return made;
}

// Two kernels of 100 ms and copies of 106 ms, in a run of 4 s.
Report small_run() {
  Report made;
  made.command = {"./app"};
  made.kernels = {kernel(1, 100 * kMs), kernel(2, 100 * kMs)};
  made.totals.kernel_ns = 200 * kMs;
  made.totals.transfer_ns = 106 * kMs;
  made.totals.kernel_families = 2;
  made.totals.wall_ns = 4000 * kMs;
  made.transfers.emplace_back().id = 1;
  made.devices.emplace_back();
  made.processes.emplace_back();
  return made;
}

Finding pageable(std::int64_t lost_ns) {
  Finding made = finding("T01", {}, lost_ns, 106 * kMs);
  made.subjects = {{SubjectKind::transfers, 1}};
  made.call_file = "/home/user/train.py";
  made.call_line = 31;
  return made;
}

// 1 GB takes 0.3 ms at the peak and counts for nothing beside 306 ms; 100 GB would.
TEST(Verdict, AFewMemorySetsWithoutATimeLeaveTheBusyTimeKnown) {
  Report made = small_run();
  made.devices[0].peak_dram_bandwidth = 3.35e12;
  made.totals.untimed_transfers = 4;
  TransferRow& sets = made.transfers.emplace_back();
  sets.direction = model::Direction::set;
  sets.transfers = 4;
  sets.bytes = 1'000'000'000;
  EXPECT_THAT(verdict_of(made).text, HasSubstr("busy for 8 % of the run"));
  sets.bytes = 100'000'000'000;
  EXPECT_THAT(verdict_of(made).text, Not(HasSubstr("busy for")));
  sets.bytes = 1;
  sets.direction = model::Direction::host_to_device;
  EXPECT_THAT(verdict_of(made).text, Not(HasSubstr("busy for")));
}

TEST(Verdict, SaysWhatRepairsWouldSaveAndWhichIsTheFirst) {
  Report made = small_run();
  made.findings = {pageable(70 * kMs), finding("G01", {1}, 20 * kMs, 100 * kMs),
                   finding("S01", {2}, 9 * kMs, 100 * kMs)};
  const RunVerdict verdict = verdict_of(made);
  EXPECT_EQ(
      verdict.text,
      "Three repairs would save about 99.0 ms of 306 ms of GPU time (32.4 %); the first is to pin the host "
      "memory "
      "of copies (pageable host to device, 4 MiB; train.py:31). The GPU was busy for 8 % of the run.");
  EXPECT_EQ(verdict.coverage, "Counts cover all of the kernels' GPU time.");
  EXPECT_EQ(verdict.command, std::nullopt);
}

TEST(Verdict, NamesTheRepairThatIsListedFirst) {
  Report made = small_run();
  made.findings = {finding("G01", {1}, 20 * kMs, 100 * kMs), finding("S01", {2}, 22 * kMs, 100 * kMs)};
  EXPECT_THAT(verdict_of(made).text,
              HasSubstr("Two repairs would save about 42.0 ms of 306 ms of GPU time (13.7 "
                        "%); the first is to coalesce the loads of kernel1."));
}

TEST(Verdict, SmallRepairsAreCountedApart) {
  Report made = small_run();
  made.findings = {finding("G01", {1}, 20 * kMs, 100 * kMs), finding("S01", {2}, 1 * kMs, 100 * kMs)};
  EXPECT_THAT(
      verdict_of(made).text,
      HasSubstr("One repair would save about 20.0 ms of 306 ms of GPU time (6.5 %): coalesce the loads of "
                "kernel1. One smaller repair would save 1.00 ms more."));
  made.findings.erase(made.findings.begin());
  EXPECT_THAT(verdict_of(made).text, HasSubstr("No single repair would save 1 % of the GPU time."));
}

TEST(Savings, OfOneKernelOnlyTheLargestFindingCounts) {
  Report made = small_run();
  made.findings = {finding("G01", {1}, 60 * kMs, 100 * kMs), finding("G04", {2, 1}, 70 * kMs, 200 * kMs),
                   finding("S01", {2}, 50 * kMs, 100 * kMs)};
  const Savings savings = savings_of(made);
  EXPECT_THAT(savings.repairs, ElementsAre(&made.findings[1]));
  EXPECT_EQ(savings.gpu_ns, 70 * kMs);
}

TEST(Savings, CopiesOfOneClassCountForEachCall) {
  Report made = small_run();
  made.findings = {pageable(50 * kMs), pageable(40 * kMs), pageable(30 * kMs)};
  made.findings[0].call_site_id = 7;
  made.findings[1].call_site_id = made.findings[2].call_site_id = 8;
  const Savings savings = savings_of(made);
  EXPECT_THAT(savings.repairs, ElementsAre(&made.findings[0], &made.findings[1]));
  EXPECT_EQ(savings.gpu_ns, 90 * kMs);
}

TEST(Savings, AreNeverMoreThanTheTimeOfTheirSubjectAndOfTheRun) {
  Report made = small_run();
  made.findings = {finding("G01", {1}, 900 * kMs, 100 * kMs)};
  EXPECT_EQ(savings_of(made).gpu_ns, 100 * kMs);
  made.findings = {finding("G01", {1}, 900 * kMs, 900 * kMs)};
  EXPECT_EQ(savings_of(made).gpu_ns, 306 * kMs);
}

TEST(Savings, NotesSaveNothingAndWaitsNoGpuTime) {
  Report made = small_run();
  made.findings = {finding("G02", {1}, 50 * kMs, 100 * kMs), finding("T03", {}, 900 * kMs, 900 * kMs)};
  made.findings[0].level = Level::note;
  made.findings[1].subjects = {{SubjectKind::timeline, 0}};
  const Savings savings = savings_of(made);
  EXPECT_TRUE(savings.repairs.empty());
  EXPECT_EQ(savings.wait_ns, 900 * kMs);
  EXPECT_THAT(verdict_of(made).text,
              HasSubstr("One change on the host would shorten the run by about 900 ms: wait for copies less "
                        "often."));
  made.findings[1].least_lost_ns = 0;
  made.findings[1].most_lost_ns = 1'200 * kMs;
  EXPECT_THAT(verdict_of(made).text, HasSubstr("would shorten the run by up to 1.20 s")) << "or by nothing";
}

TEST(Savings, CopiesBehindWhichTheGpuIdlesShortenTheRun) {
  Report made = small_run();
  made.findings = {finding("T01", {}, 900 * kMs, 100 * kMs)};
  made.findings[0].subjects = {{SubjectKind::transfers, 1}};
  const Savings savings = savings_of(made);
  EXPECT_TRUE(savings.repairs.empty());
  EXPECT_EQ(savings.wait_ns, 900 * kMs);
  made.findings[0].lost_ns = 90 * kMs;
  EXPECT_EQ(savings_of(made).gpu_ns, 90 * kMs);
}

TEST(Savings, OfFindingsAboutAKernelTheFirstListedCounts) {
  Report made = small_run();
  made.findings = {finding("G01", {1}, 90 * kMs, 200 * kMs), finding("S01", {1}, 95 * kMs, 200 * kMs)};
  made.findings[0].least_lost_ns = 80 * kMs;
  made.findings[1].least_lost_ns = 10 * kMs;
  EXPECT_EQ(savings_of(made).gpu_ns, 90 * kMs);
  EXPECT_EQ(counted_findings(made), std::unordered_set<const Finding*>{&made.findings[0]});
}

TEST(Verdict, NothingWorthDoingSaysWhatWasLookedAt) {
  const RunVerdict verdict = verdict_of(small_run());
  EXPECT_THAT(verdict.text, HasSubstr("No rule found anything worth repairing in what was measured. " +
                                      std::to_string(rule_catalogue().size()) +
                                      " rules were applied to 2 kernels and 1 class of transfers."));
}

TEST(Verdict, KernelsWithoutCountsAndTimeHaveNoShare) {
  Report made = small_run();
  KernelRow& row = made.kernels.emplace_back(kernel(3, kMs));
  row.bytes_samples.measured = row.lines_samples.measured = 0;
  row.gpu_ns = 2 * kMs;
  EXPECT_THAT(verdict_of(made).text, HasSubstr("1 kernel group with 1.0 % of the kernels' time could not"));
  made.kernels.back().gpu_ns.reset();
  EXPECT_THAT(verdict_of(made).text, HasSubstr("1 kernel group whose time is unknown could not be judged"));
}

TEST(Verdict, AGpuThatIdlesMostOfTheTimeIsSaidFirst) {
  Report made = small_run();
  DeviceStretches& device = made.time_line.devices.emplace_back();
  device.kernels = {{0, 1'224 * kMs, 306 * kMs}};
  EXPECT_THAT(
      verdict_of(made).text,
      testing::StartsWith("Kernels ran for only 25 % of the time in the second half of the recording. "));
  device.kernels[0].ended_ns = 510 * kMs;
  EXPECT_THAT(verdict_of(made).text,
              testing::EndsWith(" Kernels ran for 60 % of the time in the second half of the recording."));
}

TEST(Verdict, CopiesMadeOnceAreNamedWhereTheyAreMuchOfTheRun) {
  Report made = small_run();
  made.transfers[0].gpu_ns = 106 * kMs;
  made.transfers[0].bursts = 1;
  EXPECT_THAT(verdict_of(made).text, HasSubstr("Copies made once take 106 ms of the 306 ms of GPU time."));
  made.transfers[0].bursts = 2;
  EXPECT_THAT(verdict_of(made).text, Not(HasSubstr("made once")));
}

TEST(Verdict, OfFindingsWithoutAPriceTheFirstIsNamed) {
  Report made = small_run();
  made.findings = {finding("G01", {1}, std::nullopt, 100 * kMs)};
  EXPECT_THAT(verdict_of(made).text,
              HasSubstr("One finding, with unknown savings; the first is to coalesce the loads of kernel1."));
}

TEST(Verdict, LittleMeasuredNamesTheCommandThatMeasuresTheRest) {
  Report made = small_run();
  made.kernels = {kernel(1, 20 * kMs), kernel(2, 180 * kMs, false)};
  const RunVerdict verdict = verdict_of(made);
  EXPECT_EQ(verdict.coverage,
            "Counts cover only 10.0 % of the kernels' GPU time (too few launches to sample).");
  EXPECT_EQ(verdict.command, "coalescope record --rerun -- ./app");
}

TEST(Verdict, AShapeForWhichAnotherOneStandsIsCovered) {
  Report made = small_run();
  made.kernels = {kernel(1, 20 * kMs), kernel(2, 180 * kMs, false)};
  made.kernels[1].unmeasured[0].reason = CoverageReason::size_measured;
  EXPECT_EQ(verdict_of(made).coverage, "Counts cover all of the kernels' GPU time.");
}

TEST(Verdict, TrafficThatIsMissingIsSaidWhereAccessesWereCounted) {
  Report made = small_run();
  made.kernels = {kernel(1, 20 * kMs), kernel(2, 180 * kMs)};
  made.kernels[0].traffic_samples.measured = 1;
  made.kernels[1].unmeasured = {{.phase = Phase::traffic, .reason = CoverageReason::too_few_launches}};
  const RunVerdict verdict = verdict_of(made);
  EXPECT_EQ(verdict.coverage,
            "Counts cover all of the kernels' GPU time. L2 and DRAM traffic was measured for only 10.0 % of "
            "it (too few launches to sample).");
  EXPECT_TRUE(verdict.command);
  // Nobody misses what was not wanted.
  made.kernels[1].unmeasured[0].reason = CoverageReason::phase_off;
  EXPECT_EQ(verdict_of(made).coverage, "Counts cover all of the kernels' GPU time.");
}

TEST(Verdict, NothingMeasuredIsNoCleanBill) {
  Report made = small_run();
  made.kernels = {kernel(1, 200 * kMs, false)};
  const RunVerdict verdict = verdict_of(made);
  EXPECT_THAT(verdict.text, HasSubstr("Nothing could be judged"));
  EXPECT_THAT(verdict.text, HasSubstr("no access of any kernel was counted"));
  EXPECT_EQ(verdict.coverage, "The reason: too few launches to sample.");
  EXPECT_TRUE(verdict.command);
  made.findings = {pageable(70 * kMs)};
  EXPECT_EQ(verdict_of(made).coverage, "No access of any kernel was counted: too few launches to sample.");
}

TEST(Verdict, AProgramWithoutGpuWorkSaysSo) {
  EXPECT_THAT(verdict_of({}).text, HasSubstr("ran no kernel"));
  EXPECT_EQ(verdict_of({}).coverage, "");
}

TEST(Verdict, OfACalibrationIsItsOutcome) {
  Report made;
  made.calibration.push_back(
      {0, "A3", "copy/0", "sectors", "sectors", 0.0, 32.0, 32.0, model::Verdict::pass, std::nullopt});
  EXPECT_EQ(verdict_of(made).text, "Calibration: 1 of 1 counts exact.");
}

TEST(RepairPhrase, ARuleThatIsNotInTheTableIsNamedByItsTitle) {
  Finding of_call = finding("G01", {1}, 1, 1);
  of_call.repair = "sort the indices";
  EXPECT_EQ(repair_phrase(of_call), "sort the indices");
  of_call.repair = "give the threads of {} more registers";
  EXPECT_EQ(repair_phrase(of_call), "give the threads of " + of_call.subject + " more registers");
  EXPECT_EQ(repair_phrase(finding("X99", {1}, 1, 1)), "look at \"uncoalesced loads\" of kernel1");
}

TEST(PlaceToChange, IsTheCallOfALibrarysKernelAndTheLineOfOnesOwn) {
  Finding made = finding("G01", {1}, 1, 1);
  EXPECT_EQ(place_to_change(made), "");
  made.call_file = "/home/user/train.py";
  made.call_line = 31;
  EXPECT_EQ(place_to_change(made), "train.py:31");
  made.file = "/home/user/copy.cu";
  made.line = 7;
  EXPECT_EQ(place_to_change(made), "copy.cu:7");
}

}  // namespace
}  // namespace coalescope::analysis
