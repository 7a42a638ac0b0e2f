#include "injection/recorder/upload_contents.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace coalescope::recorder {
namespace {

constexpr model::CallSiteId kSite{7}, kOtherSite{8};
// However slow the machine is.
constexpr std::int64_t kAlways = std::int64_t{1} << 50U;

HostBytes bytes_of(const std::vector<std::uint64_t>& words) {
  return {reinterpret_cast<std::uint64_t>(words.data()), words.size() * sizeof(std::uint64_t)};
}

class UploadContentsTest : public ::testing::Test {
 protected:
  Content look(const std::vector<std::uint64_t>& words, model::CallSiteId site = kSite) {
    return contents_.look(site, bytes_of(words));
  }
  UploadContents contents_{kAlways};
  std::vector<std::uint64_t> words_ = std::vector<std::uint64_t>(1000, 5);
};

TEST_F(UploadContentsTest, TheFirstIsComparedWithNothing) {
  EXPECT_EQ(look(words_), Content::not_compared);
  EXPECT_EQ(look(words_, kOtherSite), Content::not_compared);
}

TEST_F(UploadContentsTest, TheSameBytesAreRepeatedFromWhereverTheyAreRead) {
  (void)look(words_);
  const auto copy = words_;
  EXPECT_EQ(look(words_), Content::repeated);
  EXPECT_EQ(look(copy), Content::repeated);
}

TEST_F(UploadContentsTest, OneOtherByteIsAnotherContent) {
  (void)look(words_);
  words_.back() ^= std::uint64_t{1} << 63U;
  EXPECT_EQ(look(words_), Content::other);
}

// As many batches as a small benchmark takes in turn.
TEST_F(UploadContentsTest, AFewContentsInTurnAreRepeatedAndManyAreNot) {
  for (std::uint64_t round = 0; round < 2; ++round)
    for (std::uint64_t i = 0; i < 4; ++i) {
      words_[3] = i;
      const Content content = look(words_);
      EXPECT_EQ(content == Content::repeated, round == 1) << i;
    }
  UploadContents many{kAlways};
  int repeated = 0;
  for (std::uint64_t i = 0; i < 1024; ++i) {
    words_[3] = i % 64;
    if (many.look(kSite, bytes_of(words_)) == Content::repeated) ++repeated;
  }
  EXPECT_EQ(repeated, 1) << "the 71st of 64 in turn is the 7th again, and that is remembered";
}

TEST_F(UploadContentsTest, FewOfManyCopiesAreLookedAt) {
  int compared = 0;
  for (int i = 0; i < 1024; ++i)
    if (look(words_) != Content::not_compared) ++compared;
  EXPECT_EQ(compared, 7 + 6) << "the 2nd to the 8th; the 17th, 35th, ... 575th";
}

// Of large copies blocks are read; their ends and what lies evenly between.
TEST_F(UploadContentsTest, OfLargeCopiesBlocksAreCompared) {
  std::vector<std::uint64_t> large((4 * UploadContents::kMostWhole) / sizeof(std::uint64_t) + 77, 5);
  EXPECT_EQ(look(large), Content::not_compared);
  EXPECT_EQ(look(large), Content::repeated);
  large.back() = 6;
  EXPECT_EQ(look(large), Content::other);
  large.front() = 6;
  EXPECT_EQ(look(large), Content::other);
  for (auto& word : large) word = 7;
  EXPECT_EQ(look(large), Content::other);
}

TEST_F(UploadContentsTest, WhatCameFromTheDeviceIsNotLookedAt) {
  (void)look(words_);
  contents_.downloaded(bytes_of(words_));
  EXPECT_EQ(look(words_), Content::not_compared);
  EXPECT_EQ(look(std::vector<std::uint64_t>(1000, 5)), Content::repeated) << "other memory";
}

TEST_F(UploadContentsTest, ManagedMemoryEndsIt) {
  (void)look(words_);
  contents_.stop();
  EXPECT_EQ(look(words_), Content::not_compared);
}

TEST_F(UploadContentsTest, NothingIsLookedAtOnceItHasTakenItsTime) {
  UploadContents brief(0);
  std::vector<std::uint64_t> large(UploadContents::kMostWhole / sizeof(std::uint64_t), 5);
  (void)brief.look(kSite, bytes_of(large));
  EXPECT_EQ(brief.look(kSite, bytes_of(large)), Content::not_compared);
}

// The driver refuses such a copy; reading it here must not end the program.
TEST_F(UploadContentsTest, MemoryThatCannotBeReadIsNotLookedAt) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* const pages = ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  ASSERT_EQ(::mprotect(static_cast<char*>(pages) + page, page, PROT_NONE), 0);
  const HostBytes half{reinterpret_cast<std::uint64_t>(pages), 2 * page};
  EXPECT_EQ(contents_.look(kSite, half), Content::not_compared);
  EXPECT_EQ(contents_.look(kSite, half), Content::not_compared);
  EXPECT_EQ(contents_.look(kSite, {0, 64}), Content::not_compared);
  ::munmap(pages, 2 * page);
  (void)look(words_);
  EXPECT_EQ(look(words_), Content::repeated) << "others still are";
}

}  // namespace
}  // namespace coalescope::recorder
