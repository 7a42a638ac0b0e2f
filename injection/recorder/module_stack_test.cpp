#include "injection/recorder/module_stack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <thread>

namespace coalescope::recorder {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ModuleStackTest : public ::testing::Test {
 protected:
  void TearDown() override { ModuleStack::leave(0); }
};

TEST_F(ModuleStackTest, HasTheNamesOfThisThread) {
  EXPECT_EQ(ModuleStack::hash(), 0U);
  ModuleStack::enter("Net");
  ModuleStack::enter("Net.layer");
  EXPECT_THAT(ModuleStack::names(), ElementsAre("Net", "Net.layer"));
  std::thread([] { EXPECT_THAT(ModuleStack::names(), IsEmpty()); }).join();
  ModuleStack::leave(1);
  EXPECT_THAT(ModuleStack::names(), ElementsAre("Net"));
  ModuleStack::leave(5);
  EXPECT_THAT(ModuleStack::names(), ElementsAre("Net")) << "nothing is entered by leaving";
  ModuleStack::leave(0);
  EXPECT_EQ(ModuleStack::hash(), 0U);
}

TEST_F(ModuleStackTest, EachPathHasANumberOfItsOwn) {
  std::set<std::uint64_t> numbers;
  for (const char* outer : {"A", "B"}) {
    ModuleStack::enter(outer);
    numbers.insert(ModuleStack::hash());
    for (const char* inner : {"A", "B", "C"}) {
      ModuleStack::enter(inner);
      numbers.insert(ModuleStack::hash());
      ModuleStack::leave(1);
    }
    ModuleStack::leave(0);
  }
  EXPECT_EQ(numbers.size(), 8U);
  ModuleStack::enter("A");
  EXPECT_TRUE(numbers.contains(ModuleStack::hash()));
}

TEST_F(ModuleStackTest, DeepOnesCountForThoseAbove) {
  for (std::size_t i = 0; i < ModuleStack::kMostModules; ++i) ModuleStack::enter("M");
  const auto number = ModuleStack::hash();
  for (int i = 0; i < 10; ++i) ModuleStack::enter("beyond");
  EXPECT_EQ(ModuleStack::hash(), number);
  EXPECT_EQ(ModuleStack::names().size(), ModuleStack::kMostModules);
  ModuleStack::leave(2);
  EXPECT_THAT(ModuleStack::names(), ElementsAre("M", "M"));
}

}  // namespace
}  // namespace coalescope::recorder
