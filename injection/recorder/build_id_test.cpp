#include "injection/recorder/build_id.h"

#include <cstring>
#include <elf.h>
#include <gtest/gtest.h>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace coalescope::recorder {
namespace {

void put(std::vector<std::byte>& notes, std::string_view bytes, std::size_t alignment) {
  for (const char each : bytes) notes.push_back(static_cast<std::byte>(each));
  while (notes.size() % alignment != 0) notes.push_back(std::byte{0});
}

std::vector<std::byte> note(std::uint32_t type, std::string_view owner, std::string_view content,
                            std::size_t alignment = 4) {
  std::vector<std::byte> notes;
  Elf64_Nhdr head{static_cast<Elf64_Word>(owner.size()), static_cast<Elf64_Word>(content.size()), type};
  put(notes, {reinterpret_cast<const char*>(&head), sizeof head}, 4);
  put(notes, owner, alignment);
  put(notes, content, alignment);
  return notes;
}

constexpr std::string_view kGnu{"GNU\0", 4};

TEST(BuildId, IsFoundBehindOtherNotes) {
  for (const std::size_t alignment : {4U, 8U}) {
    auto notes = note(NT_GNU_ABI_TAG, kGnu, "12345", alignment);
    const auto id = note(NT_GNU_BUILD_ID, kGnu, "\x01\xab\xff", alignment);
    notes.insert(notes.end(), id.begin(), id.end());
    EXPECT_EQ(build_id_in(notes, alignment), "01abff");
  }
}

TEST(BuildId, WhatIsNoneIsNone) {
  EXPECT_EQ(build_id_in({}, 4), std::nullopt);
  EXPECT_EQ(build_id_in(note(NT_GNU_ABI_TAG, kGnu, "abcd"), 4), std::nullopt);
  EXPECT_EQ(build_id_in(note(NT_GNU_BUILD_ID, std::string_view("Go\0\0", 4), "abcd"), 4), std::nullopt);
  EXPECT_EQ(build_id_in(note(NT_GNU_BUILD_ID, kGnu, ""), 4), std::nullopt);
}

// No byte beyond the end is looked at, whatever the sizes say.
TEST(BuildId, NotesThatAreCutShortTellNothing) {
  const auto whole = note(NT_GNU_BUILD_ID, kGnu, "0123456789");
  for (std::size_t size = 0; size < sizeof(Elf64_Nhdr) + 4 + 10; ++size) {
    const std::vector<std::byte> part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(build_id_in(part, 4), std::nullopt) << size;
  }
  auto huge = whole;
  const std::uint32_t size = 0xFFFF'FFFF;
  std::memcpy(huge.data(), &size, sizeof size);
  EXPECT_EQ(build_id_in(huge, 4), std::nullopt);
}

TEST(BuildId, BelongsToTheModuleOfAnAddress) {
  const auto library = build_id_at(reinterpret_cast<std::uint64_t>(&::getpid));
  const auto program = build_id_at(reinterpret_cast<std::uint64_t>(&note));
  ASSERT_TRUE(library && program);
  EXPECT_GE(program->size(), 16U) << "linkers make ids of 8 bytes or of 20";
  EXPECT_NE(library, program);
  EXPECT_EQ(build_id_at(8), std::nullopt);
}

}  // namespace
}  // namespace coalescope::recorder
