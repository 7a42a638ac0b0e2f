// An atlas of dialects: words as they are said at 320 places today are aligned with the same words at 512
// places of an old survey, sound by sound, and for each place those places of the survey are found that speak
// most like it. A sound is a set of features (lips, tongue, voice). A word a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kPlaces = 320, kOldPlaces = 512, kPairs = kPlaces * kOldPlaces, kWords = 64, kLongest = 32;
constexpr int kShortest = 20, kBand = 8, kThreads = 256, kRow = kLongest + 1, kRounds = 10500;
constexpr float kGap = 1, kKeep = 0.98F;
constexpr unsigned kMask = 0xffffffffU, kVowel = 0x000007ffU, kConsonant = 0x003ff800U, kTone = 0xffc00000U;

// Sounds of words, [word][sound][place]; their lengths, [word][place].
struct Survey {
  unsigned* sounds;
  int* lengths;
};

struct Atlas {
  Survey now, old;
  float *rows, *distances, *means, *nearest;
  int word;
};

// Where the row of a pair lies, and how far apart its columns are.
struct PairAfterPair {
  __device__ static int at(int pair, int column) { return pair * kRow + column; }
};

struct ColumnAfterColumn {
  __device__ static int at(int pair, int column) { return column * kPairs + pair; }
};

__device__ float change(unsigned one, unsigned other) {
  const unsigned differ = one ^ other;
  return 0.08F * static_cast<float>(__popc(differ & kVowel)) +
         0.12F * static_cast<float>(__popc(differ & kConsonant)) +
         0.05F * static_cast<float>(__popc(differ & kTone));
}

// A thread has a pair of places and goes through eight sounds of today at a time; the last row of the eight
// is kept for the next ones.
template <class Layout>
__global__ void __launch_bounds__(kThreads)
    align_words(float* __restrict__ distances, float* __restrict__ rows, const unsigned* __restrict__ sounds,
                const int* __restrict__ lengths, const unsigned* __restrict__ old_sounds,
                const int* __restrict__ old_lengths) {
  const auto pair = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int place = pair / kOldPlaces, old_place = pair % kOldPlaces;
  const int length = lengths[place], old_length = old_lengths[old_place];
  float found = kGap * static_cast<float>(old_length);
  for (int first = 0; first < length; first += kBand) {
    unsigned own[kBand];
    float left[kBand];
#pragma unroll
    for (int i = 0; i < kBand; ++i) {
      own[i] = first + i < length ? sounds[(first + i) * kPlaces + place] : 0;
      left[i] = kGap * static_cast<float>(first + i + 1);
    }
    float corner = kGap * static_cast<float>(first);
    for (int column = 1; column <= old_length; ++column) {
      const unsigned other = old_sounds[(column - 1) * kOldPlaces + old_place];
      const float above =
          first == 0 ? kGap * static_cast<float>(column) : rows[Layout::at(pair, column)];  // fault
      float up = above, before = corner;
#pragma unroll
      for (int i = 0; i < kBand; ++i) {
        const float best = fminf(before + change(own[i], other), fminf(up, left[i]) + kGap);
        before = left[i];
        left[i] = best;
        up = best;
      }
      corner = above;
      rows[Layout::at(pair, column)] = up;  // fault
    }
#pragma unroll
    for (int i = 0; i < kBand; ++i) found = first + i + 1 == length ? left[i] : found;
  }
  distances[pair] = found / static_cast<float>(max(length, old_length));
}

// How far apart places speak, as a mean over words that fades.
__global__ void __launch_bounds__(kThreads)
    update_means(float4* __restrict__ means, const float4* __restrict__ distances) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const float4 mean = means[i], now = distances[i];
  means[i] = make_float4(kKeep * mean.x + (1 - kKeep) * now.x, kKeep * mean.y + (1 - kKeep) * now.y,
                         kKeep * mean.z + (1 - kKeep) * now.z, kKeep * mean.w + (1 - kKeep) * now.w);
}

