#include "core/base/error.h"

#include <gtest/gtest.h>

namespace coalescope::base {
namespace {

const Error kMissing{ErrorCode::not_found, "there is no 'x.coal'", "check the name"};

// Of another type than what it calls.
Result<std::string> caller(const Result<int>& called) {
  if (!called) return relay(called);
  return std::to_string(*called);
}

TEST(Error, AFailureIsRelayedWithItsCodeAndRemedy) {
  const Result<std::string> failed = caller(failure(kMissing));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::not_found);
  EXPECT_EQ(failed.error().text(), "there is no 'x.coal'; check the name");
  EXPECT_EQ(caller(7).value(), "7");
}

// The recorder keeps why it may not measure, and tells it at each window.
TEST(Error, AFailureCanBeRelayedAgain) {
  const Result<int> kept = failure(ErrorCode::busy, "held by another profiler");
  EXPECT_EQ(caller(kept).error().message, "held by another profiler");
  EXPECT_EQ(caller(kept).error().message, "held by another profiler");
}

}  // namespace
}  // namespace coalescope::base
