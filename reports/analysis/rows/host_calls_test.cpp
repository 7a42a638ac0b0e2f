#include "reports/analysis/rows/host_calls.h"

#include <array>
#include <gtest/gtest.h>
#include <vector>

namespace coalescope::analysis {
namespace {

using model::Synchronization;
using model::SynchronizationTotal;

// Waits for a stream, each from `start_ns` on for 100 us, and how many there were in all.
CallsOfHost waits(std::vector<std::int64_t> starts, std::int64_t calls) {
  std::vector<Synchronization> listed;
  for (const std::int64_t start_ns : starts) {
    Synchronization& wait = listed.emplace_back();
    wait.process_id = {1};
    wait.kind = model::SynchronizationKind::stream;
    wait.start_ns = start_ns;
    wait.wait_ns = 100'000;
  }
  const std::array totals{SynchronizationTotal{.process_id = {1},
                                               .kind = model::SynchronizationKind::stream,
                                               .calls = calls,
                                               .wait_ns = calls * 100'000,
                                               .listed = static_cast<std::int64_t>(starts.size())}};
  return host_calls(listed, totals, {}).at(1);
}

TEST(HostCalls, WhatBeginsSoonAfterAWaitWasQueuedBefore) {
  const CallsOfHost calls = waits({0, 1'000'000}, 2);
  EXPECT_TRUE(was_queued(calls, 99'000, 103'000));
  EXPECT_FALSE(was_queued(calls, 99'000, 115'000)) << "the host had the time to queue it";
  EXPECT_TRUE(was_queued(calls, 500'000, 515'000)) << "no wait ended";
  EXPECT_TRUE(was_queued(calls, 1'050'000, 1'060'000)) << "the host still waited";
  EXPECT_FALSE(was_queued(calls, 500'000, 530'000)) << "the GPU had nothing to do for long";
}

TEST(HostCalls, WaitsThatAreNotListedMayLieBetween) {
  EXPECT_TRUE(was_queued(waits({0, 1'000'000}, 2), 500'000, 510'000));
  EXPECT_FALSE(was_queued(waits({0, 1'000'000}, 9), 500'000, 510'000));
}

}  // namespace
}  // namespace coalescope::analysis
