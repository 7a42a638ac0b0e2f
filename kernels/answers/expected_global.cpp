// A: global memory. Arrays begin at multiples of 256 bytes and blocks hold whole warps, so every warp of a
// case gives the same answer: a case is what one warp does, times the warps. A sector is 32 aligned bytes; W
// = 4 bytes is a word.

#include <algorithm>
#include <string>
#include <utility>

#include "kernels/answers/expected_parts.h"
#include "kernels/answers/geometry.h"

namespace coalescope::kernels {
namespace {

// A1, A2. The order of the lanes inside the segment does not matter.
void add_sequential(std::vector<Case>& all) {
  const Work work{kArrayWords, kSequential, kSequential};
  all.push_back(
      single("A1", "sequential_copy", "aligned copy, neighbours take neighbours", 2 * kArrayBytes, work));
  for (const auto& [mask, order] : {std::pair{1, "pairs swapped"}, std::pair{31, "warp reversed"}}) {
    all.push_back(
        point("A2", "permuted_read", mask, std::string("copy, reads with ") + order, 2 * kArrayBytes, work));
    all.push_back(point("A2", "permuted_write", mask, std::string("copy, writes with ") + order,
                        2 * kArrayBytes, work));
  }
}

// A3. A warp's 128 bytes begin 4 K bytes behind a sector boundary: 4 sectors if that is a boundary too,
// else 5.
void add_offsets(std::vector<Case>& all) {
  for (int offset = 0; offset <= kLargestOffset; ++offset) {
    const bool aligned = offset * kWordBytes % kSectorBytes == 0;
    const WarpAccess access{1, 128, aligned ? 4 : 5};
    all.push_back(point("A3", "offset_copy", offset, "copy at word offset " + std::to_string(offset),
                        2 * kOffsetThreads * kWordBytes, Work{kOffsetThreads, access, access}));
  }
}

// A4. Up to a stride of 8 words the warp touches every sector of 4 S W bytes, beyond it one a lane.
void add_strides(std::vector<Case>& all) {
  for (int stride = 1; stride <= kLargestStride; ++stride) {
    const WarpAccess access{1, 128, std::min(4 * stride, 32)};
    const std::int64_t threads = strided_threads(stride);
    all.push_back(point("A4", "strided_copy", stride, "copy at word stride " + std::to_string(stride),
                        2 * threads * kWordBytes, Work{threads, access, access}));
  }
}

// A5. Neighbouring lanes are a whole grid apart: 32 sectors.
// A6. All lanes one word: 4 bytes in 1 sector. Groups of K lanes one word: 128 / K bytes, which from K = 4 on
// fit one sector.
void add_index_mistakes(std::vector<Case>& all) {
  const WarpAccess scattered{1, 128, 32};
  all.push_back(single("A5", "grid_strided_copy", "copy indexed by block + thread x grid", 2 * kArrayBytes,
                       Work{kArrayWords, scattered, scattered}));
  all.push_back(single("A6", "broadcast", "all threads read the same word", kArrayBytes + kWordBytes,
                       Work{kArrayWords, {1, 4, 1}, kSequential}));
  for (const int lanes : {2, 4, 8, 16, 32}) {
    const WarpAccess load{1, 128 / lanes, std::max(4 / lanes, 1)};
    all.push_back(point("A6", "multicast", lanes, std::to_string(lanes) + " neighbours read the same word",
                        kArrayBytes + kArrayBytes / lanes, Work{kArrayWords, load, kSequential}));
  }
}

// A7. 32 elements of n bytes lie in n sectors.
void add_elements(std::vector<Case>& all) {
  for (const int bytes : {1, 2, 4, 8, 16}) {
    const WarpAccess access{1, kWarpThreads * bytes, bytes, kWarpThreads, bytes};
    all.push_back(point("A7", "element_copy", bytes,
                        "copy by elements of " + std::to_string(bytes) + " bytes", 2 * kArrayBytes,
                        Work{element_threads(bytes), access, access}));
  }
}

}  // namespace

void add_global_cases(std::vector<Case>& all) {
  add_sequential(all);
  add_offsets(all);
  add_strides(all);
  add_index_mistakes(all);
  add_elements(all);
}

}  // namespace coalescope::kernels
