#include "core/ring/ring.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "core/ring/control.h"

namespace coalescope::ring {
namespace {

using namespace std::chrono_literals;

struct Pair {
  Segment made = Segment::create(kRingSegmentBytes).value();
  RingWriter writer{Segment::attach(made.id(), kRingSegmentBytes).value()};
  std::byte* bytes = static_cast<std::byte*>(made.data());
  RingReader reader{std::move(made)};
};

std::vector<std::byte> filled(std::size_t bytes, int with) {
  return std::vector<std::byte>(bytes, static_cast<std::byte>(with));
}

TEST(Ring, GivesBackWhatWasPushed) {
  Pair pair;
  EXPECT_FALSE(pair.reader.next());
  ASSERT_TRUE(pair.writer.push(FrameKind::rows, filled(5, 7), 1s));
  ASSERT_TRUE(pair.writer.push(FrameKind::code, {}, 1s));
  const auto first = pair.reader.next();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->kind, FrameKind::rows);
  EXPECT_EQ(first->payload, filled(5, 7));
  const auto second = pair.reader.next();
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->payload.empty());
  EXPECT_FALSE(pair.reader.next());
  EXPECT_FALSE(pair.reader.damaged());
}

TEST(Ring, TurnsRoundWithFramesOfEverySize) {
  Pair pair;
  std::thread producer([&] {
    for (int i = 0; i < 200; ++i)
      EXPECT_TRUE(
          pair.writer.push(FrameKind::code, filled(static_cast<std::size_t>(i) * 7919 % 900'001, i), 60s));
  });
  for (int i = 0; i < 200;) {
    const auto frame = pair.reader.next();
    if (!frame) continue;
    EXPECT_EQ(frame->payload, filled(static_cast<std::size_t>(i) * 7919 % 900'001, i)) << i;
    ++i;
  }
  producer.join();
}

TEST(Ring, AFullOneIsWaitedForNoLongerThanAsked) {
  Pair pair;
  while (pair.writer.push(FrameKind::code, filled(kMostFrameBytes, 1), 0ms)) {
  }
  const auto began = std::chrono::steady_clock::now();
  EXPECT_FALSE(pair.writer.push(FrameKind::code, filled(kMostFrameBytes, 1), 50ms));
  EXPECT_GE(std::chrono::steady_clock::now() - began, 50ms);
  EXPECT_LT(std::chrono::steady_clock::now() - began, 5s);
  ASSERT_TRUE(pair.reader.next());
  EXPECT_TRUE(pair.writer.push(FrameKind::code, filled(kMostFrameBytes, 1), 0ms));
}

TEST(Ring, WithoutAReaderNothingIsWaitedFor) {
  auto pair = std::make_unique<Pair>();
  RingWriter writer(Segment::attach(pair->made.id(), kRingSegmentBytes).value());
  pair.reset();
  EXPECT_FALSE(writer.has_reader());
  EXPECT_FALSE(writer.push(FrameKind::rows, {}, 1h));
}

TEST(Ring, ADetachedOneTakesNothing) {
  Pair pair;
  pair.writer.detach();
  EXPECT_FALSE(pair.writer.push(FrameKind::rows, {}, 1h));
  EXPECT_FALSE(pair.reader.has_writer());
}

// A faulty program may write anywhere: whatever is found, the reader survives and ends.
TEST(Ring, SurvivesEveryDamage) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    Pair pair;
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(pair.writer.push(FrameKind::rows, filled(40, i), 1s));
    const std::size_t most = round % 2 == 0 ? 16 : kRingHeaderBytes + 1000;
    for (int i = 0; i < 8; ++i) pair.bytes[random() % most] = static_cast<std::byte>(random());
    int frames = 0;
    while (pair.reader.next()) ASSERT_LT(++frames, 3'000'000);
    if (pair.reader.damaged()) {
      EXPECT_FALSE(pair.writer.push(FrameKind::rows, {}, 1h)) << "it is told";
    }
  }
}

TEST(Control, EachClaimGetsARingOfItsOwn) {
  auto control = Control::create().value();
  const auto first = Segment::create(kRingSegmentBytes).value();
  const auto second = Segment::create(kRingSegmentBytes).value();
  control.offer(0, first.id());
  control.offer(5, second.id());
  auto other = Control::attach(control.name()).value();
  const auto a = other.claim(1s);
  const auto b = other.claim(1s);
  ASSERT_TRUE(a && b);
  EXPECT_NE(a->id(), b->id());
  EXPECT_TRUE(control.is_claimed(0) && control.is_claimed(5));
  EXPECT_FALSE(control.is_claimed(1));
  EXPECT_FALSE(other.claim(20ms));
  control.clear(0);
  EXPECT_FALSE(control.is_claimed(0));
}

TEST(Control, OneThatIsClosedIsNotWaitedFor) {
  auto control = Control::create().value();
  const auto ring = Segment::create(kRingSegmentBytes).value();
  control.offer(0, ring.id());
  control.close();
  EXPECT_FALSE(control.claim(1h));
}

TEST(Control, AnotherOnesNameIsRefused) {
  const auto control = Control::create().value();
  std::string name = control.name();
  name.back() = name.back() == '0' ? '1' : '0';
  for (const std::string& wrong :
       {name, std::string(), std::string("x"), std::string("-1:0"), std::string("2147483647:0")})
    EXPECT_FALSE(Control::attach(wrong)) << wrong;
  const auto foreign = Segment::create(4096).value();
  EXPECT_FALSE(Control::attach(std::to_string(foreign.id()) + name.substr(name.find(':'))));
}

// The whole point of System V's kind: no number is taken, and what ends first does not matter.
TEST(Segment, NeedsNoDescriptorAndOutlivesItsMaker) {
  auto made = std::make_unique<Segment>(Segment::create(4096).value());
  const pid_t child = fork();
  if (child == 0) {
    made->detach();
    const int lowest = dup(0);
    close(lowest);
    auto again = Segment::attach(made->id(), 4096);
    if (!again || dup(0) != lowest) _exit(1);
    *static_cast<char*>(again->data()) = 42;
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(*static_cast<char*>(made->data()), 42);
  EXPECT_EQ(made->holders(), 1U);
  const int id = made->id();
  made.reset();
  EXPECT_FALSE(Segment::attach(id, 4096)) << "nothing is left in the system";
}

}  // namespace
}  // namespace coalescope::ring
