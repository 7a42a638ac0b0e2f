// The hash of a counter for each of 1 million threads: the permutation of Keccak on 25 words of 64 bits.
// At fault: the words are an array that is indexed by tables at run time, so that it lies in local memory.
// The pattern is that of Keryx-Labs/keryx-miner, pull request 7, and aegoroff/hc, pull request 303, which
// keep the words in registers.
#include "../case.cuh"

namespace {

using Word = unsigned long long;
constexpr int kCount = 1 << 20, kThreads = 256, kRounds = 24, kWords = 25;

__constant__ Word kMarks[kRounds] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000, 0x000000000000808b,
    0x0000000080000001, 0x8000000080008081, 0x8000000000008009, 0x000000000000008a, 0x0000000000000088,
    0x0000000080008009, 0x000000008000000a, 0x000000008000808b, 0x800000000000008b, 0x8000000000008089,
    0x8000000000008003, 0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008};
__constant__ int kPlaces[24] = {10, 7,  11, 17, 18, 3, 5,  16, 8,  21, 24, 4,
                                15, 23, 19, 13, 12, 2, 20, 14, 22, 9,  6,  1};
__constant__ int kTurns[24] = {1,  3,  6,  10, 15, 21, 28, 36, 45, 55, 2,  14,
                               27, 41, 56, 8,  25, 43, 62, 18, 39, 61, 20, 44};

__device__ Word turned(Word word, int bits) {
  return (word << bits) | (word >> (64 - bits));
}

__device__ void start(Word* state, unsigned number) {
#pragma unroll
  for (int k = 0; k < kWords; ++k) state[k] = k < 8 ? 0x0123456789abcdefULL * (k + 1) : 0;  // fault
  state[8] = number;                                                                        // fault
  state[9] = 6;                                                                             // fault
  state[16] = 1ULL << 63;                                                                   // fault
}

__global__ void hash_by_tables(unsigned* out) {
  const unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
  Word state[kWords];
  start(state, number);  // fault
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round) {
    Word columns[5];
    for (int x = 0; x < 5; ++x)
      columns[x] = state[x] ^ state[x + 5] ^ state[x + 10] ^ state[x + 15] ^ state[x + 20];  // fault
    for (int x = 0; x < 5; ++x) {
      const Word mixed = columns[(x + 4) % 5] ^ turned(columns[(x + 1) % 5], 1);
      for (int y = 0; y < kWords; y += 5) state[y + x] ^= mixed;  // fault
    }
    Word carried = state[1];  // fault
    for (int k = 0; k < 24; ++k) {
      const int place = kPlaces[k];
      const Word kept = state[place];             // fault
      state[place] = turned(carried, kTurns[k]);  // fault
      carried = kept;
    }
    for (int y = 0; y < kWords; y += 5) {
      Word row[5];
      for (int x = 0; x < 5; ++x) row[x] = state[y + x];                                           // fault
      for (int x = 0; x < 5; ++x) state[y + x] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]);  // fault
    }
    state[0] ^= kMarks[round];  // fault
  }
  out[number] = static_cast<unsigned>(state[0] >> 40);
}

__global__ void hash_in_registers(unsigned* out) {
  constexpr int kFixedPlaces[24] = {10, 7,  11, 17, 18, 3, 5,  16, 8,  21, 24, 4,
                                    15, 23, 19, 13, 12, 2, 20, 14, 22, 9,  6,  1};
  constexpr int kFixedTurns[24] = {1,  3,  6,  10, 15, 21, 28, 36, 45, 55, 2,  14,
                                   27, 41, 56, 8,  25, 43, 62, 18, 39, 61, 20, 44};
  const unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
  Word state[kWords];
  start(state, number);
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round) {
    Word columns[5];
#pragma unroll
    for (int x = 0; x < 5; ++x)
      columns[x] = state[x] ^ state[x + 5] ^ state[x + 10] ^ state[x + 15] ^ state[x + 20];
#pragma unroll
    for (int x = 0; x < 5; ++x) {
      const Word mixed = columns[(x + 4) % 5] ^ turned(columns[(x + 1) % 5], 1);
#pragma unroll
      for (int y = 0; y < kWords; y += 5) state[y + x] ^= mixed;
    }
    Word carried = state[1];
#pragma unroll
    for (int k = 0; k < 24; ++k) {
      const Word kept = state[kFixedPlaces[k]];
      state[kFixedPlaces[k]] = turned(carried, kFixedTurns[k]);
      carried = kept;
    }
#pragma unroll
    for (int y = 0; y < kWords; y += 5) {
      Word row[5];
#pragma unroll
      for (int x = 0; x < 5; ++x) row[x] = state[y + x];
#pragma unroll
      for (int x = 0; x < 5; ++x) state[y + x] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]);
    }
    state[0] ^= kMarks[round];
  }
  out[number] = static_cast<unsigned>(state[0] >> 40);
}

Case make(bool by_tables) {
  auto* out = device_array<unsigned>(kCount);
  return {[=] {
            if (by_tables) {
              hash_by_tables<<<kCount / kThreads, kThreads>>>(out);
            } else {
              hash_in_registers<<<kCount / kThreads, kThreads>>>(out);
            }
          },
          [=] { return device_sum(out, kCount); }, 800};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
