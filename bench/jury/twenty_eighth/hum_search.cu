// A search for tunes that someone hums: what is hummed is a row of intervals, and each tune of a library is
// aligned with it locally, with gaps (Smith and Waterman, Gotoh). Two hums a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kTunes = 16384, kHums = 2, kHum = 256, kRowsOfLane = 8, kKinds = 32, kNothing = kKinds - 1;
constexpr int kShortest = 288, kLongest = 736, kPad = 128, kThreads = 256, kTunesOfBlock = kThreads / 32;
constexpr int kWide = 1024, kRounds = 380, kOpen = 6, kExtend = 1;
constexpr unsigned kMask = 0xffffffffU, kNothings = 0x01010101U * kNothing;

struct Best {
  int score, tune;
};

struct Library {
  unsigned char* notes;  // each tune begins at a multiple of 128, and is filled up with nothing
  int *starts, *lengths;
  unsigned char* hums;
  int* scores;  // all tunes for the first hum, all for the second
  float* chart;
  Best* found;
  std::size_t all = 0;
  unsigned round = 0;
};

// How well two intervals fit.
__host__ __device__ int fit(int one, int other) {
  if (one == kNothing || other == kNothing) return -64;
  const int apart = one > other ? one - other : other - one;
  return apart == 0 ? 5 : apart == 1 ? 1 : apart == 2 ? -2 : -4;
}

// For each kind of interval, how well it fits the rows of the hum, a byte each.
__device__ void make_profile(unsigned (*profile)[kHum / 4], const unsigned* __restrict__ hum) {
  __shared__ unsigned fits[kKinds][kKinds];
  for (int i = static_cast<int>(threadIdx.x); i < kKinds * kKinds; i += kThreads)
    fits[i / kKinds][i % kKinds] = static_cast<unsigned>(fit(i / kKinds, i % kKinds)) & 255;
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < kKinds * (kHum / 4); i += kThreads) {
    const unsigned* own = fits[i / (kHum / 4)];
    const unsigned four = hum[i % (kHum / 4)];
    profile[i / (kHum / 4)][i % (kHum / 4)] =
        own[four & 31] | own[four >> 8 & 31] << 8 | own[four >> 16 & 31] << 16 | own[four >> 24 & 31] << 24;
  }
  __syncthreads();
}

// What a lane keeps of the table: eight rows, at the column that it has reached.
struct Strip {
  int scores[kRowsOfLane] = {}, gaps[kRowsOfLane] = {};
  int corner = 0, above = 0, above_gap = 0;  // from the lane before
  int best = 0;

  // Returns the score of the last row; `above_gap` becomes the gap that goes on below.
  __device__ int next_column(uint2 fits) {
    int diagonal = corner, over = above, gap = above_gap;
    corner = above;
#pragma unroll
    for (int row = 0; row < kRowsOfLane; ++row) {
      const unsigned word = row < 4 ? fits.x : fits.y;
      const int own = static_cast<signed char>(word >> (8 * (row % 4)));
      gaps[row] = __viaddmax_s32(gaps[row], -kExtend, scores[row] - kOpen);
      gap = __viaddmax_s32(gap, -kExtend, over - kOpen);
      over = max(__viaddmax_s32_relu(diagonal, own, gaps[row]), gap);
      diagonal = scores[row];
      scores[row] = over;
      best = max(best, over);
    }
    above_gap = gap;
    return over;
  }
};

// A warp aligns a tune. Lane n has rows 8n to 8n + 7, and is a column behind the lane before it.
__global__ void __launch_bounds__(kThreads)
    align(int* __restrict__ scores, const unsigned* __restrict__ notes, const int* __restrict__ starts,
          const int* __restrict__ lengths, const unsigned* __restrict__ hums) {
  __shared__ unsigned profile[kKinds][kHum / 4];
  const auto lane = static_cast<int>(threadIdx.x) % 32, hum = static_cast<int>(blockIdx.y);
  make_profile(profile, hums + hum * (kHum / 4));
  const int tune = static_cast<int>(blockIdx.x) * kTunesOfBlock + static_cast<int>(threadIdx.x) / 32;
  const unsigned* own = notes + starts[tune] / 4;
  const int length = lengths[tune], columns = length + 31;
  Strip strip;
  int note = kNothing;
  for (int first = 0; first < columns; first += kPad) {
    const unsigned words = first < length ? own[first / 4 + lane] : kNothings;
    const int count = min(kPad, columns - first);
    for (int i = 0; i < count; ++i) {
      const int entering = static_cast<int>(__shfl_sync(kMask, words, i / 4) >> (i % 4 * 8) & 31);
      note = __shfl_up_sync(kMask, note, 1);
      if (lane == 0) note = entering;
      const int last = strip.next_column(*reinterpret_cast<const uint2*>(&profile[note][2 * lane]));
      strip.above = __shfl_up_sync(kMask, last, 1);
      strip.above_gap = __shfl_up_sync(kMask, strip.above_gap, 1);
      if (lane == 0) strip.above = strip.above_gap = 0;
    }
  }
  const int best = __reduce_max_sync(kMask, strip.best);
  if (lane == 0) scores[hum * kTunes + tune] = best;
}

__device__ Best better(Best one, Best other) {
  const bool first = one.score > other.score || (one.score == other.score && one.tune < other.tune);
  return first ? one : other;
}

