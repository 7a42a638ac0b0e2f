#include "core/symbols/device_lines.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <set>

namespace coalescope::symbols {
namespace {

using Chain = std::vector<std::string>;  // FILE:LINE, innermost first; " copies": in a copying member

std::vector<char> cubin(const std::string& name) {
  std::ifstream file(std::string(COALESCOPE_SOURCE_DIR) + "/tests/fixtures/cubin/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

DeviceLines lines_of(const std::vector<char>& file) {
  return DeviceLines::read(std::as_bytes(std::span(file)));
}

// Of each instruction.
std::set<Chain> chains_of(const DeviceLines& lines, const std::string& function) {
  std::set<Chain> chains;
  for (std::uint64_t offset = 0; offset < 0x400; offset += 16) {
    Chain chain;
    for (const auto& [file, line, copies] : lines.at(function, offset))
      chain.push_back(std::filesystem::path(file).filename().string() + ":" + std::to_string(line) +
                      (copies ? " copies" : ""));
    if (!chain.empty()) chains.insert(chain);
  }
  return chains;
}

TEST(DeviceLines, InlinedCodeHasTheLinesOfItsCalls) {
  const auto chains = chains_of(lines_of(cubin("inlined.cubin")), "adds");
  EXPECT_TRUE(chains.contains({"sm_20_atomic_functions.hpp:84", "inlined.cu:14"}));
  EXPECT_TRUE(chains.contains({"sm_20_atomic_functions.hpp:84", "inlined.cu:15"}));
  EXPECT_TRUE(chains.contains({"inlined.cu:14"}));
}

// Calls are numbered anew in each function of a module.
TEST(DeviceLines, TheSecondFunctionHasItsOwnCalls) {
  const auto chains = chains_of(lines_of(cubin("inlined.cubin")), "picks");
  EXPECT_TRUE(chains.contains({"inlined.cu:5", "inlined.cu:9"}));
  EXPECT_TRUE(chains.contains({"sm_32_intrinsics.hpp:134", "inlined.cu:5", "inlined.cu:9"}));
  EXPECT_TRUE(chains.contains({"sm_32_intrinsics.hpp:134", "inlined.cu:5", "inlined.cu:10"}));
  for (const Chain& chain : chains) EXPECT_TRUE(chain.back().starts_with("inlined.cu:")) << chain.back();
}

TEST(DeviceLines, CopiesOfAStructureAreToldApart) {
  const auto chains = chains_of(lines_of(cubin("copied.cubin")), "copies");
  EXPECT_TRUE(chains.contains({"copied.cu:7 copies", "copied.cu:11 copies", "copied.cu:16"}));
  EXPECT_TRUE(chains.contains({"copied.cu:15"}));
}

TEST(DeviceLines, CodeWithoutATableHasNone) {
  const auto lines = lines_of(cubin("accesses.sm_90.cubin"));
  EXPECT_FALSE(lines.holds("bytes"));
  EXPECT_TRUE(lines.at("bytes", 0).empty());
  EXPECT_TRUE(DeviceLines::read({}).at("bytes", 0).empty());
}

TEST(DeviceLines, BehindAFunctionThereIsNone) {
  const auto lines = lines_of(cubin("inlined.cubin"));
  EXPECT_TRUE(lines.holds("adds"));
  EXPECT_FALSE(lines.at("adds", 0).empty());
  EXPECT_TRUE(lines.at("adds", 0x10000).empty());
  EXPECT_FALSE(lines.holds("absent"));
}

TEST(DeviceLines, DamagedCodeDoesNoHarm) {
  const auto whole = cubin("inlined.cubin");
  for (std::size_t at = 0; at < whole.size(); at += 3) {
    auto damaged = whole;
    for (std::size_t i = at; i < std::min(at + 2, damaged.size()); ++i)
      damaged[i] = static_cast<char>(~damaged[i]);
    (void)chains_of(lines_of(damaged), "picks");
    if (at % 96 != 0) continue;
    damaged.resize(at);
    (void)chains_of(lines_of(damaged), "picks");
  }
}

}  // namespace
}  // namespace coalescope::symbols
