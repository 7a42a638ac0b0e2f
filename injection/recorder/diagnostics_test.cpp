#include "injection/recorder/diagnostics.h"

#include <gtest/gtest.h>

namespace coalescope::recorder {
namespace {

using model::diagnostic_kind;

TEST(Diagnostics, WhatRepeatsIsOneRowWithACount) {
  Diagnostics diagnostics;
  diagnostics.add(diagnostic_kind("queue", "full"));
  diagnostics.add(diagnostic_kind("queue", "full"), 4);
  const auto rows = diagnostics.take_changed();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].count, 5);
  EXPECT_TRUE(diagnostics.take_changed().empty());
}

TEST(Diagnostics, AChangedRowKeepsItsId) {
  Diagnostics diagnostics;
  diagnostics.add(diagnostic_kind("queue", "full"));
  diagnostics.add(diagnostic_kind("trace", "sampled"));
  (void)diagnostics.take_changed();
  diagnostics.add(diagnostic_kind("trace", "sampled"));
  const auto rows = diagnostics.take_changed();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].id, 2);
}

TEST(Diagnostics, AnErrorBringsItsRemedy) {
  Diagnostics diagnostics;
  diagnostics.add(diagnostic_kind("", "not_started"),
                  base::Error{base::ErrorCode::busy, "the counters are held", "stop the other tool"},
                  "bytes");
  const auto rows = diagnostics.take_changed();
  EXPECT_EQ(rows[0].text, "This process was not recorded: the counters are held; stop the other tool");
  EXPECT_EQ(rows[0].origin, "bytes");
}

TEST(Diagnostics, TheNumberOfKindsIsBounded) {
  Diagnostics diagnostics;
  for (int i = 0; i < 1000; ++i)
    diagnostics.add(diagnostic_kind("", "exception"), {"why"}, 1, std::to_string(i));
  EXPECT_LE(diagnostics.take_changed().size(), 256U);
}

}  // namespace
}  // namespace coalescope::recorder
