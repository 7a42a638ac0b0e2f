// The SHA-256 digests of four million messages of a block each.
// Nothing is wrong: all places of the schedule are known at compile time, so that it stays in registers,
// all lanes read the same constant, and the words of the messages lie side by side. The pattern is that
// of hashcat/hashcat, OpenCL/inc_hash_sha256.cl.
#include "../case.cuh"

namespace {

constexpr int kMessages = 4 << 20, kThreads = 256, kWords = 16, kDigest = 8, kParts = 4;

__constant__ unsigned constants[kWords * kParts] = {
    0x428a2f98U, 0x71374491U, 0xb5c0fbcfU, 0xe9b5dba5U, 0x3956c25bU, 0x59f111f1U, 0x923f82a4U, 0xab1c5ed5U,
    0xd807aa98U, 0x12835b01U, 0x243185beU, 0x550c7dc3U, 0x72be5d74U, 0x80deb1feU, 0x9bdc06a7U, 0xc19bf174U,
    0xe49b69c1U, 0xefbe4786U, 0x0fc19dc6U, 0x240ca1ccU, 0x2de92c6fU, 0x4a7484aaU, 0x5cb0a9dcU, 0x76f988daU,
    0x983e5152U, 0xa831c66dU, 0xb00327c8U, 0xbf597fc7U, 0xc6e00bf3U, 0xd5a79147U, 0x06ca6351U, 0x14292967U,
    0x27b70a85U, 0x2e1b2138U, 0x4d2c6dfcU, 0x53380d13U, 0x650a7354U, 0x766a0abbU, 0x81c2c92eU, 0x92722c85U,
    0xa2bfe8a1U, 0xa81a664bU, 0xc24b8b70U, 0xc76c51a3U, 0xd192e819U, 0xd6990624U, 0xf40e3585U, 0x106aa070U,
    0x19a4c116U, 0x1e376c08U, 0x2748774cU, 0x34b0bcb5U, 0x391c0cb3U, 0x4ed8aa4aU, 0x5b9cca4fU, 0x682e6ff3U,
    0x748f82eeU, 0x78a5636fU, 0x84c87814U, 0x8cc70208U, 0x90befffaU, 0xa4506cebU, 0xbef9a3f7U, 0xc67178f2U};

__global__ void fill_messages(unsigned* messages) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  messages[i] = mixed_bits(i);
}

__device__ unsigned turned(unsigned x, unsigned by) {
  return __funnelshift_r(x, x, by);
}

// Word by word, messages side by side; digests as well.
__global__ void digest_messages(unsigned* digests, const unsigned* messages) {
  const int message = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  unsigned words[kWords];
#pragma unroll
  for (int i = 0; i < kWords; ++i) words[i] = messages[i * kMessages + message];
  constexpr unsigned kStart[kDigest] = {0x6a09e667U, 0xbb67ae85U, 0x3c6ef372U, 0xa54ff53aU,
                                        0x510e527fU, 0x9b05688cU, 0x1f83d9abU, 0x5be0cd19U};
  unsigned a = kStart[0], b = kStart[1], c = kStart[2], d = kStart[3];
  unsigned e = kStart[4], f = kStart[5], g = kStart[6], h = kStart[7];
  for (int part = 0; part < kParts; ++part) {
#pragma unroll
    for (int i = 0; i < kWords; ++i) {
      const unsigned mixed = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) +
                             constants[part * kWords + i] + words[i];
      const unsigned other = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = d + mixed;
      d = c;
      c = b;
      b = a;
      a = mixed + other;
    }
#pragma unroll
    for (int i = 0; i < kWords; ++i) {
      const unsigned early = words[(i + 1) % kWords], late = words[(i + 14) % kWords];
      words[i] += (turned(early, 7) ^ turned(early, 18) ^ early >> 3) + words[(i + 9) % kWords] +
                  (turned(late, 17) ^ turned(late, 19) ^ late >> 10);
    }
  }
  const unsigned state[kDigest] = {a, b, c, d, e, f, g, h};
#pragma unroll
  for (int i = 0; i < kDigest; ++i) digests[i * kMessages + message] = kStart[i] + state[i];
}

Case make() {
  auto* messages = device_array<unsigned>(std::size_t{kWords} * kMessages);
  auto* digests = device_array<unsigned>(std::size_t{kDigest} * kMessages);
  fill_messages<<<kWords*(kMessages / kThreads), kThreads>>>(messages);
  return {[=] { digest_messages<<<kMessages / kThreads, kThreads>>>(digests, messages); },
          [=] { return device_sum(digests, std::size_t{kDigest} * kMessages); }, 400};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
