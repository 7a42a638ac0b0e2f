#include "core/symbols/elf_file.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace coalescope::symbols {
namespace {

namespace fs = std::filesystem;

TEST(ElfFile, ThisProgramHasALoaderAndSections) {
  const auto elf = read_elf("/proc/self/exe");
  ASSERT_TRUE(elf);
  EXPECT_TRUE(elf->is_64_bit);
  EXPECT_TRUE(elf->has_loader);
  EXPECT_TRUE(elf->has(".text"));
  EXPECT_FALSE(elf->has(".nv_fatbin"));
}

TEST(ElfFile, WhatIsNoElfFileIsNone) {
  EXPECT_FALSE(read_elf("/no/such/file"));
  EXPECT_FALSE(read_elf(COALESCOPE_SOURCE_DIR "/README.md"));
}

// Every length of a file that was cut off; none may be read past its end.
TEST(ElfFile, ACutFileIsNoneOrLacksSections) {
  const fs::path path = fs::path(testing::TempDir()) / ("cut-" + std::to_string(::getpid()));
  std::ifstream whole("/proc/self/exe", std::ios::binary);
  std::string begin(4096, '\0');
  whole.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  for (const std::size_t bytes : {0U, 3U, 17U, 63U, 64U, 100U, 900U, 4096U}) {
    std::ofstream(path, std::ios::binary) << begin.substr(0, bytes);
    const auto elf = read_elf(path.string());
    EXPECT_TRUE(!elf || elf->sections.empty()) << bytes;
  }
  fs::remove(path);
}

}  // namespace
}  // namespace coalescope::symbols
