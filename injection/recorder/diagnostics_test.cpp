#include "injection/recorder/diagnostics.h"

#include <gtest/gtest.h>

namespace coalescope::recorder {
namespace {

TEST(Diagnostics, WhatRepeatsIsOneRowWithACount) {
  Diagnostics diagnostics;
  diagnostics.add(model::Severity::data_loss, "queue", "full", "dropped");
  diagnostics.add(model::Severity::data_loss, "queue", "full", "dropped", 4);
  const auto rows = diagnostics.take_changed();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].count, 5);
  EXPECT_TRUE(diagnostics.take_changed().empty());
}

TEST(Diagnostics, AChangedRowKeepsItsId) {
  Diagnostics diagnostics;
  diagnostics.add(model::Severity::info, "a", "x", "");
  diagnostics.add(model::Severity::info, "b", "y", "");
  (void)diagnostics.take_changed();
  diagnostics.add(model::Severity::info, "b", "y", "");
  const auto rows = diagnostics.take_changed();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].id, 2);
}

TEST(Diagnostics, AnErrorBringsItsRemedy) {
  Diagnostics diagnostics;
  diagnostics.add("bytes", "phase_off",
                  {base::ErrorCode::busy, "the counters are held", "stop the other tool"});
  EXPECT_EQ(diagnostics.take_changed()[0].text, "the counters are held; stop the other tool");
}

TEST(Diagnostics, TheNumberOfKindsIsBounded) {
  Diagnostics diagnostics;
  for (int i = 0; i < 1000; ++i) diagnostics.add(model::Severity::info, "a", std::to_string(i), "");
  EXPECT_LE(diagnostics.take_changed().size(), 256U);
}

}  // namespace
}  // namespace coalescope::recorder
