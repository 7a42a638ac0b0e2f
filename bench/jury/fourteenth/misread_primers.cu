// Looks for 16 primers of 64 letters in 262,144 texts of 256: how many letters have to be changed, left out
// or put in at least, for the best primer of each text, and how many texts there are of each count.
// Nothing is at fault. A thread has a text, whose letters it keeps in a column of shared memory, and a
// column of the table of counts is two words in registers. The pattern is that of
// NVIDIA-Genomics-Research/GenomeWorks, pull request 31: distances by words of bits.
#include <array>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kTexts = 262144, kLetters = 256, kEachWord = 16, kWords = kLetters / kEachWord, kPrimers = 16;
constexpr int kLong = 64, kThreads = 256, kBins = kLong + 1, kSets = 64, kRounds = 2000;

using Bits = unsigned long long;

// Where a primer has each of four letters.
struct alignas(16) Primer {
  Bits has[4];
};

struct Primers {
  Primer all[kPrimers];
};

// The lanes have different letters, so the word is chosen by its bits and not by an index.
__device__ Bits places_of(const Primer& primer, unsigned letter) {
  const Bits low = (letter & 1U) != 0 ? primer.has[1] : primer.has[0];
  const Bits high = (letter & 1U) != 0 ? primer.has[3] : primer.has[2];
  return (letter & 2U) != 0 ? high : low;
}

// How the counts rise and fall along the primer, and the last one.
struct Column {
  Bits rise = ~Bits{0}, fall = 0;
  int last = kLong;

  __device__ void advance(Bits same) {
    const Bits straight = same | fall;
    const Bits across = (((same & rise) + rise) ^ rise) | same;
    Bits up = fall | ~(across | rise), down = rise & across;
    last += static_cast<int>(up >> (kLong - 1)) - static_cast<int>(down >> (kLong - 1));
    up <<= 1;
    down <<= 1;
    rise = down | ~(straight | up);
    fall = up & straight;
  }
};

// The primer may begin and end anywhere in the text.
__device__ int least_changes(const unsigned (&text)[kWords][kThreads], const Primer& primer) {
  Column column;
  int least = kLong;
  for (int word = 0; word < kWords; ++word) {
    unsigned letters = text[word][threadIdx.x];
#pragma unroll
    for (int i = 0; i < kEachWord; ++i) {
      column.advance(places_of(primer, letters & 3U));
      least = min(least, column.last);
      letters >>= 2;
    }
  }
  return least;
}

// Words of the texts lie behind one another: all first ones, all second ones. A block adds its counts once.
__global__ void __launch_bounds__(kThreads)
    find_primers(unsigned* __restrict__ found, unsigned long long* __restrict__ counts,
                 const unsigned* __restrict__ texts, const Primers* __restrict__ primers) {
  __shared__ unsigned text[kWords][kThreads];
  __shared__ Primers own;
  __shared__ unsigned bins[kBins];
  const int thread = static_cast<int>(threadIdx.x), number = static_cast<int>(blockIdx.x) * kThreads + thread;
  constexpr int kPieces = static_cast<int>(sizeof(Primers) / sizeof(uint4));
  if (thread < kPieces)
    reinterpret_cast<uint4*>(&own)[thread] = reinterpret_cast<const uint4*>(primers)[thread];
  if (thread < kBins) bins[thread] = 0;
#pragma unroll
  for (int word = 0; word < kWords; ++word) text[word][thread] = texts[word * kTexts + number];
  __syncthreads();
  int least = kLong + 1, which = 0;
  for (int primer = 0; primer < kPrimers; ++primer) {
    const int changes = least_changes(text, own.all[primer]);
    if (changes >= least) continue;
    least = changes;
    which = primer;
  }
  found[number] = static_cast<unsigned>(which << 8 | least);
  atomicAdd(&bins[least], 1U);
  __syncthreads();
  if (thread < kBins && bins[thread] != 0) atomicAdd(&counts[thread], Bits{bins[thread]});
}

__global__ void __launch_bounds__(kThreads) make_texts(unsigned* texts) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  texts[i] = mixed_bits(i);
}

Primers made_primers(unsigned set) {
  Primers primers{};
  for (unsigned primer = 0; primer < kPrimers; ++primer)
    for (unsigned place = 0; place < kLong; ++place)
      primers.all[primer].has[mixed_bits((set * kPrimers + primer) * kLong + place + 0x40000000U) % 4] |=
          Bits{1} << place;
  return primers;
}

// Sets of primers take turns.
const Primers* made_sets() {
  auto* all = pinned_array<Primers>(kSets);
  for (unsigned set = 0; set < kSets; ++set) all[set] = made_primers(set);
  auto* sets = device_array<Primers>(kSets);
  CHECK(cudaMemcpy(sets, all, kSets * sizeof(Primers), cudaMemcpyHostToDevice));
  CHECK(cudaFreeHost(all));
  return sets;
}

Case make() {
  auto* texts = device_array<unsigned>(std::size_t{kWords} * kTexts);
  make_texts<<<kWords * kTexts / kThreads, kThreads>>>(texts);
  CHECK(cudaGetLastError());
  const Primers* sets = made_sets();
  auto* found = device_array<unsigned>(kTexts);
  auto* counts = device_array<Bits>(kBins);
  CHECK(cudaMemset(counts, 0, kBins * sizeof(Bits)));
  auto round = std::make_shared<int>(0);
  return {[=] {
            const Primers* primers = sets + (*round)++ % kSets;
            find_primers<<<kTexts / kThreads, kThreads>>>(found, counts, texts, primers);
          },
          [=] {
            std::array<Bits, kBins> all{};
            CHECK(cudaMemcpy(all.data(), counts, sizeof(all), cudaMemcpyDeviceToHost));
            double total = device_sum(found, kTexts);
            for (int bin = 0; bin < kBins; ++bin) total += 1e-6 * bin * static_cast<double>(all[bin]);
            return total;
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, nullptr, [] { return make(); });
}
