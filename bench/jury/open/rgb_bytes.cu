// Turns pictures of three interleaved bytes a pixel into grey ones.
// Fault: a thread loads three single bytes and stores one. Repair: four pixels, three words to one.
#include "../case.cuh"

namespace {

constexpr unsigned kPixels = 8192 * 4096;

using Byte = unsigned char;

__device__ unsigned grey(unsigned red, unsigned green, unsigned blue) {
  return (77 * red + 150 * green + 29 * blue) >> 8;
}

__global__ void grey_by_pixels(const Byte* rgb, Byte* out, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = static_cast<Byte>(grey(rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2]));  // fault
}

__device__ unsigned byte_of(unsigned word, unsigned number) {
  return (word >> (8 * number)) & 255;
}

// n is a multiple of four, and both arrays begin at a multiple of 16 bytes. The words of a pixel group go
// through shared memory, so that neighbouring lanes load neighbouring words.
__global__ void grey_by_words(const unsigned* rgb, unsigned* out, unsigned n) {
  constexpr unsigned kBlock = 256;
  __shared__ unsigned words[3 * kBlock];
  const unsigned first = blockIdx.x * kBlock, groups = n / 4;
  for (unsigned k = threadIdx.x; k < 3 * kBlock; k += kBlock)
    if (3 * first + k < 3 * groups) words[k] = rgb[3 * first + k];
  __syncthreads();
  if (first + threadIdx.x >= groups) return;
  const unsigned a = words[3 * threadIdx.x], b = words[3 * threadIdx.x + 1], c = words[3 * threadIdx.x + 2];
  out[first + threadIdx.x] = grey(byte_of(a, 0), byte_of(a, 1), byte_of(a, 2)) |
                             grey(byte_of(a, 3), byte_of(b, 0), byte_of(b, 1)) << 8 |
                             grey(byte_of(b, 2), byte_of(b, 3), byte_of(c, 0)) << 16 |
                             grey(byte_of(c, 1), byte_of(c, 2), byte_of(c, 3)) << 24;
}

unsigned* picture() {
  unsigned* rgb = device_array<unsigned>(kPixels / 4 * 3);
  fill_below(rgb, kPixels / 4 * 3, 0xffffffffU, 21);
  return rgb;
}

Case fault() {
  const Byte* rgb = reinterpret_cast<const Byte*>(picture());
  Byte* out = device_array<Byte>(kPixels);
  return {[=] { grey_by_pixels<<<blocks_for(kPixels, 256), 256>>>(rgb, out, kPixels); },
          [=] { return device_sum(out, 1 << 20); }, 2400};
}

Case clean() {
  const unsigned* rgb = picture();
  Byte* out = device_array<Byte>(kPixels);
  return {[=] {
            grey_by_words<<<blocks_for(kPixels / 4, 256), 256>>>(rgb, reinterpret_cast<unsigned*>(out),
                                                                 kPixels);
          },
          [=] { return device_sum(out, 1 << 20); }, 2400};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, fault, clean);
}
