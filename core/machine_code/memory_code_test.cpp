// The code that nvcc made of tests/fixtures/cubin/accesses.cu.
#include "core/machine_code/memory_code.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core/machine_code/parameters.h"
#include "core/symbols/section_names.h"

namespace coalescope::machine_code {
namespace {

using model::InstructionCode;
using model::MemoryOperation;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class MemoryCodeOf : public testing::TestWithParam<const char*> {
 protected:
  // Of one kind, in the order of the code.
  static std::vector<MemoryCode> decoded(const std::string& kernel, MemoryOperation operation) {
    std::ifstream file(
        std::string(COALESCOPE_SOURCE_DIR) + "/tests/fixtures/cubin/accesses." + GetParam() + ".cubin",
        std::ios::binary);
    const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
    const auto cubin = std::as_bytes(std::span(bytes));
    const auto function = symbols::section_bytes(cubin, ".text." + kernel);
    EXPECT_FALSE(function.empty()) << kernel;
    const auto parameters = parameters_of(symbols::section_bytes(cubin, ".nv.info." + kernel));
    std::vector<MemoryCode> found;
    for (const auto& [offset, code] : decode_memory_code(function, parameters.at))
      if (code.code.operation == operation) found.push_back(code);
    return found;
  }
  static std::vector<InstructionCode> all(const std::string& kernel, MemoryOperation operation) {
    std::vector<InstructionCode> list;
    for (const auto& each : decoded(kernel, operation)) list.push_back(each.code);
    return list;
  }
  // The words of 8 bytes among the parameters that each address is computed with.
  static std::vector<std::uint64_t> words(const std::string& kernel, MemoryOperation operation) {
    std::vector<std::uint64_t> list;
    for (const auto& each : decoded(kernel, operation)) list.push_back(each.parameters);
    return list;
  }
  static std::vector<std::int64_t> widths(const std::string& kernel, MemoryOperation operation) {
    std::vector<std::int64_t> list;
    for (const auto& code : all(kernel, operation)) list.push_back(code.access_bytes.value_or(0));
    return list;
  }
  static std::vector<bool> indexed(const std::string& kernel, MemoryOperation operation) {
    std::vector<bool> list;
    for (const auto& code : all(kernel, operation)) list.push_back(code.indexed);
    return list;
  }
};

TEST_P(MemoryCodeOf, TellsWidths) {
  EXPECT_THAT(widths("bytes", MemoryOperation::global_load), ElementsAre(1));
  EXPECT_THAT(widths("bytes", MemoryOperation::global_store), ElementsAre(2));
  EXPECT_THAT(widths("vectors", MemoryOperation::global_load), ElementsAre(16));
  EXPECT_THAT(widths("vectors", MemoryOperation::global_store), ElementsAre(8));
}

// On sm_75 the code of 4 bytes of a floating-point number is that of 8 bytes of an integer on sm_90.
TEST_P(MemoryCodeOf, TellsWidthsOfAtomics) {
  const std::int64_t of_float = std::string_view(GetParam()) == "sm_75" ? 0 : 4;
  EXPECT_THAT(widths("atomics", MemoryOperation::reduction), UnorderedElementsAre(4, of_float, 8));
  EXPECT_THAT(widths("atomics", MemoryOperation::atomic), ElementsAre(8));
}

TEST_P(MemoryCodeOf, TellsTheFieldsOfAStructureByTheirOffsets) {
  const auto loads = all("fields", MemoryOperation::global_load);
  ASSERT_EQ(loads.size(), 2U);
  EXPECT_EQ(loads[0].base_register, loads[1].base_register);
  std::array offsets{loads[0].base_offset, loads[1].base_offset};
  std::ranges::sort(offsets);
  EXPECT_THAT(offsets, ElementsAre(4, 24));
}

TEST_P(MemoryCodeOf, TellsAddressesThatDataGive) {
  EXPECT_THAT(indexed("gather", MemoryOperation::global_load), ElementsAre(false, true));
  EXPECT_THAT(indexed("gather", MemoryOperation::global_store), ElementsAre(false));
  EXPECT_THAT(indexed("pointers", MemoryOperation::global_load), ElementsAre(false, false))
      << "all lanes have the same pointer";
  for (const bool each : indexed("sum", MemoryOperation::global_load))
    EXPECT_FALSE(each) << "a loop is no index";
  const auto sparse = indexed("sparse", MemoryOperation::global_load);
  EXPECT_EQ(std::ranges::count(sparse, false), 2) << "where a row begins and ends";
  EXPECT_GE(std::ranges::count(sparse, true), 3);
  EXPECT_THAT(indexed("sparse", MemoryOperation::global_store), ElementsAre(false));
}

TEST_P(MemoryCodeOf, TellsAddressesThatPositionsGive) {
  EXPECT_THAT(indexed("positions", MemoryOperation::global_load), ElementsAre(false, false, true));
  EXPECT_THAT(indexed("wide_positions", MemoryOperation::global_load), ElementsAre(false, true));
  EXPECT_THAT(indexed("roots", MemoryOperation::global_load), ElementsAre(false));
}

// Only loops carry data back to earlier instructions.
TEST_P(MemoryCodeOf, TellsWhatALoopCarriesFromWhatRegistersHoldLater) {
  EXPECT_THAT(indexed("guarded", MemoryOperation::global_load), ElementsAre(false, false));
  EXPECT_THAT(indexed("guarded", MemoryOperation::global_store), ElementsAre(true));
  const auto walk = indexed("walk", MemoryOperation::global_load);
  EXPECT_FALSE(walk.empty());
  for (const bool each : walk) EXPECT_TRUE(each);
}

constexpr std::uint64_t kFirst = 1, kSecond = 2, kThird = 4, kFourth = 8, kFifth = 16;

TEST_P(MemoryCodeOf, TellsWhichPointerAnAddressIsComputedFrom) {
  EXPECT_THAT(words("gather", MemoryOperation::global_load), ElementsAre(kSecond, kFirst));
  EXPECT_THAT(words("gather", MemoryOperation::global_store), ElementsAre(kThird));
  EXPECT_THAT(words("fields", MemoryOperation::global_load), ElementsAre(kFirst, kFirst));
  const auto pointers = words("pointers", MemoryOperation::global_load);
  EXPECT_THAT(pointers, ElementsAre(kFirst, 0)) << "the second pointer is loaded";
}

// Loops are unrolled, and which pointer comes first is the compiler's choice.
TEST_P(MemoryCodeOf, TellsThePointersOfLoops) {
  for (const auto each : words("sum", MemoryOperation::global_load)) EXPECT_EQ(each & ~kThird, kFirst);
  EXPECT_THAT(words("sum", MemoryOperation::global_store), ElementsAre(kSecond));
  std::array<int, 5> seen{};
  for (const auto each : words("sparse", MemoryOperation::global_load))
    for (std::size_t word = 0; word < seen.size(); ++word)
      if (each == std::uint64_t{1} << word) ++seen.at(word);
  EXPECT_EQ(seen[0], 2) << "where a row begins and ends";
  EXPECT_GT(seen[1], 0);
  EXPECT_EQ(seen[1], seen[2]) << "columns and values";
  EXPECT_EQ(seen[1], seen[3]) << "elements of x";
  EXPECT_EQ(seen[4], 0) << "the result is not read";
  EXPECT_THAT(words("sparse", MemoryOperation::global_store), ElementsAre(kFifth));
  EXPECT_THAT(words("walk", MemoryOperation::global_store), ElementsAre(kFirst));
}

TEST_P(MemoryCodeOf, TellsThePointersOfAtomics) {
  EXPECT_THAT(words("atomics", MemoryOperation::atomic), ElementsAre(kFourth));
  EXPECT_THAT(words("atomics", MemoryOperation::reduction), UnorderedElementsAre(kFirst, kSecond, kThird));
}

TEST_P(MemoryCodeOf, TellsAtomicsInSharedMemoryFromLoads) {
  EXPECT_THAT(indexed("bins", MemoryOperation::shared_atomic), ElementsAre(true));
  EXPECT_THAT(widths("bins", MemoryOperation::shared_load), ElementsAre(4));
  EXPECT_EQ(all("bins", MemoryOperation::reduction).size(), 1U);
  EXPECT_THAT(all("bins", MemoryOperation::atomic), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Chips, MemoryCodeOf, testing::Values("sm_75", "sm_90", "sm_120"));

TEST(MemoryCodeOfNothing, IsEmpty) {
  EXPECT_THAT(decode_memory_code({}, 0), IsEmpty());
  const std::array<std::byte, 15> half{};
  EXPECT_THAT(decode_memory_code(half, 0), IsEmpty());
}

}  // namespace
}  // namespace coalescope::machine_code