__device__ Best best_of_warp(Best mine) {
  for (int far = 16; far > 0; far /= 2)
    mine = better(mine, {__shfl_xor_sync(kMask, mine.score, far), __shfl_xor_sync(kMask, mine.tune, far)});
  return mine;
}

// A block has a hum.
__global__ void __launch_bounds__(kWide) find_best(Best* __restrict__ found, const int* __restrict__ scores) {
  __shared__ Best warps[kWide / 32];
  const auto thread = static_cast<int>(threadIdx.x), hum = static_cast<int>(blockIdx.x);
  Best mine = {-1, 0};
#pragma unroll
  for (int part = 0; part < kTunes / kWide; ++part) {
    const int tune = part * kWide + thread;
    mine = better(mine, {scores[hum * kTunes + tune], tune});
  }
  mine = best_of_warp(mine);
  if (thread % 32 == 0) warps[thread / 32] = mine;
  __syncthreads();
  if (thread >= 32) return;
  mine = best_of_warp(warps[thread]);
  if (thread == 0) found[hum] = mine;
}

// How often tunes are hummed, or others that are like them.
__global__ void __launch_bounds__(kThreads)
    keep_chart(float* __restrict__ chart, const int* __restrict__ scores) {
  const auto tune = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  int sum = 0;
#pragma unroll
  for (int hum = 0; hum < kHums; ++hum) sum += scores[hum * kTunes + tune];
  chart[tune] = 0.98F * chart[tune] + 0.02F * static_cast<float>(sum);
}

// Small intervals are frequent.
__device__ unsigned interval(unsigned seed) {
  return (mixed_bits(seed) % 11 + mixed_bits(seed + 99991U) % 11 + mixed_bits(seed + 77773U) % 11);
}

// A warp has a tune. Phrases come again.
__global__ void __launch_bounds__(kThreads)
    write_tunes(unsigned char* notes, const int* starts, const int* lengths) {
  const auto tune = static_cast<int>(blockIdx.x) * kTunesOfBlock + static_cast<int>(threadIdx.x) / 32;
  const int length = lengths[tune], padded = (length + kPad - 1) / kPad * kPad;
  for (int i = static_cast<int>(threadIdx.x) % 32; i < padded; i += 32) {
    const auto place = static_cast<unsigned>(tune) * 1024U + static_cast<unsigned>(i % 192);
    notes[starts[tune] + i] = static_cast<unsigned char>(i < length ? interval(place) : kNothing);
  }
}

// A block hums a part of a tune, with some wrong notes, and with notes left out.
__global__ void __launch_bounds__(kHum)
    hum_tunes(unsigned char* __restrict__ hums, const unsigned char* __restrict__ notes,
              const int* __restrict__ starts, unsigned round) {
  const unsigned hum = round * kHums + blockIdx.x, row = threadIdx.x;
  const auto tune = static_cast<int>(mixed_bits(hum) % kTunes);
  const unsigned chance = mixed_bits(hum * 4096U + row) % 100;
  const unsigned skipped = row / 48;
  unsigned note = notes[starts[tune] + static_cast<int>(row + skipped)];
  if (chance < 12) note = min(note + 1, kNothing - 1U);
  if (chance >= 94) note = interval(hum + row * 31U);
  hums[blockIdx.x * kHum + row] = static_cast<unsigned char>(note);
}

void answer(Library& library) {
  const unsigned round = library.round++;
  hum_tunes<<<kHums, kHum>>>(library.hums, library.notes, library.starts, round);
  align<<<dim3(kTunes / kTunesOfBlock, kHums), kThreads>>>(
      library.scores, reinterpret_cast<const unsigned*>(library.notes), library.starts, library.lengths,
      reinterpret_cast<const unsigned*>(library.hums));
  find_best<<<kHums, kWide>>>(library.found, library.scores);
  keep_chart<<<kTunes / kThreads, kThreads>>>(library.chart, library.scores);
}

void lay_out(Library& library) {
  int* table = pinned_array<int>(2 * kTunes);
  std::size_t all = 0;
  for (int tune = 0; tune < kTunes; ++tune) {
    const int length =
        kShortest + static_cast<int>(mixed_bits(static_cast<unsigned>(tune)) % (kLongest - kShortest));
    table[tune] = static_cast<int>(all);
    table[kTunes + tune] = length;
    all += static_cast<std::size_t>((length + kPad - 1) / kPad * kPad);
  }
  library.all = all;
  library.starts = device_array<int>(2 * kTunes);
  library.lengths = library.starts + kTunes;
  CHECK(cudaMemcpy(library.starts, table, 2 * kTunes * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaFreeHost(table));
}

Case make() {
  const auto library = std::make_shared<Library>();
  lay_out(*library);
  library->notes = device_array<unsigned char>(library->all);
  write_tunes<<<kTunes / kTunesOfBlock, kThreads>>>(library->notes, library->starts, library->lengths);
  library->hums = device_array<unsigned char>(kHums * kHum);
  library->scores = device_array<int>(kHums * kTunes);
  library->chart = device_array<float>(kTunes);
  library->found = device_array<Best>(kHums);
  CHECK(cudaMemset(library->chart, 0, kTunes * sizeof(float)));
  const auto round = [=] { answer(*library); };
  const auto sum = [=] {
    return device_sum(library->chart, kTunes) +
           device_sum(reinterpret_cast<const int*>(library->found), 2 * kHums);
  };
  return {round, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
