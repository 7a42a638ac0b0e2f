#include "core/base/log.h"

#include <gtest/gtest.h>

namespace coalescope::base {
namespace {

TEST(Log, SaysWhoSpeaksAndHowBadItIs) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  log_fatal("a {}", 1);
  log_error("b");
  log_warning("c");
  log_note("{} of {}", "d", 2);
  EXPECT_EQ(
      testing::internal::GetCapturedStderr(),
      "coalescope: fatal: a 1\ncoalescope: error: b\ncoalescope: warning: c\ncoalescope: note: d of 2\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "") << "stdout belongs to the program that is recorded";
}

TEST(Log, PrintsAnErrorWithItsRemedy) {
  testing::internal::CaptureStderr();
  log_error(Error{ErrorCode::not_found, "cannot read 'x'", "check the name"});
  log_warning(Error{ErrorCode::failed, "100 % {}", ""});
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "coalescope: error: cannot read 'x'; check the name\ncoalescope: warning: 100 % {}\n");
}

}  // namespace
}  // namespace coalescope::base
