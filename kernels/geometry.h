#pragma once
// The sizes that the kernels are launched with and that their answers are computed from: one place for both.
// They are fixed, so that counts mean the same on every GPU: 512 MiB of device memory (and as much of host
// memory, pinned and pageable, for the copies) are needed.

#include <array>
#include <cstdint>

namespace coalescope::kernels {

inline constexpr std::int64_t kKiB = 1024;
inline constexpr std::int64_t kMiB = 1024 * kKiB;

inline constexpr std::int64_t kWordBytes = 4;
inline constexpr std::int64_t kWarpThreads = 32;
inline constexpr std::int64_t kBlockThreads = 256;

// Each array is several times the L2 of the largest GPUs, so that a launch is paid for in DRAM traffic.
inline constexpr std::int64_t kArrayBytes = 256 * kMiB;
inline constexpr std::int64_t kArrayWords = kArrayBytes / kWordBytes;

// Threads always fill whole blocks: no guard in the kernels, no partial warp in the answers.
constexpr std::int64_t whole_blocks(std::int64_t threads) {
  return threads / kBlockThreads * kBlockThreads;
}

// One block less than the array, so that the largest offset stays inside.
inline constexpr int kLargestOffset = 32;
inline constexpr std::int64_t kOffsetThreads = kArrayWords - kBlockThreads;
static_assert(kOffsetThreads + kLargestOffset <= kArrayWords);

// The footprint is constant, the threads are fewer with each stride: with a constant number of threads small
// strides would run from L2.
inline constexpr int kLargestStride = 32;
constexpr std::int64_t strided_threads(int stride) {
  return whole_blocks(kArrayWords / stride);
}

constexpr std::int64_t element_threads(int element_bytes) {
  return kArrayBytes / element_bytes;
}

inline constexpr int kZeroCopyStride = 8;

// Two arrays of 2 MiB fit the L2 of every GPU; each is gone over many times, so that the launch lasts.
inline constexpr unsigned kL2Words = 512 * 1024;
inline constexpr unsigned kL2Passes = 8;
inline constexpr std::int64_t kL2Threads = std::int64_t{8} * kL2Words;

inline constexpr std::array<std::int64_t, 9> kCopyBytes{4 * kKiB, 16 * kKiB, 64 * kKiB, 256 * kKiB, 1 * kMiB,
                                                        4 * kMiB, 16 * kMiB, 64 * kMiB, 256 * kMiB};
static_assert(kCopyBytes.back() == kArrayBytes);

}  // namespace coalescope::kernels
