// Counts ranked ballots: in eight elections with 134 million ballots each, voters put eight candidates in
// order, and it is counted for all pairs how many prefer one candidate to the other. An election a round.
// Nothing is at fault. A ballot is a word with a place for each candidate; eight comparisons are made at
// once, and counts stay in registers, 4 bits, then 8, then 16 wide, until lanes keep the sums of their warp.
// The pattern is that of kr-colab/pg_gpu, pull request 45: warps add up before anything is atomic.
#include <array>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kBallots = 1 << 27, kFours = kBallots / 4, kElections = 8, kChoices = 8;
constexpr int kThreads = 256, kBlocks = 512, kWarps = kThreads / 32, kLanes = kThreads * kBlocks;
constexpr int kTogether = 2, kPasses = 16, kTurns = kFours / kLanes / kTogether / kPasses, kRounds = 14000;
constexpr int kWords = 2 * kChoices, kCounts = kChoices * kChoices;
constexpr unsigned kOnes = 0x11111111U, kTops = 0x88888888U, kBytes = 0x0f0f0f0fU, kHalves = 0x00ff00ffU;

using Count = unsigned long long;

// Places are 0 to 7, so the top bit of 4 is left to say: this one is not before the candidate.
__device__ void compare(unsigned (&fours)[kChoices], unsigned ballot) {
#pragma unroll
  for (int one = 0; one < kChoices; ++one) {
    const unsigned place = ballot >> 4 * one & 7U;
    fours[one] += ((ballot | kTops) - place * kOnes) >> 3 & kOnes;
  }
}

// 32 words with two counts of 16 bits each; a lane keeps the warp's sums of one word.
__device__ void keep(unsigned (&sums)[2], const unsigned (&bytes)[kWords]) {
  const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
  for (int i = 0; i < 2 * kWords; ++i) {
    const unsigned sum = __reduce_add_sync(0xffffffffU, bytes[i / 2] >> i % 2 * 8 & kHalves);
    if (lane == i) {
      sums[0] += sum & 0xffffU;
      sums[1] += sum >> 16;
    }
  }
}

// A block adds its counts once.
__global__ void __launch_bounds__(kThreads, 4)
    count_pairs(Count* __restrict__ counts, const uint4* __restrict__ ballots) {
  __shared__ unsigned parts[kWarps][kCounts];
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  const uint4* next = ballots + blockIdx.x * kThreads + threadIdx.x;
  unsigned sums[2]{};
  for (int turn = 0; turn < kTurns; ++turn) {
    unsigned bytes[kWords]{};
    for (int pass = 0; pass < kPasses; ++pass) {
      unsigned fours[kChoices]{};
#pragma unroll
      for (int i = 0; i < kTogether; ++i, next += kLanes) {
        const uint4 four = *next;
        compare(fours, four.x);
        compare(fours, four.y);
        compare(fours, four.z);
        compare(fours, four.w);
      }
#pragma unroll
      for (int word = 0; word < kWords; ++word) bytes[word] += fours[word / 2] >> word % 2 * 4 & kBytes;
    }
    keep(sums, bytes);
  }
  parts[warp][lane] = sums[0];
  parts[warp][lane + 32] = sums[1];
  __syncthreads();
  if (thread >= kCounts) return;
  Count all = 0;
  for (const unsigned(&part)[kCounts] : parts) all += part[thread];
  atomicAdd(&counts[thread], all);
}

// Candidates in a random order.
__global__ void __launch_bounds__(kThreads) vote(unsigned* ballots, unsigned election) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  unsigned ballot = 0x76543210U, bits = mixed_bits(i ^ election << 28);
  for (unsigned left = kChoices; left > 1; bits = mixed_bits(bits), --left) {
    const unsigned last = 4 * (left - 1), other = 4 * (bits % left);
    const unsigned differ = (ballot >> last ^ ballot >> other) & 7U;
    ballot ^= differ << last;
    ballot ^= differ << other;
  }
  ballots[i] = ballot;
}

// Where a count of a lane belongs.
int pair_of(int i) {
  const int lane = i % 32, one = lane / 4, other = i / 32 * 4 + lane % 2 * 2 + lane / 2 % 2;
  return one * kChoices + other;
}

Case make() {
  auto* ballots = device_array<unsigned>(std::size_t{kElections} * kBallots);
  for (unsigned election = 0; election < kElections; ++election)
    vote<<<kBallots / kThreads, kThreads>>>(ballots + std::size_t{election} * kBallots, election);
  CHECK(cudaGetLastError());
  auto* counts = device_array<Count>(kElections * kCounts);
  CHECK(cudaMemset(counts, 0, kElections * kCounts * sizeof(Count)));
  auto round = std::make_shared<int>(0);
  return {[=] {
            const int election = (*round)++ % kElections;
            const auto* fours = reinterpret_cast<const uint4*>(ballots) + std::size_t(election) * kFours;
            count_pairs<<<kBlocks, kThreads>>>(counts + election * kCounts, fours);
          },
          [=] {
            std::array<Count, kElections * kCounts> all{};
            CHECK(cudaMemcpy(all.data(), counts, sizeof(all), cudaMemcpyDeviceToHost));
            double total = 0;
            for (int i = 0; i < kElections * kCounts; ++i)
              total += 1e-6 * (1 + pair_of(i % kCounts)) * static_cast<double>(all[i]);
            return total;
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, nullptr, [] { return make(); });
}
