#include "kernels/expected.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/base/units.h"
#include "kernels/geometry.h"

// Arrays begin at multiples of 256 bytes and blocks hold whole warps, so every warp of a case gives the same
// answer: a case is what one warp does, times the warps. A sector is 32 aligned bytes; W = 4 bytes is a word.
namespace coalescope::kernels {
namespace {

using model::Direction;
using model::MemoryKind;
using model::MetricId;

constexpr std::int64_t kSectorBytes = 32;

// What one warp asks for in one direction: distinct bytes and sectors are those of one request.
struct WarpAccess {
  std::int64_t requests = 1;
  std::int64_t bytes = 0;
  std::int64_t sectors = 0;

  // The least that its bytes would fit in.
  constexpr std::int64_t ideal_sectors() const { return (bytes + kSectorBytes - 1) / kSectorBytes; }
};

// 32 neighbouring words on a sector boundary: 32 W = 128 bytes = 4 sectors.
constexpr WarpAccess kSequential{1, 128, 4};

// What a launch does: its threads, and what each of its warps loads and stores.
struct Work {
  std::int64_t threads;
  WarpAccess load;
  WarpAccess store;
};

std::vector<ExpectedCount> counts_of(const Work& work) {
  const WarpAccess& load = work.load;
  const WarpAccess& store = work.store;
  const std::int64_t loads = work.threads / kWarpThreads * load.requests;
  const std::int64_t stores = work.threads / kWarpThreads * store.requests;
  return {
      {MetricId::global_load_bytes, loads * load.bytes},
      {MetricId::global_load_sectors, loads * load.sectors},
      {MetricId::global_load_requests, loads},
      {MetricId::global_store_bytes, stores * store.bytes},
      {MetricId::global_store_sectors, stores * store.sectors},
      {MetricId::global_store_requests, stores},
      {MetricId::instruction_sectors, loads * load.sectors + stores * store.sectors},
      {MetricId::instruction_ideal_sectors, loads * load.ideal_sectors() + stores * store.ideal_sectors()},
      {MetricId::instruction_loads, loads},
      {MetricId::instruction_stores, stores}};
}

// A kernel without parameter.
Case single(std::string family, const std::string& function, std::string title, std::int64_t useful_bytes,
            const Work& work) {
  Case one;
  one.family = std::move(family);
  one.id = function;
  one.kernel = "coalescope::kernels::" + function;
  one.title = std::move(title);
  one.useful_bytes = useful_bytes;
  one.threads = work.threads;
  one.counts = counts_of(work);
  return one;
}

// A kernel with a number as template argument.
Case point(std::string family, const std::string& function, int argument, std::string title,
           std::int64_t useful_bytes, const Work& work) {
  const std::string value = std::to_string(argument);
  Case one = single(std::move(family), function, std::move(title), useful_bytes, work);
  one.id += "/" + value;
  one.kernel += "<" + value + ">";
  one.abscissa = argument;
  return one;
}

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
    const WarpAccess access{1, kWarpThreads * bytes, bytes};
    all.push_back(point("A7", "element_copy", bytes,
                        "copy by elements of " + std::to_string(bytes) + " bytes", 2 * kArrayBytes,
                        Work{element_threads(bytes), access, access}));
  }
}

void add_copies(std::vector<Case>& all) {
  for (const Direction direction : {Direction::host_to_device, Direction::device_to_host})
    for (const MemoryKind memory : {MemoryKind::pageable, MemoryKind::pinned})
      for (const std::int64_t bytes : kCopyBytes) {
        const bool to_device = direction == Direction::host_to_device;
        Case copy;
        copy.family = "D1";
        copy.id = std::string("copy_") + std::string(name_of(direction)) + "_" +
                  std::string(name_of(memory)) + "/" + std::to_string(bytes);
        copy.title = std::string(name_of(memory)) + (to_device ? " host to device, " : " device to host, ") +
                     base::format_bytes(static_cast<double>(bytes));
        copy.abscissa = static_cast<double>(bytes);
        copy.useful_bytes = bytes;
        copy.copy = HostCopy{direction, memory, bytes};
        all.push_back(std::move(copy));
      }
}

// D6. On the GPU's side host memory is addressed like any other; each zero-copy kernel has a twin that finds
// (or leaves) the same data in device memory, with one pinned copy of the whole array beside it.
void add_zero_copy(std::vector<Case>& all) {
  constexpr std::int64_t kStridedThreads = strided_threads(kZeroCopyStride);
  struct Row {
    std::string function, title;
    std::int64_t host_bytes;
    Direction direction;
    Work work;
  };
  const std::array rows{
      Row{"read", "read once, coalesced", kArrayBytes, Direction::host_to_device,
          Work{kArrayWords, kSequential, kSequential}},
      Row{"read_twice", "read twice, half the array apart", kArrayBytes, Direction::host_to_device,
          Work{kArrayWords, {2, 128, 4}, kSequential}},
      Row{"strided_read", "read with a stride of 8 words", kStridedThreads * kWordBytes,
          Direction::host_to_device, Work{kStridedThreads, {1, 128, 32}, kSequential}},
      Row{"write", "written, coalesced", kArrayBytes, Direction::device_to_host,
          Work{kArrayWords, kSequential, kSequential}},
  };
  for (const Row& row : rows) {
    all.push_back(
        single("D6", "zero_copy_" + row.function, "host memory " + row.title, row.host_bytes, row.work));
    Case staged =
        single("D6", "staged_" + row.function, "the same by copy and kernel", row.host_bytes, row.work);
    staged.copy = HostCopy{row.direction, MemoryKind::pinned, kArrayBytes};
    all.push_back(std::move(staged));
  }
}

// E1. All threads go over the two arrays with 8 loads and 8 stores each.
void add_ceilings(std::vector<Case>& all) {
  constexpr WarpAccess kPasses{kL2Passes, 128, 4};
  all.push_back(single("E1", "l2_copy", "copy that stays in L2", 2 * kL2Threads * kL2Passes * kWordBytes,
                       Work{kL2Threads, kPasses, kPasses}));
}

std::vector<Case> all_cases() {
  std::vector<Case> all;
  add_sequential(all);
  add_offsets(all);
  add_strides(all);
  add_index_mistakes(all);
  add_elements(all);
  add_copies(all);
  add_zero_copy(all);
  add_ceilings(all);
  return all;
}

}  // namespace

std::span<const Case> cases() {
  static const std::vector<Case> kAll = all_cases();
  return kAll;
}

}  // namespace coalescope::kernels
