#pragma once
// What each pattern file hands to the runner: how to run a case once, and what its output must then hold.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/answers/geometry.h"

namespace coalescope::kernels {

using Word = std::uint32_t;

// Word i of every input array.
__host__ __device__ constexpr Word input_word(std::int64_t i) {
  return static_cast<Word>(i) * kInputFactor + kInputOffset;
}

struct ArrayPair {
  Word* input = nullptr;  // kArrayWords of input_word()
  Word* output = nullptr;
};

// Only what the family needs is there.
struct Arrays {
  ArrayPair device, pinned, pageable;
};

enum class Place { device, pinned, pageable };

struct Pattern {
  std::string id;                                                // of its case in answers/
  std::function<void(const Arrays&)> launch;                     // one run of the case
  std::function<std::optional<Word>(std::int64_t)> output_word;  // nullopt: the word must be untouched
  Place output_place = Place::device;
  std::int64_t output_bytes = kArrayBytes;  // what may have been written lies in these first bytes
};

// One function a pattern file.
std::vector<Pattern> sequential_patterns();
std::vector<Pattern> permuted_patterns();
std::vector<Pattern> offset_patterns();
std::vector<Pattern> stride_patterns();
std::vector<Pattern> grid_stride_patterns();
std::vector<Pattern> broadcast_patterns();
std::vector<Pattern> element_patterns();
std::vector<Pattern> copy_patterns();
std::vector<Pattern> zero_copy_patterns();
std::vector<Pattern> l2_patterns();
// A8 to A12.
std::vector<Pattern> structure_patterns();
std::vector<Pattern> row_patterns();
std::vector<Pattern> transpose_patterns();
std::vector<Pattern> scattered_patterns();
std::vector<Pattern> partial_warp_patterns();
// B.
std::vector<Pattern> shared_stride_patterns();
std::vector<Pattern> shared_multicast_patterns();
std::vector<Pattern> corner_patterns();
std::vector<Pattern> staging_patterns();
std::vector<Pattern> constant_patterns();
std::vector<Pattern> local_patterns();
std::vector<Pattern> atomic_patterns();

inline unsigned blocks_of(std::int64_t threads) {
  return static_cast<unsigned>(threads / kBlockThreads);
}

__device__ inline unsigned thread_index() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

}  // namespace coalescope::kernels