// A warp has a place. `nearest` is over all words.
__global__ void __launch_bounds__(kThreads)
    find_nearest(float* __restrict__ nearest, const float* __restrict__ means) {
  const auto place = static_cast<int>((blockIdx.x * kThreads + threadIdx.x) / 32);
  const auto lane = static_cast<int>(threadIdx.x % 32);
  float least = 1e30F;
#pragma unroll
  for (int i = 0; i < kOldPlaces / 32; ++i) least = fminf(least, means[place * kOldPlaces + i * 32 + lane]);
  for (int far = 16; far > 0; far /= 2) least = fminf(least, __shfl_xor_sync(kMask, least, far));
  if (lane == 0) nearest[place] += least;
}

// A word's sounds change slowly from place to place.
__global__ void __launch_bounds__(kThreads) fill_sounds(unsigned* sounds, int places, int n, unsigned seed) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (i >= n) return;
  const int place = i % places;
  const auto sound = static_cast<unsigned>(i / places);
  unsigned features = mixed_bits(sound) & 0x5555ffffU;
  for (unsigned step = 0; step < 6; ++step) {
    const unsigned region = static_cast<unsigned>(place) >> step;
    features ^= 1U << (mixed_bits(sound * 131 + region * 7 + step + seed) % 32);
  }
  sounds[i] = features;
}

Survey new_survey(int places, unsigned seed) {
  const int words = kWords * places;
  Survey survey = {device_array<unsigned>(static_cast<std::size_t>(words) * kLongest),
                   device_array<int>(static_cast<std::size_t>(words))};
  fill_sounds<<<blocks_for(static_cast<std::size_t>(words) * kLongest, kThreads), kThreads>>>(
      survey.sounds, places, words * kLongest, seed);
  auto* lengths = pinned_array<int>(static_cast<std::size_t>(words));
  for (int i = 0; i < words; ++i) {
    const auto word = static_cast<unsigned>(i / places), place = static_cast<unsigned>(i);
    const auto usual = static_cast<int>(mixed_bits(word) % (kLongest - kShortest - 2));
    lengths[i] = kShortest + usual + static_cast<int>(mixed_bits(place + seed) % 3);
  }
  CHECK(cudaMemcpy(survey.lengths, lengths, static_cast<std::size_t>(words) * sizeof(int),
                   cudaMemcpyHostToDevice));
  CHECK(cudaFreeHost(lengths));
  return survey;
}

template <class Layout>
void compare_word(Atlas& atlas) {
  const int word = atlas.word++ % kWords;
  align_words<Layout><<<kPairs / kThreads, kThreads>>>(
      atlas.distances, atlas.rows, atlas.now.sounds + word * kLongest * kPlaces,
      atlas.now.lengths + word * kPlaces, atlas.old.sounds + word * kLongest * kOldPlaces,
      atlas.old.lengths + word * kOldPlaces);
  update_means<<<kPairs / 4 / kThreads, kThreads>>>(reinterpret_cast<float4*>(atlas.means),
                                                    reinterpret_cast<const float4*>(atlas.distances));
  find_nearest<<<kPlaces * 32 / kThreads, kThreads>>>(atlas.nearest, atlas.means);
}

template <class Layout>
Case make() {
  const auto atlas = std::make_shared<Atlas>();
  atlas->now = new_survey(kPlaces, 17);
  atlas->old = new_survey(kOldPlaces, 4711);
  atlas->rows = device_array<float>(std::size_t{kPairs} * kRow);
  atlas->distances = device_array<float>(kPairs);
  atlas->means = device_array<float>(kPairs);
  atlas->nearest = device_array<float>(kPlaces);
  CHECK(cudaMemset(atlas->means, 0, kPairs * sizeof(float)));
  CHECK(cudaMemset(atlas->nearest, 0, kPlaces * sizeof(float)));
  CHECK(cudaGetLastError());
  return {[=] { compare_word<Layout>(*atlas); }, [=] { return device_sum(atlas->nearest, kPlaces); },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make<PairAfterPair>(); }, [] { return make<ColumnAfterColumn>(); });
}
