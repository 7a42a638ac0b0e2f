#include "kernels/program/progress.h"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coalescope::kernels {
namespace {

using testing::HasSubstr;

std::string shown(bool on_terminal, ProgressSpan span) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* const out = open_memstream(&text, &size);
  {
    Progress progress(out, on_terminal, span, 4);
    progress.step("A1", "sequential_copy");
    progress.step("A3", "offset_copy/0");
    progress.step("A3", "offset_copy/1");
    progress.step("D1", "copy");
  }
  std::fclose(out);
  const std::string result = text;
  std::free(text);
  return result;
}

TEST(Progress, IsALineAFamilyWhereThereIsNoTerminal) {
  EXPECT_EQ(shown(false, {0, 100}), "  0 %  A1\n 25 %  A3\n 75 %  D1\n");
}

TEST(Progress, ARunMayBeAPartOfTheWhole) {
  EXPECT_EQ(shown(false, {50, 90}), " 50 %  A1\n 60 %  A3\n 80 %  D1\n");
}

TEST(Progress, IsABarOnATerminalAndLeavesNoTrace) {
  const std::string bar = shown(true, {0, 100});
  EXPECT_THAT(bar, HasSubstr("[###############...............]  50 %  A3 offset_copy/1"));
  EXPECT_THAT(bar, testing::EndsWith("\r\033[K"));
  EXPECT_THAT(bar, testing::Not(HasSubstr("\n")));
}

TEST(Progress, WithoutAPlaceNothingIsShown) {
  Progress progress(nullptr, true, {}, 1);
  progress.step("A1", "sequential_copy");
}

}  // namespace
}  // namespace coalescope::kernels
