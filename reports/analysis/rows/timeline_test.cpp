#include "reports/analysis/rows/timeline.h"

#include <gtest/gtest.h>

#include "reports/analysis/rows/timeline_program_test.h"

namespace coalescope::analysis {
namespace {

using model::Direction;
using model::MemoryKind;
using test::kMiB;
using test::Program;

TEST(Timeline, RoundsAreUploadKernelsDownload) {
  Program program;
  for (int i = 0; i < 3; ++i) program.up().kernel(1).kernel(2).down();
  const TimelineRow row = program.row();
  EXPECT_EQ(row.rounds, 3);
  EXPECT_EQ(row.round_upload_ns, 3 * Program::kLength);
  EXPECT_EQ(row.round_kernel_ns, 6 * Program::kLength);
  EXPECT_EQ(row.round_download_ns, 3 * Program::kLength);
  EXPECT_EQ(row.round_busy_ns, 12 * Program::kLength);
  EXPECT_EQ(row.busy_ns, 12 * Program::kLength);
  EXPECT_EQ(row.overlap_ns, 0);
}

TEST(Timeline, ManyKernelsBetweenCopiesAreARoundWhereTheyComeAgain) {
  Program program;
  const auto round = [&] {
    program.up();
    for (int i = 0; i < 20; ++i) program.kernel(1);
    program.down();
  };
  for (int i = 0; i < 9; ++i) round();
  EXPECT_EQ(program.row().rounds, 0);
  round();
  EXPECT_EQ(program.row().rounds, 10);
  EXPECT_EQ(program.row().round_kernel_ns, 200 * Program::kLength);
}

// A kernel in the default stream waits for all others, and they wait for it.
TEST(Timeline, ADownloadBesideTheNextUploadIsOfItsRound) {
  Program program;
  program.in_stream(1).up().kernel(1);
  for (int i = 0; i < 5; ++i) program.in_stream(2).up().in_stream(1).beside().down().kernel(1);
  program.down();
  const TimelineRow row = program.row();
  EXPECT_EQ(row.rounds, 6);
  EXPECT_EQ(row.round_upload_ns, 6 * Program::kLength);
  EXPECT_EQ(row.round_download_ns, 6 * Program::kLength);
  EXPECT_EQ(row.round_busy_ns, 18 * Program::kLength - 5 * (Program::kLength / 2 - 2'000));
}

TEST(Timeline, AKernelApartFromTheStreamsOfTheCopiesIsNamed) {
  Program program;
  program.in_stream(9).up().kernel(1).down();  // the set-up
  for (int i = 0; i < 20; ++i)
    program.in_stream(1 + i % 2).up().kernel(1).in_stream(0).kernel(2).in_stream(1 + i % 2).down();
  EXPECT_TRUE(program.row().round_streams);
  EXPECT_EQ(program.row().round_kernel_apart, "second");
  Program of_one_stream;
  for (int i = 0; i < 20; ++i) of_one_stream.in_stream(1).up().in_stream(0).kernel(1).in_stream(1).down();
  EXPECT_FALSE(of_one_stream.row().round_streams);
  EXPECT_EQ(of_one_stream.row().round_kernel_apart, "");
}

TEST(Timeline, RoundsThatHardlyOverlapAreInTurn) {
  Program program;
  for (int i = 0; i < 20; ++i) program.in_stream(1 + i % 2).up().kernel(1).kernel(2, -2'000).down();
  EXPECT_EQ(program.row().rounds, 20);
}

TEST(Timeline, RoundsAreQueuedWhereNoWaitEndsBeforeTheyBegin) {
  Program ahead, in_step;
  for (int i = 0; i < 20; ++i) {
    ahead.up().kernel(1).down();
    ahead.waited(ahead.now() - 50'000, ahead.now() + 1'000);  // for the round before
    in_step.up().kernel(1).down();
    in_step.waited(in_step.now() - 50'000, in_step.now() + 1'000);
    in_step.pass(8'000);
  }
  EXPECT_TRUE(ahead.row().rounds_queued);
  EXPECT_FALSE(in_step.row().rounds_queued);
  Program blocking;
  for (int i = 0; i < 20; ++i) blocking.up().kernel(1).down(false);
  EXPECT_FALSE(blocking.row().rounds_queued);
}

// The first half copies in, computes and copies out in turn; the second overlaps the same work.
TEST(Timeline, AStretchInTurnIsSeenBesideOneThatOverlaps) {
  Program program;
  for (int i = 0; i < 10; ++i) program.up().kernel(1).down();
  const std::int64_t ended = program.now();
  for (int i = 0; i < 5; ++i) program.staged_round();
  const TimelineRow row = program.row();
  EXPECT_EQ(row.rounds, 10);
  EXPECT_EQ(row.all_rounds, 20) << "two in each staged round";
  EXPECT_EQ(row.round_kernel_ns, 10 * Program::kLength);
  EXPECT_EQ(row.round_trips, 0);
  EXPECT_LE(row.rounds_ended_ns, ended);
  EXPECT_GT(row.rounds_began_ns, 0);
}

// A program that begins badly is measured while it does.
TEST(Timeline, AStretchInTurnIsSeenWhereItWasMeasured) {
  Program program;
  program.kernel(1).kernel(1);
  for (int i = 0; i < 10; ++i) program.up().measured_kernel().down();
  for (int i = 0; i < 5; ++i) program.staged_round();
  const TimelineRow row = program.row();
  EXPECT_EQ(row.rounds, 9) << "the last stands beside other streams";
  EXPECT_EQ(row.round_upload_ns, 9 * Program::kLength);
  EXPECT_EQ(row.round_kernel_ns, 9 * Program::kLength);
  EXPECT_EQ(row.all_rounds, 20);
}

// As item() of PyTorch: an asynchronous copy, and the call that waits for it.
TEST(Timeline, CopiesThatTheSamePlaceWaitsForAreWaitedFor) {
  Program program;
  for (int i = 0; i < 10; ++i) program.kernel(1, 12'000).down();
  EXPECT_EQ(program.row().synchronous_copies, 0);
  program.waits_for(Direction::device_to_host, 25);
  const TimelineRow row = program.row();
  EXPECT_EQ(row.synchronous_copies, 10);
  EXPECT_EQ(row.all_synchronous_copies, 25) << "of a long run not all are listed";
  EXPECT_EQ(row.waits, 19) << "nothing is before the first kernel";
  EXPECT_EQ(row.wait_ns, 10 * 2'000 + 9 * 12'000);
}

TEST(Timeline, CopiesOfAnotherSizeAreNotThoseThatAreWaitedFor) {
  Program program;
  for (int i = 0; i < 10; ++i) program.kernel(1, 12'000).down();
  program.waits_for(Direction::device_to_host, 10, 4);
  EXPECT_EQ(program.row().waits, 0);
}

// Measuring makes each wait for the other.
TEST(Timeline, StreamsThatMeasuringTookApartAreNotInTurn) {
  Program program;
  program.kernel(1);
  for (int i = 0; i < 10; ++i) program.in_stream(i % 2).up().measured_kernel().down();
  EXPECT_EQ(program.row().rounds, 0);
}

TEST(Timeline, BusyTimeOfAStretchIsThatBetweenItsWaits) {
  Program program;
  for (int i = 0; i < 1000; ++i) program.kernel(1);
  for (int i = 0; i < 10; ++i) program.up(false).kernel(1, 20'000).down(false);
  const TimelineRow row = program.row();
  EXPECT_EQ(row.busy_ns, 1030 * Program::kLength);
  EXPECT_LE(row.wait_busy_ns, 30 * Program::kLength);
  EXPECT_GE(row.wait_busy_ns, 27 * Program::kLength);
}

TEST(Timeline, WhatOverlapsIsStagedAlready) {
  Program program;
  for (int i = 0; i < 3; ++i) program.up().beside().kernel(1).beside();
  EXPECT_EQ(program.row().rounds, 0);
  EXPECT_EQ(program.row().overlap_ns, 5 * (Program::kLength / 2 - 2'000));
}

TEST(Timeline, WaitsStandBesideCopiesThatWereWaitedFor) {
  Program program;
  program.copy(Direction::host_to_device, false).kernel(1, 20'000).copy(Direction::device_to_host, false);
  EXPECT_EQ(program.row().synchronous_copies, 2);
  EXPECT_EQ(program.row().waits, 2);
  EXPECT_EQ(program.row().wait_ns, 22'000);
  Program queued;
  queued.up().kernel(1, 20'000);
  EXPECT_EQ(queued.row().wait_ns, 0) << "nobody waited for the copy";
  Program computing;
  computing.copy(Direction::host_to_device, false).kernel(1, 5'000'000);
  EXPECT_EQ(computing.row().wait_ns, 0) << "the host did something else for so long";
}

TEST(Timeline, LongPausesBeforeUploadsAreTheHostsPreparations) {
  const auto prepares = [](Program& program, std::int64_t pause) {
    program.kernel(1).copy(Direction::host_to_device, false, 4 * kMiB, pause);
  };
  Program program;
  for (int i = 0; i < 10; ++i) prepares(program, 1'000'000);
  prepares(program, 50'000'000);
  EXPECT_EQ(program.row().preparations, 11);
  EXPECT_EQ(program.row().preparation_ns, 10 * 1'000'000 + 2 * 1'000'000) << "at most twice the median";
  EXPECT_EQ(program.row().wait_ns, 10 * Program::kPause) << "behind the copies";
  Program set_up;
  for (int i = 0; i < 10; ++i) set_up.copy(Direction::host_to_device, false, 4 * kMiB, 1'000'000);
  EXPECT_EQ(set_up.row().preparations, 0) << "nothing runs between the copies";
  Program results;
  for (int i = 0; i < 10; ++i) results.kernel(1).copy(Direction::device_to_host, false, 4 * kMiB, 1'000'000);
  EXPECT_EQ(results.row().preparations, 0) << "a download brings nothing";
}

TEST(Timeline, LongPausesBehindDownloadsAreForWhatTheHostDoesWithThem) {
  const auto row_of = [](std::int64_t bytes, bool asynchronous) {
    Program program;
    for (int i = 0; i < 11; ++i)
      program.copy(Direction::device_to_host, asynchronous, bytes).kernel(1, i < 10 ? 1'000'000 : 9'000'000);
    return program.row();
  };
  EXPECT_EQ(row_of(kMiB, false).evaluations, 11);
  EXPECT_EQ(row_of(kMiB, false).evaluation_ns, 10 * 1'000'000 + 2 * 1'000'000) << "at most twice the median";
  EXPECT_EQ(row_of(kMiB, true).evaluations, 0) << "the host does not have them yet";
  EXPECT_EQ(row_of(4, false).evaluations, 0) << "a value to show";
}

// As in JAX, whose waits CUPTI does not report.
TEST(Timeline, BehindADownloadTheHostPreparesWhoeverWaits) {
  const auto steps = [](std::int64_t bytes) {
    Program program;
    for (int i = 0; i < 10; ++i)
      program.kernel(1)
          .copy(Direction::device_to_host, true, 4, 0)
          .copy(Direction::host_to_device, true, bytes, 1'000'000);
    return program.row();
  };
  EXPECT_EQ(steps(4 * kMiB).preparations, 10);
  EXPECT_EQ(steps(4 * kMiB).preparation_ns, 10 * 1'000'000);
  EXPECT_EQ(steps(4).preparations, 0) << "what comes back at once is a round trip";
}

TEST(Timeline, ADownloadThatComesBackForAnotherKernelIsARoundTrip) {
  Program program;
  for (int i = 0; i < 4; ++i) program.kernel(1).down().up().kernel(2);
  const TimelineRow row = program.row();
  EXPECT_EQ(row.round_trips, 4);
  EXPECT_EQ(row.round_trip_bytes, 16 * kMiB);
  EXPECT_EQ(row.round_trip_ns, 8 * Program::kLength + 4 * (1 + 2) * Program::kPause);
  program.kernel(1, 50'000).down().up().kernel(2, 50'000);
  EXPECT_EQ(program.row().round_trip_ns - row.round_trip_ns, 2 * Program::kLength + 3 * Program::kPause)
      << "around it no more than between";
  EXPECT_EQ(row.round_trip_from, "first");
  EXPECT_EQ(row.round_trip_to, "second");
}

TEST(Timeline, SeveralArraysMakeARoundTripTogether) {
  Program program;
  for (int i = 0; i < 4; ++i) program.kernel(1).down().down().up().up().kernel(2);
  EXPECT_EQ(program.row().round_trips, 8);
  EXPECT_EQ(program.row().round_trip_ns, 16 * Program::kLength + 4 * (3 + 2) * Program::kPause);
  Program fewer_go;
  for (int i = 0; i < 4; ++i) fewer_go.kernel(1).down().up().up().kernel(2);
  EXPECT_EQ(fewer_go.row().round_trips, 0) << "some that come never went";
}

TEST(Timeline, WhatTheHostReducesMakesARoundTrip) {
  const auto program = [](std::int64_t back) {
    Program made;
    for (int i = 0; i < 4; ++i) made.kernel(1).down().copy(Direction::host_to_device, true, back).kernel(2);
    return made.row();
  };
  EXPECT_EQ(program(4096).round_trips, 4);
  EXPECT_EQ(program(4096).round_trip_bytes, 16 * kMiB);
  EXPECT_EQ(program(4096).round_trip_bytes_back, 4 * 4096);
  EXPECT_EQ(program(4 * kMiB).round_trip_bytes_back, 16 * kMiB);
  EXPECT_EQ(program(8).round_trips, 0) << "a few values may be anything";
  Program jobs;
  for (int i = 0; i < 4; ++i) jobs.copy(Direction::host_to_device, true, 4096).kernel(1).down();
  EXPECT_EQ(jobs.row().round_trips, 0) << "the first upload came before any download";
}

// Downloads and uploads of one size follow each other in every loop over jobs.
TEST(Timeline, ALoopOfJobsIsNoRoundTrip) {
  Program program;
  for (int i = 0; i < 4; ++i) program.up().kernel(1).kernel(2).down();
  EXPECT_EQ(program.row().round_trips, 0);
  Program other_size;
  for (int i = 0; i < 4; ++i)
    other_size.kernel(1).down().copy(Direction::host_to_device, true, 2 * kMiB).kernel(2);
  EXPECT_EQ(other_size.row().round_trips, 0);
}

TEST(Timeline, DataThatComeBackForTheSameKernelMadeARoundTripIfTheyNeverCameFromTheHost) {
  Program program;
  for (int i = 0; i < 4; ++i) program.kernel(1).down().up().kernel(1);
  EXPECT_EQ(program.row().round_trips, 4);
  EXPECT_EQ(program.row().rounds, 0) << "the same copies are not said twice";
  Program jobs;
  for (int i = 0; i < 4; ++i) jobs.up().kernel(1).down();
  EXPECT_EQ(jobs.row().round_trips, 0);
  EXPECT_EQ(jobs.row().rounds, 4);
}

// The first launches are measured, and have no times.
TEST(Timeline, MeasuredRoundTripsCountByTheirCopies) {
  Program program;
  for (int i = 0; i < 2; ++i) program.down().up();
  program.measured(0, program.now());
  for (int i = 0; i < 4; ++i) program.kernel(1).down().up().kernel(2);
  EXPECT_EQ(program.row().round_trips, 6);
  EXPECT_EQ(program.row().round_trip_ns, 12 * Program::kLength + 6 * (1 + 2) * Program::kPause);
  Program jobs;
  for (int i = 0; i < 2; ++i) jobs.up().down();
  jobs.measured(0, jobs.now());
  for (int i = 0; i < 4; ++i) jobs.up().kernel(1).down();
  EXPECT_EQ(jobs.row().round_trips, 0) << "the first upload came before any download";
}

TEST(Timeline, MeasuredRoundsCountByTheirCopies) {
  Program program;
  for (int i = 0; i < 6; ++i) program.up().down();
  program.measured(0, program.now());
  for (int i = 0; i < 3; ++i) program.up().kernel(1).down();
  EXPECT_EQ(program.row().rounds, 9);
  EXPECT_EQ(program.row().round_kernel_ns, 9 * Program::kLength);
  program.copy(Direction::host_to_device, true, 8 * kMiB).kernel(1).down();
  EXPECT_EQ(program.row().rounds, 3) << "not all are alike, so only whole ones count";
}

TEST(Timeline, StagedCopiesAreNotTakenForRoundsThatWereMeasured) {
  Program program;
  for (int i = 0; i < 6; ++i) program.up().beside().down();
  program.measured(0, program.now());
  for (int i = 0; i < 3; ++i) program.up().kernel(1).down();
  EXPECT_LE(program.row().rounds, 3);
}

// In a window launches have no times, and what stands beside it waits for the measuring.
TEST(Timeline, WindowsOfMeasuringAreLeftOut) {
  Program program;
  program.up(false);
  const std::int64_t began = program.now();
  program.kernel(1, 30'000).down(false);
  EXPECT_GT(program.row().wait_ns, 0);
  EXPECT_EQ(program.row().rounds, 1);
  program.measured(began, began + 30'000);
  EXPECT_EQ(program.row().rounds, 0) << "its upload may be missing";
  EXPECT_EQ(program.row().waits, 1) << "before the download";
}

// A window that stays open lets all launches that it does not measure run as they would.
TEST(Timeline, OnlyWhereALaunchWasMeasuredAWindowIsLeftOut) {
  Program program;
  const std::int64_t began = program.now();
  for (int i = 0; i < 3; ++i) program.up(false).kernel(1).down(false);
  EXPECT_EQ(program.row().waits, 8);
  const std::int64_t measured = program.now() + 3'000 + Program::kLength;
  program.up(false).kernel(1).down(false);
  program.measured(began, program.now());
  EXPECT_EQ(program.row().waits, 0);
  program.measured_at(measured);
  EXPECT_EQ(program.row().waits, 11 - 2) << "beside that launch, and where the window ended";
}

TEST(Timeline, WhatAGapCutsApartDoesNotBelongTogether) {
  Program program;
  program.up(false);
  const std::int64_t began = program.now();
  program.kernel(1, 30'000).down(false);
  program.measured(began + 10'000, began + 11'000).not_listed(began, began + 30'000);
  EXPECT_EQ(program.row().rounds, 0);
  EXPECT_EQ(program.row().waits, 1);
  program.not_listed(program.now() - 1, std::nullopt);
  program.up(false).kernel(1).down(false);
  EXPECT_EQ(program.row().rounds, 0) << "the last gap has no end";
}

TEST(Timeline, PausesBeforeLaunchesAreThoseThatNoCallExplains) {
  Program program;
  program.up(true).kernel(1, 20'000).kernel(2, 30'000);
  EXPECT_EQ(program.row().launch_gaps, 2);
  EXPECT_EQ(program.row().launch_gap_ns, 50'000);
  program.kernel(1, 250'000);
  EXPECT_EQ(program.row().launch_gaps, 2) << "the program did something else for so long";
  const std::int64_t end = program.now();
  program.kernel(1, 20'000).waited(end - 1'000, end + 5'000);
  EXPECT_EQ(program.row().launch_gaps, 2) << "the host waited for the kernel before";
  program.down(false).kernel(1, 20'000);
  EXPECT_EQ(program.row().launch_gaps, 2) << "the host waited for a copy";
}

TEST(Timeline, PausesOfSeveralStreamsTellNothing) {
  for (const std::int32_t streams : {1, 2}) {
    Program program;
    program.up(true).kernel(1, 20'000).kernel(2, 30'000).in_streams(streams);
    EXPECT_EQ(program.row().launch_gaps, streams == 1 ? 2 : 0);
  }
}

TEST(Timeline, RecordingTakesItsPartOfALaunch) {
  Program program;
  program.up(true).kernel(1).kernel(1).launched(8, 90'000, 10'000);
  EXPECT_EQ(program.row().launch_extra_ns, 10'000 + 1'200);
  EXPECT_EQ(program.row().launches_for_each_listed, 4);
}

TEST(Timeline, WithoutCopiesLaunchesTell) {
  Program program;
  program.kernel(1).kernel(1);
  EXPECT_GT(program.row().busy_ns, 0);
}

}  // namespace
}  // namespace coalescope::analysis
