// Transforms an image of 8192 x 8192 in blocks of 8 x 8, rounds the coefficients, and transforms them back.
// At fault: the rows of a tile are 32 words long in shared memory, so that the lanes that take neighbouring
// rows of a block share a bank. The pattern is that of NVIDIA/cuda-samples,
// Samples/2_Concepts_and_Techniques/dct8x8, whose tile has a row of 33 words.
#include "../case.cuh"

namespace {

constexpr int kSize = 8192, kEdge = 8, kTile = 32, kThreads = 128;
__constant__ float kCosines[kEdge][kEdge];

// A thread takes one of the 16 rows or columns of eight words; `step` words lie between two of them.
template <bool kBack>
__device__ void transform(float* words, int step) {
  float in[kEdge], out[kEdge];
#pragma unroll
  for (int i = 0; i < kEdge; ++i) in[i] = words[i * step];  // fault
#pragma unroll
  for (int k = 0; k < kEdge; ++k) {
    out[k] = 0;
#pragma unroll
    for (int i = 0; i < kEdge; ++i) out[k] += in[i] * (kBack ? kCosines[i][k] : kCosines[k][i]);
  }
#pragma unroll
  for (int i = 0; i < kEdge; ++i) words[i * step] = out[i];  // fault
}

template <int kStride>
__device__ void transform_tile(float* out, const float* in) {
  __shared__ float tile[kTile * kStride];
  const int lane = static_cast<int>(threadIdx.x % kTile), warp = static_cast<int>(threadIdx.x / kTile);
  const int at = (static_cast<int>(blockIdx.y) * kTile + warp * kEdge) * kSize +
                 static_cast<int>(blockIdx.x) * kTile + lane;
  float* column = tile + warp * kEdge * kStride + lane;
  float* row = tile + (warp * kEdge + lane % kEdge) * kStride + lane / kEdge * kEdge;
#pragma unroll
  for (int i = 0; i < kEdge; ++i) column[i * kStride] = in[at + i * kSize];
  __syncwarp();
  transform<false>(row, 1);
  __syncwarp();
  transform<false>(column, kStride);
#pragma unroll
  for (int i = 0; i < kEdge; ++i) column[i * kStride] = rintf(column[i * kStride] * 4096) / 4096;
  transform<true>(column, kStride);
  __syncwarp();
  transform<true>(row, 1);
  __syncwarp();
#pragma unroll
  for (int i = 0; i < kEdge; ++i) out[at + i * kSize] = column[i * kStride];
}

__global__ void blocks_plain(float* out, const float* in) {
  transform_tile<kTile>(out, in);
}

__global__ void blocks_padded(float* out, const float* in) {
  transform_tile<kTile + 1>(out, in);
}

void set_cosines() {
  float cosines[kEdge][kEdge];
  for (int k = 0; k < kEdge; ++k)
    for (int i = 0; i < kEdge; ++i)
      cosines[k][i] = static_cast<float>((k == 0 ? std::sqrt(0.125) : 0.5) *
                                         std::cos((2 * i + 1) * k * 3.14159265358979 / (2 * kEdge)));
  CHECK(cudaMemcpyToSymbol(kCosines, cosines, sizeof(cosines)));
}

Case make(bool plain) {
  constexpr std::size_t kPixels = std::size_t{kSize} * kSize;
  auto* in = device_array<float>(kPixels);
  auto* out = device_array<float>(kPixels);
  fill_fractions(in, kPixels, 1);
  set_cosines();
  return {[=] {
            const dim3 grid(kSize / kTile, kSize / kTile);
            if (plain) {
              blocks_plain<<<grid, kThreads>>>(out, in);
            } else {
              blocks_padded<<<grid, kThreads>>>(out, in);
            }
          },
          [=] { return device_sum(out, std::size_t{1} << 22); }, 1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
