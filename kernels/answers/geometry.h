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

// Word i of every input array is kInputFactor * i + kInputOffset: an odd factor makes each differ from all
// others.
inline constexpr std::uint32_t kInputFactor = 2654435761U;
inline constexpr std::uint32_t kInputOffset = 12345U;

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

// A8. As many structures as fit the array.
constexpr std::int64_t structures_of(int bytes) {
  return whole_blocks(kArrayBytes / bytes);
}
template <int Bytes>
inline constexpr auto kStructures = static_cast<std::uint32_t>(structures_of(Bytes));
// What __align__ makes of a structure's size.
constexpr int aligned_bytes(int bytes) {
  return bytes <= 8 ? 8 : 16;
}

// A9. Rows of some 1,000 words, one behind the other or at a pitch such as cudaMallocPitch gives.
inline constexpr std::int64_t kRows = 65'536;
inline constexpr std::int64_t kRowPitchWords = 1024;
static_assert(kRows * kRowPitchWords == kArrayWords);

// A10. A square matrix that fills the array, gone over by tiles; a block has 8 rows of threads.
inline constexpr unsigned kMatrixWords = 8192;
inline constexpr unsigned kTileWords = 32;
inline constexpr unsigned kTileThreadRows = 8;
inline constexpr unsigned kTileRowsAThread = kTileWords / kTileThreadRows;
static_assert(std::int64_t{kMatrixWords} * kMatrixWords == kArrayWords);

// A11. The list of indices: each warp has a span of its own somewhere in the array, each lane a word in it.
inline constexpr std::int64_t kScatteredThreads = 256 * kKiB;

constexpr std::uint32_t mixed(std::uint32_t number) {
  number = (number ^ (number >> 16)) * 0x7FEB352DU;
  number = (number ^ (number >> 15)) * 0x846CA68BU;
  return number ^ (number >> 16);
}
constexpr std::uint32_t scattered_index(std::uint32_t thread, std::uint32_t span_words) {
  const auto spans = static_cast<std::uint32_t>(kArrayWords / span_words);
  const std::uint32_t warp = thread / static_cast<std::uint32_t>(kWarpThreads);
  return mixed(~warp) % spans * span_words + mixed(thread) % span_words;
}

// A12. Blocks that are no multiple of a warp; and an array whose last block has threads without work.
inline constexpr std::int64_t kPartialBlocks = 512 * kKiB;
inline constexpr std::int64_t kGuardedWords = kArrayWords - 100;

// On-chip memories need no more than enough warps for every multiprocessor.
inline constexpr std::int64_t kChipThreads = 1024 * kBlockThreads;

// B1, B2. The words that a block keeps in shared memory, and how often each thread reads one.
inline constexpr unsigned kSharedWords = 1024;
inline constexpr unsigned kSharedPasses = 128;

// B3. Each warp sums up the rows of a tile. A tile of pitch 33 has 32 columns, one of pitch 17 has 16.
constexpr int tile_columns(int pitch) {
  return pitch / 16 * 16;
}
template <int Pitch>
inline constexpr int kTileColumns = tile_columns(Pitch);
constexpr std::int64_t corner_threads(int pitch) {
  return kArrayWords / tile_columns(pitch);
}

// B4. What each thread takes to shared memory.
inline constexpr unsigned kStagedElements = 8;
constexpr std::int64_t staged_threads(int element_bytes) {
  return kArrayBytes / element_bytes / kStagedElements;
}

// B5. Constant memory is 64 KiB at most; a quarter of it is read here.
inline constexpr unsigned kConstantWords = 4096;
inline constexpr unsigned kConstantPasses = kConstantWords / 32;

// B6.
inline constexpr unsigned kLocalTurn = 5;  // where a thread begins to read its array: known at run time only
inline constexpr unsigned kLiveWords = 64;

// B7.
// Bits 12 to 19 of an input word are its bin: they cross a byte, so that no narrower load would do.
inline constexpr unsigned kBins = 256;
inline constexpr unsigned kBinShift = 12;

inline constexpr int kZeroCopyStride = 8;

// Two arrays of 2 MiB fit the L2 of every GPU; each is gone over many times, so that the launch lasts.
inline constexpr unsigned kL2Words = 512 * 1024;
inline constexpr unsigned kL2Passes = 8;
inline constexpr std::int64_t kL2Threads = std::int64_t{8} * kL2Words;

inline constexpr std::array<std::int64_t, 9> kCopyBytes{4 * kKiB, 16 * kKiB, 64 * kKiB, 256 * kKiB, 1 * kMiB,
                                                        4 * kMiB, 16 * kMiB, 64 * kMiB, 256 * kMiB};
static_assert(kCopyBytes.back() == kArrayBytes);

}  // namespace coalescope::kernels
