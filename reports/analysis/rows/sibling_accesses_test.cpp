#include "reports/analysis/rows/sibling_accesses.h"

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coalescope::analysis {
namespace {

using testing::ElementsAre;

capture::InstructionView access(std::int64_t base, std::int64_t offset,
                                model::MemoryOperation operation = model::MemoryOperation::global_load) {
  capture::InstructionView view;
  view.group_id = model::GroupId{1};
  view.code = model::InstructionCode{.operation = operation, .base_register = base, .base_offset = offset};
  return view;
}

TEST(SiblingAccesses, AreWithinALineOfTheSameBase) {
  const std::array fields{access(2, 0), access(2, 124), access(2, 400), access(4, 8)};
  EXPECT_THAT(have_siblings(fields), ElementsAre(true, true, false, false));
}

TEST(SiblingAccesses, OtherOperationsAndGroupsHaveNone) {
  std::array views{access(2, 0), access(2, 4, model::MemoryOperation::global_store), access(2, 8)};
  views[2].group_id = model::GroupId{2};
  EXPECT_THAT(have_siblings(views), ElementsAre(false, false, false));
}

TEST(SiblingAccesses, WithoutCodeThereAreNone) {
  std::array views{access(2, 0), access(2, 4)};
  views[0].code.reset();
  views[1].code->base_register.reset();
  EXPECT_THAT(have_siblings(views), ElementsAre(false, false));
}

TEST(SiblingAccesses, TheSamePlaceTwiceIsNone) {
  const std::array views{access(2, 0), access(2, 0)};
  EXPECT_THAT(have_siblings(views), ElementsAre(false, false));
}

}  // namespace
}  // namespace coalescope::analysis
