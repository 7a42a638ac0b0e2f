// C1: what L1 gets from L2, over the size of what is read again and again, and over the share that L2 has.

#include <array>
#include <utility>

#include "kernels/curves/experiments.cuh"
#include "kernels/curves/reading.cuh"

namespace coalescope::kernels {

// `Hot` of every 16 loads of a thread go round and round in a small array, the others through a large one
// once.
template <int Hot>
__global__ void read_mixed(Word* sums, const Word* hot, unsigned hot_mask, const Word* cold, int turns) {
  const unsigned threads = gridDim.x * blockDim.x;
  Word sum = 0;
  for (int turn = 0; turn < turns; ++turn) {
    Word words[16];
#pragma unroll
    for (int k = 0; k < 16; ++k)
      words[k] = k < Hot ? load_word(hot + (((turn * Hot + k) * threads + thread_index()) & hot_mask))
                         : load_word(cold + (turn * (16 - Hot) + k - Hot) * threads + thread_index());
#pragma unroll
    for (int k = 0; k < 16; ++k) sum += words[k];
  }
  sums[thread_index()] = sum;
}

// The same as read_quads, but in each pass other SMs come by: by an odd number of blocks further.
template <int Index>
__global__ void read_quads_in_turns(Word* sums, const Word* in, unsigned quads, int passes) {
  const unsigned step = gridDim.x * blockDim.x, shift = 37 * blockDim.x;
  Word sum = 0;
  for (int pass = 0; pass < passes; ++pass) {
    const unsigned first = (thread_index() + pass * shift) % step;
    for (unsigned i = first; i < quads; i += 4 * step) {
#pragma unroll
      for (unsigned k = 0; k < 4; ++k)
        if (i + k * step < quads) sum += load_quad(in + kQuadWords * (i + k * step));
    }
  }
  sums[thread_index()] = sum;
}

namespace {

constexpr std::array<int, 20> kFootprintsMib{4,  8,  12, 16, 20, 24, 28, 32, 36,  40,
                                             44, 48, 52, 56, 64, 72, 80, 96, 128, 256};
constexpr std::array<int, 7> kHotLoads{0, 4, 8, 12, 14, 15, 16};

template <int Index>
void footprint_point(Bench& bench, const Word* words) {
  constexpr int kPart = 3;  // of the points, where they are to be few
  if (bench.brief() && Index % kPart != 0) return;
  constexpr std::int64_t kBytes = kFootprintsMib[Index] * kMiB;
  const int passes = static_cast<int>(std::max(kStreamBytes / kBytes, std::int64_t{4}));
  const auto quads = static_cast<unsigned>(kBytes / kWordBytes / kQuadWords);
  const Sums sums(bench.full_grid());
  const Times times = bench.on_gpu(21, [&](cudaStream_t stream) {
    read_quads<Index><<<bench.full_grid(), kBlockThreads, 0, stream>>>(sums.get(), words, quads, passes);
  });
  bench.bandwidth({"footprint", static_cast<double>(kBytes),
                   "coalescope::kernels::read_quads<" + std::to_string(Index) + ">"},
                  static_cast<double>(kBytes) * passes, times);
  const auto total = static_cast<Word>(sum_of_words(0, 1, kBytes / kWordBytes) * static_cast<Word>(passes));
  bench.check("footprint", total, sums.total());
  const Times shared = bench.on_gpu(21, [&](cudaStream_t stream) {
    read_quads_in_turns<Index>
        <<<bench.full_grid(), kBlockThreads, 0, stream>>>(sums.get(), words, quads, passes);
  });
  bench.bandwidth({"footprint_of_all", static_cast<double>(kBytes),
                   "coalescope::kernels::read_quads_in_turns<" + std::to_string(Index) + ">"},
                  static_cast<double>(kBytes) * passes, shared);
  bench.check("footprint_of_all", total, sums.total());
}

template <int Hot>
void hit_rate_point(Bench& bench, const Word* hot, const Word* cold) {
  const auto threads = std::uint64_t{bench.full_grid()} * kBlockThreads;
  const auto hot_words = static_cast<std::uint64_t>(resident_bytes(bench) / 2 / kWordBytes);
  const auto turns = static_cast<std::uint64_t>(kStreamBytes / kWordBytes) / (16 * threads);
  const Sums sums(bench.full_grid());
  const Times times = bench.on_gpu(21, [&](cudaStream_t stream) {
    read_mixed<Hot><<<bench.full_grid(), kBlockThreads, 0, stream>>>(
        sums.get(), hot, static_cast<unsigned>(hot_words - 1), cold, static_cast<int>(turns));
  });
  bench.bandwidth({"hit_rate", Hot / 16.0, "coalescope::kernels::read_mixed<" + std::to_string(Hot) + ">"},
                  static_cast<double>(16 * threads * turns * kWordBytes), times);
  const Word expected =
      sum_of_rounds(hot_words, Hot * threads * turns) + sum_of_words(0, 1, (16 - Hot) * threads * turns);
  bench.check("hit_rate", expected, sums.total());
}

template <std::size_t... Index>
void all_footprints(Bench& bench, const Word* words, std::index_sequence<Index...>) {
  (footprint_point<static_cast<int>(Index)>(bench, words), ...);
}

template <std::size_t... Index>
void all_hit_rates(Bench& bench, const Word* hot, const Word* cold, std::index_sequence<Index...>) {
  (hit_rate_point<kHotLoads[Index]>(bench, hot, cold), ...);
}

}  // namespace

void measure_footprint(Bench& bench) {
  const OnDevice<Word> words = filled_array(kFootprintsMib.back() * kMiB);
  all_footprints(bench, words.get(), std::make_index_sequence<kFootprintsMib.size()>());
}

void measure_hit_rate(Bench& bench) {
  const OnDevice<Word> hot = filled_array(resident_bytes(bench) / 2);
  const OnDevice<Word> cold = filled_array(kStreamBytes);
  all_hit_rates(bench, hot.get(), cold.get(), std::make_index_sequence<kHotLoads.size()>());
}

}  // namespace coalescope::kernels
