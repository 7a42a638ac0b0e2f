// Where the parameters of a function lie, in the code that nvcc made of tests/fixtures/cubin/accesses.cu.
#include "core/machine_code/parameters.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

#include "core/symbols/section_names.h"

namespace coalescope::machine_code {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

std::vector<char> info_of(const std::string& chip, const std::string& kernel) {
  std::ifstream file(std::string(COALESCOPE_SOURCE_DIR) + "/tests/fixtures/cubin/accesses." + chip + ".cubin",
                     std::ios::binary);
  const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
  const auto section = symbols::section_bytes(std::as_bytes(std::span(bytes)), ".nv.info." + kernel);
  const auto* first = reinterpret_cast<const char*>(section.data());
  return {first, first + section.size()};
}

Parameters parameters_in(const std::vector<char>& info) {
  return parameters_of(std::as_bytes(std::span(info)));
}

TEST(ParametersOf, TellsWhereEachBegins) {
  EXPECT_EQ(parameters_in(info_of("sm_75", "gather")).at, 0x160);
  EXPECT_EQ(parameters_in(info_of("sm_120", "gather")).at, 0x380);
  const auto parameters = parameters_in(info_of("sm_90", "guarded"));
  EXPECT_EQ(parameters.at, 0x210);
  EXPECT_THAT(parameters.offsets, ElementsAre(Pair(0, 0), Pair(1, 8), Pair(2, 16), Pair(3, 24)));
}

TEST(ParametersOf, KnowsNothingOfADamagedSection) {
  EXPECT_THAT(parameters_in({}).offsets, IsEmpty());
  const auto whole = info_of("sm_90", "guarded");
  ASSERT_FALSE(whole.empty());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto part = parameters_in({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
    EXPECT_LE(part.offsets.size(), 4U);
  }
}

}  // namespace
}  // namespace coalescope::machine_code
