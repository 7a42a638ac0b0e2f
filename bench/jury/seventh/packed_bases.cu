// Packs the letters of 256 million bases into four bits each, and counts those that are unknown.
// Nothing is wrong: a thread reads 16 letters at once and writes eight bytes, though letters have one byte.
// The pattern is that of nahmedraja/GASAL2, src/kernels/pack_rc_seqs.h, with wider words.
#include "../case.cuh"

namespace {

constexpr int kThreads = 256, kSixteens = 1 << 24;
constexpr std::size_t kBases = std::size_t{kSixteens} * 16;
constexpr unsigned kUnknown = 'N';

// A letter of 64 is unknown.
__global__ void fill_letters(uchar4* letters) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, bits = mixed_bits(i);
  const char names[4] = {'A', 'C', 'G', 'T'};
  letters[i] = make_uchar4(names[bits & 3], names[bits >> 2 & 3], names[bits >> 4 & 3],
                           (bits >> 8) % 16 == 0 ? kUnknown : names[bits >> 6 & 3]);
}

// The low four bits of each of four letters, the first one on top.
__device__ unsigned packed(unsigned letters) {
  return (letters & 15) << 12 | (letters >> 8 & 15) << 8 | (letters >> 16 & 15) << 4 | (letters >> 24 & 15);
}

__device__ unsigned unknown_in(unsigned letters) {
  return __popc(__vcmpeq4(letters, kUnknown * 0x01010101U)) / 8;
}

__global__ void __launch_bounds__(kThreads) pack(uint2* out, unsigned* unknown, const uint4* letters) {
  __shared__ unsigned parts[kThreads / 32];
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const uint4 own = letters[i];
  out[i] = make_uint2(packed(own.x) << 16 | packed(own.y), packed(own.z) << 16 | packed(own.w));
  const unsigned found = __reduce_add_sync(
      0xffffffffU, unknown_in(own.x) + unknown_in(own.y) + unknown_in(own.z) + unknown_in(own.w));
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = found;
  __syncthreads();
  if (threadIdx.x != 0) return;
  unsigned sum = 0;
  for (const unsigned part : parts) sum += part;
  unknown[blockIdx.x] = sum;
}

Case make() {
  auto* letters = device_array<uint4>(kSixteens);
  auto* out = device_array<uint2>(kSixteens);
  auto* unknown = device_array<unsigned>(kSixteens / kThreads);
  fill_letters<<<static_cast<unsigned>(kBases / 4 / kThreads), kThreads>>>(
      reinterpret_cast<uchar4*>(letters));
  return {[=] { pack<<<kSixteens / kThreads, kThreads>>>(out, unknown, letters); },
          [=] {
            return device_sum(unknown, kSixteens / kThreads) +
                   device_sum(reinterpret_cast<const unsigned*>(out), kBases / 8) / kBases;
          },
          1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
