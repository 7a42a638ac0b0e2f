#include "injection/recorder/work_queue.h"

#include <gtest/gtest.h>
#include <thread>

namespace coalescope::recorder {
namespace {

using namespace std::chrono_literals;

TEST(WorkQueue, KeepsTheOrder) {
  WorkQueue<int> queue(10);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(queue.push(i));
  EXPECT_EQ(queue.take(0ms), (std::deque<int>{0, 1, 2}));
  EXPECT_TRUE(queue.take(0ms).empty());
}

TEST(WorkQueue, RefusesWhenItIsFull) {
  WorkQueue<int> queue(2);
  EXPECT_TRUE(queue.push(1));
  EXPECT_TRUE(queue.push(2));
  EXPECT_FALSE(queue.push(3));
  EXPECT_EQ(queue.take(0ms).size(), 2U);
  EXPECT_TRUE(queue.push(3));
}

TEST(WorkQueue, AWaitingThreadIsWoken) {
  WorkQueue<int> queue(2);
  std::deque<int> taken{1};
  std::thread waiting([&] { taken = queue.take(1min); });
  queue.wake();
  waiting.join();
  EXPECT_TRUE(taken.empty());
}

TEST(WorkQueue, NothingIsLostBetweenThreads) {
  WorkQueue<int> queue(100'000);
  constexpr int kEach = 5000;
  std::vector<std::thread> writers;
  for (int n = 0; n < 3; ++n)
    writers.emplace_back([&] {
      for (int i = 0; i < kEach; ++i) EXPECT_TRUE(queue.push(i));
    });
  std::size_t taken = 0;
  while (taken < 3 * kEach) taken += queue.take(100ms).size();
  for (auto& writer : writers) writer.join();
  EXPECT_EQ(taken, 3U * kEach);
}

TEST(WorkQueue, WhatOthersReferToIsNeverRefused) {
  WorkQueue<int> queue(1);
  EXPECT_TRUE(queue.push(1));
  queue.push_always(2);
  EXPECT_FALSE(queue.push(3));
  EXPECT_EQ(queue.take(0ms), (std::deque<int>{1, 2}));
  queue.push_always(4);
  EXPECT_TRUE(queue.push(5)) << "they take no other's place";
}

}  // namespace
}  // namespace coalescope::recorder
