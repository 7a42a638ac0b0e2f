// B: shared, constant and local memory, and atomics. Shared memory has 32 banks of 4 bytes: a request takes
// as many wavefronts as the bank that most of its distinct words lie in has of them.

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>

#include "kernels/answers/expected_parts.h"

namespace coalescope::kernels {
namespace {

using model::MetricId;

constexpr std::int64_t kChipWarps = kChipThreads / kWarpThreads;
constexpr WarpAccess kNone{0, 0, 0};
constexpr std::size_t kBanks = 32;  // of 4 bytes

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
                               std::int64_t{2} * std::gcd(stride, 16)));
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

// B4. A request of elements of n bytes has n sectors, and n / 4 wavefronts in shared memory. To the counters
// an asynchronous copy is no load, has no threads, and is no request to shared memory, though its sectors and
// wavefronts are counted.
void add_staging(std::vector<Case>& all) {
  for (const int bytes : {4, 8, 16}) {
    const std::int64_t threads = staged_threads(bytes), requests = threads / kWarpThreads * kStagedElements;
    const WarpAccess access{kStagedElements, kWarpThreads * bytes, bytes, kWarpThreads, bytes};
    const std::string elements = std::to_string(bytes) + " bytes at a time";
    Case registers = point("B4", "staged_through_registers", bytes, "to shared memory, " + elements,
                           2 * kArrayBytes, Work{threads, access, access});
    append(registers.counts,
           shared_counts({2 * requests, 2 * requests * bytes / 4, 2 * requests * bytes / 4}));
    all.push_back(std::move(registers));

    Case asynchronous =
        kernel_case("B4", "staged_asynchronously", bytes, "the same asynchronously, " + elements);
    asynchronous.useful_bytes = 2 * kArrayBytes;
    asynchronous.threads = threads;
    asynchronous.least_capability = 80;
    LaunchAccess store, copies;
    store.add(access, threads / kWarpThreads);
    copies.add(access, threads / kWarpThreads);
    copies.threads = 0;
    asynchronous.counts = counts_of({}, store, copies);
    append(asynchronous.counts, {{MetricId::async_copy_bytes, copies.bytes},
                                 {MetricId::async_copy_sectors, copies.sectors},
                                 {MetricId::async_copy_requests, copies.requests},
                                 {MetricId::instruction_async_copies, copies.requests}});
    append(asynchronous.counts,
           shared_counts({requests, 2 * requests * bytes / 4, 2 * requests * bytes / 4}));
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
// however wide the instruction is; at different indices each has a sector of its own. Arrays of up to 8 words
// would stay in registers.
void add_local(std::vector<Case>& all) {
  for (const int words : {16, 32})
    for (const bool by_lane : {false, true}) {
      Case one =
          point("B6", by_lane ? "local_array_by_lane" : "local_array", words,
                "own array of " + std::to_string(words) + " words, " +
                    (by_lane ? "another index in each lane" : "the same index in all lanes"),
                kChipThreads * (words + 1) * kWordBytes, Work{kChipThreads, {words, 128, 4}, kSequential});
      const std::int64_t accesses = kChipWarps * words;
      append(one.counts, local_counts(accesses * (by_lane ? 32 : 4), accesses * 4, false));
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

// B7. Sectors are those of the request's distinct words, as of any load: that lanes of the same word are
// served one after the other is not in them, but in lanes / distinct words.
enum class OldValue { unused, stored };

// With a result unused the words to add are loaded; a stored one is what is stored.
Case updates_of(const std::string& function, std::optional<int> argument, std::string title,
                const LaunchAccess& updates, OldValue result) {
  Case one = kernel_case("B7", function, argument, std::move(title));
  one.threads = kChipThreads;
  one.useful_bytes = 2 * kChipThreads * kWordBytes;
  LaunchAccess words;
  words.add(kSequential, kChipWarps);
  if (result == OldValue::stored) {
    one.counts = counts_of({}, words, updates);
    append(one.counts, {{MetricId::global_atomic_bytes, updates.bytes},
                        {MetricId::global_atomic_sectors, updates.sectors},
                        {MetricId::instruction_atomics, updates.requests}});
  } else {
    one.counts = counts_of(words, {}, updates);
    append(one.counts, {{MetricId::global_reduction_bytes, updates.bytes},
                        {MetricId::global_reduction_sectors, updates.sectors},
                        {MetricId::instruction_reductions, updates.requests}});
  }
  return one;
}

LaunchAccess every_warp(const WarpAccess& access) {
  LaunchAccess updates;
  updates.add(access, kChipWarps);
  return updates;
}

// Lane l goes to word l mod `addresses`.
LaunchAccess few_words(int addresses) {
  std::array<std::int64_t, kWarpThreads> words{};
  for (std::size_t lane = 0; lane < words.size(); ++lane)
    words[lane] = static_cast<std::int64_t>(lane) % addresses;
  return every_warp(access_to(words));
}

using Bins = std::array<std::int64_t, kWarpThreads>;

// Of the warp that begins with this thread.
Bins bins_of(std::uint32_t first) {
  Bins bins{};
  for (std::uint32_t lane = 0; lane < bins.size(); ++lane)
    bins[lane] = ((first + lane) * kInputFactor + kInputOffset) >> kBinShift & (kBins - 1);
  return bins;
}

LaunchAccess histogram_updates() {
  LaunchAccess updates;
  for (std::uint32_t first = 0; first < kChipThreads; first += kWarpThreads)
    updates.add(access_to(bins_of(first)), 1);
  return updates;
}

// No warp has a bin twice, so that each takes as many wavefronts as it has bins in one bank.
std::int64_t histogram_wavefronts() {
  std::int64_t wavefronts = 0;
  for (std::uint32_t first = 0; first < kChipThreads; first += kWarpThreads) {
    std::array<std::int64_t, kBanks> bins_in{};
    for (const std::int64_t bin : bins_of(first)) ++bins_in[static_cast<std::size_t>(bin) % kBanks];
    wavefronts += std::ranges::max(bins_in);
  }
  return wavefronts;
}

void add_atomics(std::vector<Case>& all) {
  const auto add = [&](const std::string& function, std::optional<int> argument, std::string title,
                       const LaunchAccess& updates, OldValue result = OldValue::unused) -> Case& {
    return all.emplace_back(updates_of(function, argument, std::move(title), updates, result));
  };
  for (const int addresses : {1, 2, 4, 8, 16, 32})
    add("reduction", addresses, "added to " + std::to_string(addresses) + " words", few_words(addresses));
  add("reduction_spread", {}, "added to a word for each lane", every_warp(kSequential));
  for (const int addresses : {1, 8, 32})
    add("fetch_add", addresses, "added to " + std::to_string(addresses) + " words, old values returned",
        few_words(addresses), OldValue::stored);
  add("reduction_aggregated", {}, "added up in the warp first", every_warp({1, 4, 1, 1}));
  add("histogram_global", {}, "histogram in global memory", histogram_updates());
  // Cleared, counted, and read again.
  append(add("histogram_privatised", {}, "histogram in shared memory first", every_warp(kSequential)).counts,
         shared_counts({3 * kChipWarps, 2 * kChipWarps + histogram_wavefronts(), 3 * kChipWarps}));
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
