// Finds which songs eight recordings hold: 4.2 million songs have prints of 1024 bits, and the print of a
// recording differs from that of its song in many of them. The nearest print is looked for, and then the
// print that is nearest to the song found, another version of it. Eight recordings a round.
// At fault: all prints, 537 MB, are read for one recording after the other; read once, they could be compared
// with all eight. The pattern is that of kokkos/kokkos-kernels, issue 488: a matrix loaded once for several
// vectors, and of ml-explore/mlx, pull request 3764: weights read once for up to eight vectors.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kSongBits = 22, kSongs = 1 << kSongBits, kWords = 32, kFours = kWords / 4, kRecordings = 8;
constexpr int kThreads = 256, kResident = 3, kBlocks = 132 * kResident * 2, kWarps = kThreads / 32,
              kRounds = 2400;
constexpr unsigned kMask = 0xffffffffU, kSongMask = kSongs - 1;

// Four words of all songs lie together, then the next four.
using Prints = const uint4* __restrict__;

__device__ int differing(uint4 one, uint4 other) {
  return __popc(one.x ^ other.x) + __popc(one.y ^ other.y) + __popc(one.z ^ other.z) +
         __popc(one.w ^ other.w);
}

// The noise of a recording: a quarter of the bits.
__device__ unsigned noise(unsigned seed) {
  return mixed_bits(seed) & mixed_bits(~seed);
}

// Thread by thread a word of a recording; each round others are heard.
__global__ void __launch_bounds__(kThreads)
    hear(unsigned* __restrict__ wanted, unsigned* __restrict__ left_out, const uint4* prints,
         unsigned round) {
  const auto recording = threadIdx.x / kWords, word = threadIdx.x % kWords;
  const unsigned number = round * kRecordings + recording, song = mixed_bits(number) % kSongs;
  const auto* four = reinterpret_cast<const unsigned*>(prints + std::size_t{word / 4} * kSongs + song);
  wanted[threadIdx.x] = four[word % 4] ^ noise(number * kWords + word);
  if (word == 0) left_out[recording] = kSongs;
}

// Of each recording and block the least distance above the number of its song. `kTogether` recordings from
// `first` on are compared at once.
template <int kTogether>
__global__ void __launch_bounds__(kThreads, kResident)
    compare(unsigned* __restrict__ nearest, Prints prints, const uint4* __restrict__ wanted,
            const unsigned* __restrict__ left_out, int first) {
  constexpr int kLoads = kTogether == 1 ? kFours : 2;  // at once; more would fill the registers
  __shared__ uint4 own[kTogether][kFours];
  __shared__ unsigned warps[kTogether][kWarps], without[kTogether];
  const auto thread = static_cast<int>(threadIdx.x);
  if (thread < kTogether * kFours) own[thread / kFours][thread % kFours] = wanted[first * kFours + thread];
  if (thread < kTogether) without[thread] = left_out[first + thread];
  unsigned best[kTogether];
  for (unsigned& each : best) each = kMask;
  __syncthreads();
  for (int song = static_cast<int>(blockIdx.x) * kThreads + thread; song < kSongs;
       song += kBlocks * kThreads) {
    int distances[kTogether]{};
#pragma unroll kLoads
    for (int four = 0; four < kFours; ++four) {
      const uint4 print = prints[std::size_t{kSongs} * four + song];  // fault
#pragma unroll
      for (int i = 0; i < kTogether; ++i) distances[i] += differing(print, own[i][four]);
    }
#pragma unroll
    for (int i = 0; i < kTogether; ++i) {
      const auto number = static_cast<unsigned>(song);
      const unsigned found = static_cast<unsigned>(min(distances[i], 1023)) << kSongBits | number;
      if (number != without[i]) best[i] = min(best[i], found);
    }
  }
  for (int i = 0; i < kTogether; ++i) {
    for (int far = 16; far > 0; far /= 2) best[i] = min(best[i], __shfl_xor_sync(kMask, best[i], far));
    if (thread % 32 == 0) warps[i][thread / 32] = best[i];
  }
  __syncthreads();
  if (thread >= kTogether) return;
  unsigned least = kMask;
  for (const unsigned warp : warps[thread]) least = min(least, warp);
  nearest[(first + thread) * kBlocks + blockIdx.x] = least;
}

