#include "core/symbols/section_names.h"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <vector>

namespace coalescope::symbols {
namespace {

std::vector<char> cubin() {
  std::ifstream file(std::string(COALESCOPE_SOURCE_DIR) + "/tests/fixtures/cubin/strided.cubin",
                     std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

auto names_in(const std::vector<char>& bytes) {
  return section_names(std::as_bytes(std::span(bytes)));
}

TEST(SectionNames, HasThoseOfCodeForAGpu) {
  const auto names = names_in(cubin());
  EXPECT_TRUE(names.contains(".text._Z7stridedPKfPf"));
  EXPECT_TRUE(names.contains(".debug_line"));
  EXPECT_FALSE(names.contains(".debug"));
}

// A part's code lies there at any address.
TEST(SectionNames, DoesNotCareWhereTheCodeLies) {
  std::vector<char> bytes = cubin();
  for (int shift = 1; shift < 8; ++shift) {
    bytes.insert(bytes.begin(), 'x');
    EXPECT_TRUE(section_names(std::as_bytes(std::span(bytes)).subspan(static_cast<std::size_t>(shift)))
                    .contains(".debug_line"));
  }
}

TEST(SectionNames, WhatIsNoElfFileHasNone) {
  EXPECT_TRUE(names_in({}).empty());
  EXPECT_TRUE(names_in({'n', 'o', ' ', 'c', 'u', 'b', 'i', 'n'}).empty());
}

TEST(SectionNames, SurvivesDamage) {
  const std::vector<char> whole = cubin();
  for (std::size_t size = 0; size < whole.size(); size += 61)
    (void)names_in({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    std::vector<char> bytes = whole;
    // Behind the mark of ELF files, without which nothing is read.
    for (int i = 0; i < round % 4; ++i) bytes[16 + random() % 48] = static_cast<char>(random());
    for (int i = 0; i < 8; ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
    (void)names_in(bytes);
  }
}

}  // namespace
}  // namespace coalescope::symbols
