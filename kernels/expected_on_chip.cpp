// B: shared, constant and local memory, and atomics. Shared memory has 32 banks of 4 bytes: a request takes
// as many wavefronts as the bank that most of its distinct words lie in has of them.

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <string>

#include "kernels/expected_parts.h"
#include "kernels/geometry.h"

namespace coalescope::kernels {
namespace {

using model::MetricId;

constexpr std::int64_t kChipWarps = kChipThreads / kWarpThreads;
constexpr WarpAccess kNone{0, 0, 0};

// B1. A block fills the array, each warp its part of it without conflict; then each warp reads. Words of 8
// bytes are served half a warp at a time: two wavefronts at the least.
Case shared_reads(std::string family, const std::string& function, int argument, std::string title,
                  std::int64_t element_words, std::int64_t wavefronts) {
  Case one = point(std::move(family), function, argument, std::move(title),
                   kChipThreads * kSharedPasses * element_words * kWordBytes,
                   Work{kChipThreads, kNone, kSequential});
  constexpr std::int64_t kFills = kSharedWords / kBlockThreads;
  append(one.counts, shared_counts({kChipWarps * (kFills + kSharedPasses),
                                    kChipWarps * (kFills * element_words + kSharedPasses * wavefronts),
                                    kChipWarps * (kFills + kSharedPasses) * element_words}));
  return one;
}

void add_shared(std::vector<Case>& all) {
  for (int stride = 1; stride <= kLargestStride; ++stride)
    all.push_back(shared_reads("B1", "shared_stride", stride,
                               "shared words " + std::to_string(stride) + " apart", 1, std::gcd(stride, 32)));
  for (int stride = 1; stride <= kLargestStride; ++stride)
    all.push_back(shared_reads("B1", "shared_stride_wide", stride,
                               "shared 8-byte words " + std::to_string(stride) + " apart", 2,
                               2 * std::gcd(stride, 16)));
  for (const int lanes : {2, 4, 8, 16, 32})
    all.push_back(shared_reads("B2", "shared_multicast", lanes,
                               std::to_string(lanes) + " neighbours read the same shared word", 1, 1));
}

// B3. Rows of 32 words are loaded one by one, rows of 16 by two, 32 neighbouring words each time. A row
// behind the other in a padded tile has one word in a bank of the other's: 2 wavefronts.
void add_corners(std::vector<Case>& all) {
  all.push_back(single("B3", "corner_direct", "each lane sums up a row, in global memory",
                       kArrayBytes + corner_threads(32) * kWordBytes,
                       Work{corner_threads(32), {32, 128, 32}, kSequential}));
  for (const int pitch : {16, 17, 32, 33}) {
    const std::int64_t columns = tile_columns(pitch), threads = corner_threads(pitch);
    Case one = point("B3", "corner_turned", pitch,
                     "the same from a shared tile of " + std::to_string(columns) + " columns, pitch " +
                         std::to_string(pitch),
                     kArrayBytes + threads * kWordBytes, Work{threads, {columns, 128, 4}, kSequential});
    const std::int64_t requests = threads / kWarpThreads * columns;
    const std::int64_t store_wavefronts = columns < 32 && pitch > columns ? 2 : 1;
    append(one.counts,
           shared_counts({2 * requests, requests * (store_wavefronts + std::gcd(pitch, 32)), 2 * requests}));
    all.push_back(std::move(one));
  }
}

// B4. A request of elements of n bytes has n sectors, and n / 4 wavefronts in shared memory. An asynchronous
// copy is no load to the counters.
void add_staging(std::vector<Case>& all) {
  for (const int bytes : {4, 8, 16}) {
    const std::int64_t threads = staged_threads(bytes), requests = threads / kWarpThreads * kStagedElements;
    const WarpAccess access{kStagedElements, kWarpThreads * bytes, bytes};
    const std::string elements = std::to_string(bytes) + " bytes at a time";
    Case registers = point("B4", "staged_through_registers", bytes, "to shared memory, " + elements,
                           2 * kArrayBytes, Work{threads, access, access});
    append(registers.counts,
           shared_counts({2 * requests, 2 * requests * bytes / 4, 2 * requests * bytes / 4}));
    all.push_back(std::move(registers));

    Case asynchronous = point("B4", "staged_asynchronously", bytes, "the same asynchronously, " + elements,
                              2 * kArrayBytes, Work{threads, kNone, access});
    asynchronous.least_capability = 80;
    replace(asynchronous.counts, MetricId::instruction_sectors, 2 * requests * access.sectors);
    replace(asynchronous.counts, MetricId::instruction_ideal_sectors, 2 * requests * access.sectors);
    append(asynchronous.counts, {{MetricId::async_copy_bytes, requests * access.bytes},
                                 {MetricId::async_copy_sectors, requests * access.sectors},
                                 {MetricId::async_copy_requests, requests},
                                 {MetricId::instruction_async_copies, requests}});
    all.push_back(std::move(asynchronous));
  }
}

// B5. Constant reads are in no counter: those of the result alone.
void add_constants(std::vector<Case>& all) {
  for (const int addresses : {1, 2, 4, 8, 16, 32})
    all.push_back(point("B5", "constant_read", addresses,
                        std::to_string(addresses) + " constant words in a warp",
                        kChipThreads * kConstantPasses * kWordBytes, Work{kChipThreads, kNone, kSequential}));
}

std::vector<ExpectedCount> local_counts(std::int64_t load_sectors, std::int64_t store_sectors, bool or_more) {
  return {{MetricId::local_load_sectors, load_sectors, or_more},
          {MetricId::local_store_sectors, store_sectors, or_more},
          {MetricId::instruction_local_sectors, load_sectors + store_sectors, or_more}};
}

// B6. Word w of lane l lies at 128 w + 4 l bytes: 32 lanes at the same index need 4 sectors for a word,
// however wide the instruction is. 8 lanes share a sector; at different indices each has one of its own.
void add_local(std::vector<Case>& all) {
  for (const int words : {4, 32})
    for (const bool by_lane : {false, true}) {
      Case one =
          point("B6", by_lane ? "local_array_by_lane" : "local_array", words,
                "own array of " + std::to_string(words) + " words, " +
                    (by_lane ? "another index in each lane" : "the same index in all lanes"),
                kChipThreads * (words + 1) * kWordBytes, Work{kChipThreads, {words, 128, 4}, kSequential});
      const std::int64_t sectors = by_lane ? 4 * std::min(words, 8) : 4;
      append(one.counts, local_counts(kChipWarps * words * sectors, kChipWarps * words * 4, false));
      all.push_back(std::move(one));
    }
  // How many words are spilled is the compiler's choice.
  for (const auto& [registers, sectors] : {std::pair{32, 4}, std::pair{128, 0}}) {
    Case one = point(
        "B6", "live_words", registers,
        std::to_string(kLiveWords) + " live words in " + std::to_string(registers) + " registers",
        kChipThreads * (kLiveWords + 1) * kWordBytes, Work{kChipThreads, {kLiveWords, 128, 4}, kSequential});
    append(one.counts, local_counts(kChipWarps * sectors, kChipWarps * sectors, sectors > 0));
    all.push_back(std::move(one));
  }
}

// B7. Lanes of the same word wait for each other: a request goes in rounds in which no word occurs twice.
WarpAccess atomic_access(const std::array<std::int64_t, kWarpThreads>& words) {
  std::map<std::int64_t, int> lanes_of;
  std::map<int, std::set<std::int64_t>> sectors_of_round;
  for (const std::int64_t word : words)
    sectors_of_round[lanes_of[word]++].insert(word * kWordBytes / kSectorBytes);
  WarpAccess access{1, static_cast<std::int64_t>(lanes_of.size()) * kWordBytes, 0};
  for (const auto& [round, sectors] : sectors_of_round)
    access.sectors += static_cast<std::int64_t>(sectors.size());
  return access;
}

// Lane l goes to word l mod `addresses`: 32 / addresses rounds over neighbouring words.
WarpAccess atomic_access(int addresses) {
  std::array<std::int64_t, kWarpThreads> words{};
  for (std::size_t lane = 0; lane < words.size(); ++lane)
    words[lane] = static_cast<std::int64_t>(lane) % addresses;
  return atomic_access(words);
}

// `updates`: requests, bytes and sectors of the reductions. What they would fit in ideally has no definition.
Case reductions(const std::string& function, std::optional<int> argument, std::string title,
                const LaunchAccess& updates) {
  Case one = kernel_case("B7", function, argument, std::move(title));
  one.threads = kChipThreads;
  one.useful_bytes = 2 * kChipThreads * kWordBytes;
  LaunchAccess load;
  load.add(kSequential, kChipWarps);
  one.counts = counts_of(load, {});
  remove(one.counts, MetricId::instruction_sectors);
  remove(one.counts, MetricId::instruction_ideal_sectors);
  append(one.counts, {{MetricId::global_reduction_bytes, updates.bytes},
                      {MetricId::global_reduction_sectors, updates.sectors},
                      {MetricId::instruction_reductions, updates.requests}});
  return one;
}

LaunchAccess every_warp(const WarpAccess& access) {
  LaunchAccess updates;
  updates.add(access, kChipWarps);
  return updates;
}

LaunchAccess histogram_updates() {
  LaunchAccess updates;
  for (std::uint32_t first = 0; first < kChipThreads; first += kWarpThreads) {
    std::array<std::int64_t, kWarpThreads> bins{};
    for (std::uint32_t lane = 0; lane < bins.size(); ++lane)
      bins[lane] = ((first + lane) * kInputFactor + kInputOffset) >> kBinShift & (kBins - 1);
    updates.add(atomic_access(bins), 1);
  }
  return updates;
}

void add_atomics(std::vector<Case>& all) {
  for (const int addresses : {1, 2, 4, 8, 16, 32})
    all.push_back(reductions("reduction", addresses, "added to " + std::to_string(addresses) + " words",
                             every_warp(atomic_access(addresses))));
  all.push_back(reductions("reduction_spread", {}, "added to a word for each lane", every_warp(kSequential)));
  for (const int addresses : {1, 8, 32}) {
    const WarpAccess access = atomic_access(addresses);
    Case one = point("B7", "fetch_add", addresses,
                     "added to " + std::to_string(addresses) + " words, old values returned",
                     2 * kChipThreads * kWordBytes, Work{kChipThreads, kNone, kSequential});
    remove(one.counts, MetricId::instruction_sectors);
    remove(one.counts, MetricId::instruction_ideal_sectors);
    append(one.counts, {{MetricId::global_atomic_bytes, kChipWarps * access.bytes},
                        {MetricId::global_atomic_sectors, kChipWarps * access.sectors},
                        {MetricId::instruction_atomics, kChipWarps}});
    all.push_back(std::move(one));
  }
  all.push_back(reductions("reduction_aggregated", {}, "added up in the warp first", every_warp({1, 4, 1})));
  all.push_back(reductions("histogram_global", {}, "histogram in global memory", histogram_updates()));
  all.push_back(
      reductions("histogram_privatised", {}, "histogram in shared memory first", every_warp(kSequential)));
}

}  // namespace

void add_on_chip_cases(std::vector<Case>& all) {
  add_shared(all);
  add_corners(all);
  add_staging(all);
  add_constants(all);
  add_local(all);
  add_atomics(all);
}

}  // namespace coalescope::kernels
