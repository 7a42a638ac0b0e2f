// A8 to A12: how data lies in global memory, and how indices and lanes are spread over it.

#include <array>
#include <string>
#include <utility>

#include "kernels/answers/expected_parts.h"

namespace coalescope::kernels {
namespace {

// A8. 32 records of n bytes lie in n sectors, which each field's request touches, all of them: fields are
// less than a sector apart. Where a field has an array of its own, 32 fields of n bytes lie in n sectors.
void add_structures(std::vector<Case>& all) {
  for (const int bytes : {7, 12, 16}) {
    const int field_bytes = bytes == 7 ? 1 : 4;
    const int fields = bytes / field_bytes;
    const std::int64_t threads = structures_of(bytes), useful_bytes = threads * (bytes + kWordBytes);
    const std::string record = std::to_string(bytes) + " bytes";
    const WarpAccess apart{fields, kWarpThreads * field_bytes, bytes, kWarpThreads, field_bytes};
    all.push_back(point("A8", "array_of_structures", bytes, "array of structures of " + record, useful_bytes,
                        Work{threads, apart, kSequential}));
    const int whole = aligned_bytes(bytes);
    const std::int64_t aligned = structures_of(whole);
    all.push_back(point("A8", "aligned_structures", bytes,
                        "the same aligned to " + std::to_string(whole) + " bytes, one load",
                        aligned * (bytes + kWordBytes),
                        Work{aligned, {1, kWarpThreads * whole, whole, kWarpThreads, whole}, kSequential}));
    const WarpAccess together{fields, kWarpThreads * field_bytes, field_bytes, kWarpThreads, field_bytes};
    all.push_back(point("A8", "structure_of_arrays", bytes, "the same, an array for each field", useful_bytes,
                        Work{threads, together, kSequential}));
  }
}

// A9. Eight neighbouring rows begin at all the distances from a sector boundary that there are.
void add_rows(std::vector<Case>& all) {
  for (const int row_words : {1000, 1001, 1002, 1004})
    for (const bool pitched : {false, true}) {
      LaunchAccess rows;
      for (std::int64_t row = 0; row < kSectorWords; ++row)
        rows.add_stretch(pitched ? 0 : row * row_words, row_words, kRows / kSectorWords);
      Case one =
          kernel_case("A9", pitched ? "pitched_rows" : "unpitched_rows", row_words,
                      (pitched ? "pitched rows of " : "rows of ") + std::to_string(row_words) + " words");
      one.useful_bytes = 2 * kRows * row_words * kWordBytes;
      one.threads = kRows * kRowPitchWords;
      one.counts = counts_of(rows, rows);
      all.push_back(std::move(one));
    }
}

// A10. A warp's 32 words lie in a row of the matrix, 4 sectors, or in a column, 32. A row of the tile in
// shared memory is a wavefront; so is a padded column, but one without padding takes 32.
void add_transposes(std::vector<Case>& all) {
  constexpr std::int64_t kThreads = kArrayWords / kTileRowsAThread;
  constexpr WarpAccess kRow{kTileRowsAThread, 128, 4}, kColumn{kTileRowsAThread, 128, 32};
  const auto add = [&](const std::string& function, const std::string& title, const Work& work) -> Case& {
    all.push_back(
        single("A10", "transpose_" + function, "matrix transposed, " + title, 2 * kArrayBytes, work));
    return all.back();
  };
  add("coalesced_reads", "reads coalesced", {kThreads, kRow, kColumn});
  add("coalesced_writes", "writes coalesced", {kThreads, kColumn, kRow});
  constexpr std::int64_t kRequests = kThreads / kWarpThreads * kTileRowsAThread;
  append(add("tiled", "through a shared tile", {kThreads, kRow, kRow}).counts,
         shared_counts({2 * kRequests, (1 + 32) * kRequests, 2 * kRequests}));
  append(add("padded", "through a padded shared tile", {kThreads, kRow, kRow}).counts,
         shared_counts({2 * kRequests, 2 * kRequests, 2 * kRequests}));
}

// A11. No closed form but the list itself: the distinct words and sectors of each warp's 32 indices.
LaunchAccess scattered(std::uint32_t span_words) {
  LaunchAccess access;
  for (std::uint32_t first = 0; first < kScatteredThreads; first += kWarpThreads) {
    std::array<std::int64_t, kWarpThreads> words{};
    for (std::uint32_t lane = 0; lane < words.size(); ++lane)
      words[lane] = scattered_index(first + lane, span_words);
    access.add(access_to(words), 1);
  }
  return access;
}

void add_scattered(std::vector<Case>& all) {
  for (const std::uint32_t span_words : {64U, 1024U, static_cast<std::uint32_t>(kArrayWords)}) {
    LaunchAccess load = scattered(span_words), store;
    load.add(kSequential, kScatteredThreads / kWarpThreads);
    store.add(kSequential, kScatteredThreads / kWarpThreads);
    for (const bool read_only : {false, true}) {
      Case one = kernel_case("A11", read_only ? "scattered_read_only" : "scattered_read",
                             static_cast<int>(span_words),
                             "indices in a span of " + std::to_string(span_words) + " words" +
                                 (read_only ? ", read-only path" : ""));
      one.useful_bytes = 3 * kScatteredThreads * kWordBytes;
      one.threads = kScatteredThreads;
      one.counts = counts_of(load, store);
      all.push_back(std::move(one));
    }
  }
}

// A12. Lanes that are off touch nothing, and the sectors of the others are moved whole.
Case partial(const std::string& function, std::optional<int> argument, std::string title,
             std::int64_t threads, const LaunchAccess& access) {
  Case one = kernel_case("A12", function, argument, std::move(title));
  one.threads = threads;
  one.useful_bytes = 2 * access.bytes;
  one.counts = counts_of(access, access);
  return one;
}

void add_partial_warps(std::vector<Case>& all) {
  constexpr std::int64_t kWarps = kArrayWords / kWarpThreads;
  LaunchAccess alternate;
  alternate.add({1, 64, 4, kWarpThreads / 2}, kWarps);
  all.push_back(partial("alternate_lanes", {}, "every second lane off", kArrayWords, alternate));
  for (const int lanes : {4, 8, 20}) {
    LaunchAccess first;
    first.add_stretch(0, lanes, kWarps);
    all.push_back(partial("first_lanes", lanes, "the first " + std::to_string(lanes) + " lanes on",
                          kArrayWords, first));
  }
  for (const int block_threads : {33, 48, 100}) {
    LaunchAccess blocks;
    for (std::int64_t block = 0; block < kSectorWords; ++block)
      blocks.add_stretch(block * block_threads, block_threads, kPartialBlocks / kSectorWords);
    all.push_back(partial("partial_block_copy", block_threads,
                          "blocks of " + std::to_string(block_threads) + " threads",
                          kPartialBlocks * block_threads, blocks));
  }
  LaunchAccess guarded;
  guarded.add(kSequential, kGuardedWords / kWarpThreads);
  guarded.add_stretch(0, kGuardedWords % kWarpThreads, 1);
  all.push_back(partial("guarded_copy", {}, "an end inside a warp", kArrayWords, guarded));
}

}  // namespace

void add_layout_cases(std::vector<Case>& all) {
  add_structures(all);
  add_rows(all);
  add_transposes(all);
  add_scattered(all);
  add_partial_warps(all);
}

}  // namespace coalescope::kernels
