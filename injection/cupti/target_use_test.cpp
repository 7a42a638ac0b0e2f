#include "injection/cupti/target_use.h"

#include <gtest/gtest.h>

namespace coalescope::cupti {
namespace {

using namespace std::chrono_literals;

void CUPTIAPI requested(std::uint8_t**, std::size_t*, std::size_t*) {}
void CUPTIAPI completed(CUcontext, std::uint32_t, std::uint8_t*, std::size_t, std::size_t) {}

class TargetUseTest : public ::testing::Test {
 protected:
  bool call(TargetCall call, std::uint32_t number = 0) {
    TargetCallInfo info;
    info.call = call;
    info.number = number;
    if (call == TargetCall::buffers) {
      info.requested = &requested;
      info.completed = &completed;
    }
    return use_.called(info, now_);
  }
  void begin() {
    EXPECT_TRUE(call(TargetCall::begin));
    EXPECT_TRUE(call(TargetCall::buffers));
    EXPECT_TRUE(call(TargetCall::enable, 10));
    EXPECT_TRUE(call(TargetCall::enable, 1));
  }
  void end() {
    EXPECT_TRUE(call(TargetCall::disable, 10));
    EXPECT_TRUE(call(TargetCall::disable, 1));
    EXPECT_FALSE(call(TargetCall::flush, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
  }
  [[nodiscard]] bool is_over() const { return use_.is_over(now_ + 1s); }

  TargetUse use_;
  TargetUse::Time now_;
};

TEST_F(TargetUseTest, IsOverSomeTimeAfterAllIsOffAndFlushed) {
  EXPECT_FALSE(is_over());
  begin();
  EXPECT_TRUE(use_.begun());
  EXPECT_FALSE(is_over());
  end();
  EXPECT_FALSE(use_.is_over(now_ + 1ms));
  EXPECT_TRUE(is_over());
  EXPECT_EQ(use_.completed(), &completed);
  begin();
  EXPECT_FALSE(is_over());
  end();
  EXPECT_TRUE(is_over());
}

TEST_F(TargetUseTest, GoesOnWhileAKindIsOn) {
  begin();
  call(TargetCall::disable, 1);
  call(TargetCall::flush, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  EXPECT_FALSE(is_over());
}

// Buffers with the target's records may still come.
TEST_F(TargetUseTest, GoesOnUntilAForcedFlushAfterTheLastKind) {
  begin();
  call(TargetCall::flush, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  call(TargetCall::disable, 10);
  call(TargetCall::disable, 1);
  EXPECT_FALSE(is_over());
  call(TargetCall::flush, 0);
  EXPECT_FALSE(is_over());
}

TEST_F(TargetUseTest, BeginsAgainWithItsBuffers) {
  begin();
  end();
  EXPECT_TRUE(call(TargetCall::buffers));
  EXPECT_FALSE(is_over());
}

// That switches off what the recorder has switched on again.
TEST_F(TargetUseTest, GoesOnWhenAKindIsSwitchedOffOnceMore) {
  EXPECT_FALSE(call(TargetCall::disable, 10));
  begin();
  end();
  EXPECT_TRUE(is_over());
  EXPECT_TRUE(call(TargetCall::disable, 10));
  EXPECT_FALSE(is_over());
}

TEST_F(TargetUseTest, OfCountersOrAfterFinalizeIsForGood) {
  begin();
  EXPECT_TRUE(call(TargetCall::for_good));
  end();
  EXPECT_FALSE(is_over());
}

// A subscription alone tells nothing of when it ends.
TEST_F(TargetUseTest, WithoutBuffersNeverEnds) {
  call(TargetCall::begin);
  call(TargetCall::flush, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  EXPECT_FALSE(is_over());
}

}  // namespace
}  // namespace coalescope::cupti