// A block has a recording. The song found is what is wanted next, without itself.
__global__ void __launch_bounds__(kThreads)
    choose(unsigned long long* totals, uint4* __restrict__ wanted, unsigned* __restrict__ left_out,
           const unsigned* __restrict__ nearest, const uint4* prints) {
  __shared__ unsigned warps[kWarps];
  const auto thread = static_cast<int>(threadIdx.x), recording = static_cast<int>(blockIdx.x);
  unsigned best = kMask;
  for (int i = thread; i < kBlocks; i += kThreads) best = min(best, nearest[recording * kBlocks + i]);
  for (int far = 16; far > 0; far /= 2) best = min(best, __shfl_xor_sync(kMask, best, far));
  if (thread % 32 == 0) warps[thread / 32] = best;
  __syncthreads();
  for (const unsigned warp : warps) best = min(best, warp);
  const unsigned song = best & kSongMask;
  if (thread < kFours) wanted[recording * kFours + thread] = prints[std::size_t{kSongs} * thread + song];
  if (thread != 0) return;
  left_out[recording] = song;
  totals[recording] += best >> kSongBits;
  totals[kRecordings + recording] += song % 4096;
}

// Each eighth song is another version of the one before it.
__global__ void __launch_bounds__(kThreads) take_prints(unsigned* prints) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  const auto four = static_cast<unsigned>(i / (4 * std::size_t{kSongs})),
             in_four = static_cast<unsigned>(i % 4);
  const auto song = static_cast<unsigned>(i / 4 % kSongs), word = four * 4 + in_four;
  const bool version = song % 8 == 7;
  const unsigned bits = mixed_bits((version ? song - 1 : song) * kWords + word);
  prints[i] = version ? bits ^ noise(~song * kWords + word) : bits;
}

struct Search {
  uint4 *prints, *wanted;
  unsigned *left_out, *nearest, round;
  unsigned long long* totals;
};

void find_nearest(const Search& search, bool together) {
  const auto& [prints, wanted, left_out, nearest, round, totals] = search;
  if (together) {
    compare<kRecordings><<<kBlocks, kThreads>>>(nearest, prints, wanted, left_out, 0);
  } else {
    for (int i = 0; i < kRecordings; ++i)  // fault
      compare<1><<<kBlocks, kThreads>>>(nearest, prints, wanted, left_out, i);
  }
  choose<<<kRecordings, kThreads>>>(totals, wanted, left_out, nearest, prints);
}

void recognise(Search& search, bool together) {
  hear<<<1, kRecordings * kWords>>>(reinterpret_cast<unsigned*>(search.wanted), search.left_out,
                                    search.prints, search.round);
  ++search.round;
  find_nearest(search, together);
  find_nearest(search, together);
}

Case make(bool together) {
  constexpr std::size_t kAll = std::size_t{kSongs} * kWords;
  const auto search = std::make_shared<Search>();
  *search = {device_array<uint4>(kAll / 4),
             device_array<uint4>(kRecordings * kFours),
             device_array<unsigned>(kRecordings),
             device_array<unsigned>(kRecordings * kBlocks),
             0,
             device_array<unsigned long long>(2 * kRecordings)};
  CHECK(cudaMemset(search->totals, 0, 2 * kRecordings * sizeof(unsigned long long)));
  take_prints<<<kAll / kThreads, kThreads>>>(reinterpret_cast<unsigned*>(search->prints));
  CHECK(cudaGetLastError());
  return {[=] { recognise(*search, together); }, [=] { return device_sum(search->totals, 2 * kRecordings); },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(false); }, [] { return make(true); });
}
