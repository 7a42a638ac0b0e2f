#include "core/base/name_filter.h"

#include <gtest/gtest.h>

namespace coalescope::base {
namespace {

TEST(NameFilter, AnEmptyPatternMatchesNothing) {
  const auto filter = NameFilter::compile("");
  ASSERT_TRUE(filter);
  EXPECT_FALSE(filter->matches("_Z6kernelPf"));
}

TEST(NameFilter, MatchesTheMangledNameAndTheReadableOne) {
  const auto mangled = NameFilter::compile("^_Z[0-9]+(spin|wait)");
  const auto readable = NameFilter::compile("^ns::copy<3>$");
  ASSERT_TRUE(mangled && readable);
  EXPECT_TRUE(mangled->matches("_Z4spinPi"));
  EXPECT_FALSE(mangled->matches("_Z6kernelPf"));
  EXPECT_TRUE(readable->matches("_ZN2ns4copyILi3EEEvPf"));
  EXPECT_FALSE(readable->matches("_ZN2ns4copyILi4EEEvPf"));
}

TEST(NameFilter, AVeryLongNameIsNoDanger) {
  const auto filter = NameFilter::compile("(a|b)*c$");
  ASSERT_TRUE(filter);
  EXPECT_FALSE(filter->matches(std::string(20'000, 'x')));
}

TEST(NameFilter, AWrongExpressionIsNamed) {
  const auto filter = NameFilter::compile("(unclosed");
  ASSERT_FALSE(filter);
  EXPECT_NE(filter.error().message.find("(unclosed"), std::string::npos);
}

}  // namespace
}  // namespace coalescope::base
