#include "injection/recorder/call_site_table.h"

#include <gtest/gtest.h>
#include <map>

#include "injection/recorder/part_file_test.h"

namespace coalescope::recorder {

// Outside of the anonymous namespace, and never inlined: frames of their own.
__attribute__((noinline)) std::optional<model::CallSiteId> inner_call(CallSiteTable& table, Look look) {
  const auto site = table.here(look);
  asm volatile("" ::: "memory");  // no tail call: the frame must be there
  return site;
}
__attribute__((noinline)) std::optional<model::CallSiteId> outer_call(CallSiteTable& table, Look look) {
  const auto site = inner_call(table, look);
  asm volatile("" ::: "memory");
  return site;
}

namespace {

class CallSiteTableTest : public PartFileTest {
 protected:
  std::map<std::int64_t, model::CallSite> sites() {
    table_.write(*file_);
    std::map<std::int64_t, model::CallSite> found;
    for (const auto& row : written<model::CallSite>()) found.emplace(row.id.value, row);
    return found;
  }
  CallSiteTable table_{model::Stacks::all, diagnostics_};
};

TEST_F(CallSiteTableTest, AStackHasOneIdAndItsCallersAreShared) {
  std::optional<model::CallSiteId> last;
  for (int i = 0; i < 3; ++i) {
    const auto site = outer_call(table_, Look::call);
    ASSERT_TRUE(site);
    EXPECT_EQ(site, last.value_or(*site));
    last = site;
  }
  const auto other = inner_call(table_, Look::call);
  ASSERT_TRUE(other);
  EXPECT_NE(other, last);
  const auto rows = sites();
  // inner_call, outer_call, this test, and what called it.
  const auto& inner = rows.at(last->value);
  ASSERT_TRUE(inner.caller_id);
  const auto& outer = rows.at(inner.caller_id->value);
  EXPECT_EQ(inner.module, outer.module);
  const auto depth = [&](std::int64_t id) {
    int frames = 0;
    for (std::optional<model::CallSiteId> at = model::CallSiteId{id}; at; at = rows.at(at->value).caller_id)
      ++frames;
    return frames;
  };
  EXPECT_EQ(depth(last->value), depth(other->value) + 1);
  EXPECT_LT(rows.size(), static_cast<std::size_t>(depth(last->value) + depth(other->value)));
}

TEST_F(CallSiteTableTest, OfManyLaunchesFewAreLookedAt) {
  int looked_at = 0;
  for (int i = 0; i < 640; ++i) looked_at += outer_call(table_, Look::launch) ? 1 : 0;
  EXPECT_EQ(looked_at, 10);
  EXPECT_TRUE(outer_call(table_, Look::first));
}

TEST_F(CallSiteTableTest, NothingIsLookedAtThatNobodyWants) {
  CallSiteTable none(model::Stacks::none, diagnostics_), python(model::Stacks::python, diagnostics_);
  EXPECT_FALSE(outer_call(none, Look::first));
  EXPECT_FALSE(outer_call(python, Look::first)) << "no Python runs here";
}

}  // namespace
}  // namespace coalescope::recorder
