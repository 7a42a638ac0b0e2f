// Four octaves of noise on a lattice for an image of 2048 x 2048 pixels.
// At fault: each corner of the lattice is looked up in a table in constant memory, where the lanes want
// different words. The pattern is that of the thread "Perlin noise and arrays" of NVIDIA's forum for
// developers, whose author computes the table's values instead.
#include "../case.cuh"

namespace {

constexpr int kSize = 2048, kThreads = 256, kOctaves = 4, kTable = 256;
__constant__ unsigned kLookUp[kTable];

__host__ __device__ unsigned scrambled(unsigned x) {
  return mixed_bits(x % kTable) % kTable;
}

struct ByTable {
  __device__ unsigned operator()(unsigned x) const { return kLookUp[x % kTable]; }  // fault
};

struct ByBits {
  __device__ unsigned operator()(unsigned x) const { return scrambled(x); }
};

__device__ float slope(unsigned bits, float x, float y) {
  return ((bits & 1) != 0 ? x : -x) + ((bits & 2) != 0 ? y : -y);
}

__device__ float faded(float t) {
  return t * t * t * (t * (t * 6 - 15) + 10);
}

template <class Scramble>
__device__ float noise_at(float x, float y, Scramble scramble) {
  const float left = floorf(x), top = floorf(y), dx = x - left, dy = y - top;
  const auto column = static_cast<unsigned>(left), row = static_cast<unsigned>(top);
  const unsigned a = scramble(column) + row, b = scramble(column + 1) + row;
  const unsigned top_left = scramble(a), top_right = scramble(b);
  const unsigned low_left = scramble(a + 1), low_right = scramble(b + 1);
  const float across = faded(dx);
  const float upper = slope(top_left, dx, dy) * (1 - across) + slope(top_right, dx - 1, dy) * across;
  const float lower = slope(low_left, dx, dy - 1) * (1 - across) + slope(low_right, dx - 1, dy - 1) * across;
  return upper * (1 - faded(dy)) + lower * faded(dy);
}

template <class Scramble>
__device__ float noise_of_octaves(int i, Scramble scramble) {
  float x = static_cast<float>(i % kSize) * 0.37F, y = static_cast<float>(i / kSize) * 0.37F;
  float sum = 0, weight = 1;
#pragma unroll
  for (int octave = 0; octave < kOctaves; ++octave) {
    sum += weight * fabsf(noise_at(x, y, scramble));
    x *= 2, y *= 2, weight *= 0.5F;
  }
  return sum;
}

__global__ void noise_by_table(float* image) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < kSize * kSize) image[i] = noise_of_octaves(i, ByTable{});
}

__global__ void noise_by_bits(float* image) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < kSize * kSize) image[i] = noise_of_octaves(i, ByBits{});
}

Case make(bool by_table) {
  auto* image = device_array<float>(std::size_t{kSize} * kSize);
  unsigned table[kTable];
  for (unsigned i = 0; i < kTable; ++i) table[i] = scrambled(i);
  CHECK(cudaMemcpyToSymbol(kLookUp, table, sizeof(table)));
  return {[=] {
            if (by_table) {
              noise_by_table<<<kSize * kSize / kThreads, kThreads>>>(image);
            } else {
              noise_by_bits<<<kSize * kSize / kThreads, kThreads>>>(image);
            }
          },
          [=] { return device_sum(image, std::size_t{kSize} * kSize); }, 1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
