// Ten rounds of a block cipher, which looks each byte of its state up in a table of 256 words, for 2 million
// blocks of 16 bytes. At fault: the table lies in constant memory, where the lanes of a warp want different
// words. The pattern is that of openwall/john, whose pull request 5613 keeps such tables in shared memory.
#include "../case.cuh"

namespace {

constexpr int kBlocks = 2 << 20, kRoundsOfCipher = 10, kThreads = 256, kWords = 256, kGrid = 528, kBanks = 32;

__constant__ unsigned table[kWords];
__constant__ unsigned round_keys[4 * (kRoundsOfCipher + 1)];

__device__ unsigned turned(unsigned word, int bits) {
  return __funnelshift_l(word, word, bits);
}

__global__ void encrypt_by_constants(uint4* out, const uint4* in) {
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < kBlocks; i += kGrid * kThreads) {
    const uint4 block = in[i];
    unsigned state[4] = {block.x, block.y, block.z, block.w};
    for (int round = 0; round < kRoundsOfCipher; ++round) {
      unsigned next[4];
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        next[k] = table[state[k] & 255] ^ round_keys[4 * round + k];   // fault
        next[k] ^= turned(table[state[(k + 1) % 4] >> 8 & 255], 8);    // fault
        next[k] ^= turned(table[state[(k + 2) % 4] >> 16 & 255], 16);  // fault
        next[k] ^= turned(table[state[(k + 3) % 4] >> 24], 24);        // fault
      }
#pragma unroll
      for (int k = 0; k < 4; ++k) state[k] = next[k];
    }
    out[i] = make_uint4(state[0], state[1], state[2], state[3]);
  }
}

// Each lane has a copy of the table in a bank of its own.
__global__ void encrypt_by_banks(uint4* out, const uint4* in, const unsigned* words) {
  __shared__ unsigned copies[kWords * kBanks];
  for (int i = static_cast<int>(threadIdx.x); i < kWords * kBanks; i += kThreads)
    copies[i] = words[i / kBanks];
  __syncthreads();
  const unsigned* own = copies + threadIdx.x % kBanks;
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < kBlocks; i += kGrid * kThreads) {
    const uint4 block = in[i];
    unsigned state[4] = {block.x, block.y, block.z, block.w};
    for (int round = 0; round < kRoundsOfCipher; ++round) {
      unsigned next[4];
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        next[k] = own[(state[k] & 255) * kBanks] ^ round_keys[4 * round + k];
        next[k] ^= turned(own[(state[(k + 1) % 4] >> 8 & 255) * kBanks], 8);
        next[k] ^= turned(own[(state[(k + 2) % 4] >> 16 & 255) * kBanks], 16);
        next[k] ^= turned(own[(state[(k + 3) % 4] >> 24) * kBanks], 24);
      }
#pragma unroll
      for (int k = 0; k < 4; ++k) state[k] = next[k];
    }
    out[i] = make_uint4(state[0], state[1], state[2], state[3]);
  }
}

unsigned* made_table() {
  auto* host = pinned_array<unsigned>(kWords);
  for (unsigned i = 0; i < kWords; ++i) host[i] = mixed_bits(i + 1);
  CHECK(cudaMemcpyToSymbol(table, host, kWords * sizeof(unsigned)));
  auto* words = device_array<unsigned>(kWords);
  CHECK(cudaMemcpy(words, host, kWords * sizeof(unsigned), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyToSymbol(round_keys, host, sizeof(round_keys)));
  CHECK(cudaFreeHost(host));
  return words;
}

Case make(bool by_constants) {
  auto* words = made_table();
  auto* in = device_array<uint4>(kBlocks);
  auto* out = device_array<uint4>(kBlocks);
  fill_below(reinterpret_cast<unsigned*>(in), std::size_t{4} * kBlocks, 0xffffffffU, 1);
  return {[=] {
            if (by_constants) {
              encrypt_by_constants<<<kGrid, kThreads>>>(out, in);
            } else {
              encrypt_by_banks<<<kGrid, kThreads>>>(out, in, words);
            }
          },
          [=] { return device_sum(reinterpret_cast<unsigned*>(out), std::size_t{1} << 22); }, 600};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
