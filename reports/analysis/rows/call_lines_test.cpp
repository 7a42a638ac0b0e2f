#include "reports/analysis/rows/call_lines.h"

#include <gtest/gtest.h>
#include <vector>

namespace coalescope::analysis {
namespace {

CallSiteRow row(std::int64_t id, std::int64_t caller, model::FrameKind kind, std::string function,
                std::int64_t line = 0) {
  CallSiteRow row;
  row.id = id;
  if (caller != 0) row.caller_id = caller;
  row.kind = kind;
  row.function = std::move(function);
  if (line != 0) row.line = line;
  return row;
}

constexpr auto kModule = model::FrameKind::torch_module;
constexpr auto kPython = model::FrameKind::python;

TEST(CallLines, SitesOfAlikeModulesAreOneLine) {
  const std::vector<CallSiteRow> rows{
      row(1, 0, kPython, "main", 3),    row(2, 1, kModule, "Net.0"),      row(3, 2, kPython, "forward", 7),
      row(4, 1, kModule, "Net.1"),      row(5, 4, kPython, "forward", 7), row(6, 4, kPython, "forward", 8),
      row(7, 1, kPython, "forward", 7), row(8, 5, kPython, "inner", 9),   row(9, 3, kPython, "inner", 9)};
  const CallLines lines(rows);
  EXPECT_EQ(lines.of(1), 1);
  EXPECT_EQ(lines.of(3), 3);
  EXPECT_EQ(lines.of(5), 3);
  EXPECT_EQ(lines.of(7), 3) << "also outside of all modules";
  EXPECT_EQ(lines.of(6), 6);
  EXPECT_EQ(lines.of(8), lines.of(9));
  EXPECT_EQ(lines.of(99), 99);
}

TEST(CallLines, WithoutModulesEachSiteIsItsOwn) {
  const std::vector<CallSiteRow> rows{row(1, 0, kPython, "f", 3), row(2, 0, kPython, "f", 3)};
  EXPECT_EQ(CallLines(rows).of(2), 2);
}

TEST(CallLines, ARingOfCallersEnds) {
  const std::vector<CallSiteRow> rows{row(1, 2, kModule, "a"), row(2, 1, kPython, "f", 3),
                                      row(3, 3, kPython, "g", 4)};
  const CallLines lines(rows);
  EXPECT_EQ(lines.of(2), 2);
  EXPECT_EQ(lines.of(3), 3);
}

}  // namespace
}  // namespace coalescope::analysis
