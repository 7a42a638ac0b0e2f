#include "injection/recorder/torch_pool.h"

#include <gtest/gtest.h>

namespace coalescope::recorder {
namespace {

constexpr std::uint64_t kSegment = 0x7f0000000000;
constexpr model::CallSiteId kFirstTensor{1}, kSecondTensor{2};

TEST(TorchPool, APointerIntoABlockLeadsToItsTensor) {
  TorchPool pool;
  pool.block_taken(kSegment, kFirstTensor);
  pool.block_taken(kSegment + 512, kSecondTensor);
  EXPECT_EQ(pool.site_of(kSegment, kSegment), kFirstTensor);
  EXPECT_EQ(pool.site_of(kSegment + 511, kSegment), kFirstTensor);
  EXPECT_EQ(pool.site_of(kSegment + 512, kSegment), kSecondTensor);
  EXPECT_EQ(pool.site_of(kSegment + 4096, kSegment), kSecondTensor);
}

// Somebody else's memory may lie behind a segment of the pool.
TEST(TorchPool, WhatLiesInNoSegmentOfItIsNotKnown) {
  TorchPool pool;
  pool.block_taken(kSegment, kFirstTensor);
  EXPECT_EQ(pool.site_of(kSegment + 4096, kSegment + 4096), std::nullopt);
  EXPECT_EQ(pool.site_of(kSegment - 1, kSegment - 4096), std::nullopt);
}

TEST(TorchPool, ABlockIsTakenAgain) {
  TorchPool pool;
  pool.block_taken(kSegment, kFirstTensor);
  pool.block_given_back(kSegment);
  EXPECT_EQ(pool.site_of(kSegment, kSegment), std::nullopt);
  pool.block_taken(kSegment, kSecondTensor);
  EXPECT_EQ(pool.site_of(kSegment, kSegment), kSecondTensor);
  pool.block_taken(kSegment, std::nullopt);  // stacks rested
  EXPECT_EQ(pool.site_of(kSegment, kSegment), std::nullopt);
}

TEST(TorchPool, AfterTooManyBlocksThereIsNoAnswer) {
  TorchPool pool;
  EXPECT_FALSE(pool.was_told());
  for (std::uint64_t i = 0; i <= TorchPool::kMostBlocks; ++i)
    pool.block_taken(kSegment + 512 * i, kFirstTensor);
  EXPECT_TRUE(pool.was_told());
  EXPECT_TRUE(pool.is_full());
  EXPECT_EQ(pool.site_of(kSegment, kSegment), std::nullopt);
  pool.block_taken(kSegment, kFirstTensor);
  EXPECT_EQ(pool.site_of(kSegment, kSegment), std::nullopt);
}

// This program has no PyTorch; tests/python records one that has such a library.
TEST(TorchPool, AProgramWithoutTheLibraryIsNotIt) {
  EXPECT_FALSE(torch_pool_calls());
}

}  // namespace
}  // namespace coalescope::recorder
