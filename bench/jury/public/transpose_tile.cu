// The transpose of a square matrix of floats, by tiles of 32 x 32 words in shared memory.
// At fault: the rows of the tile are 32 words long, so that a warp that reads a column of it finds one bank.
// The pattern is that of NVIDIA-developer-blog/code-samples, series/cuda-cpp/transpose/transpose.cu.
#include "../case.cuh"

namespace {

constexpr int kSize = 8192, kTile = 32, kThreadRows = 8;

__global__ void transpose_tile_plain(float* out, const float* in, int n) {
  __shared__ float tile[kTile][kTile];
  int x = static_cast<int>(blockIdx.x) * kTile + static_cast<int>(threadIdx.x);
  int y = static_cast<int>(blockIdx.y) * kTile + static_cast<int>(threadIdx.y);
  for (int j = 0; j < kTile; j += kThreadRows) {
    tile[threadIdx.y + j][threadIdx.x] = in[static_cast<std::size_t>(y + j) * n + x];
  }
  __syncthreads();
  x = static_cast<int>(blockIdx.y) * kTile + static_cast<int>(threadIdx.x);
  y = static_cast<int>(blockIdx.x) * kTile + static_cast<int>(threadIdx.y);
  for (int j = 0; j < kTile; j += kThreadRows) {
    out[static_cast<std::size_t>(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];  // fault
  }
}

__global__ void transpose_tile_padded(float* out, const float* in, int n) {
  __shared__ float tile[kTile][kTile + 1];
  int x = static_cast<int>(blockIdx.x) * kTile + static_cast<int>(threadIdx.x);
  int y = static_cast<int>(blockIdx.y) * kTile + static_cast<int>(threadIdx.y);
  for (int j = 0; j < kTile; j += kThreadRows) {
    tile[threadIdx.y + j][threadIdx.x] = in[static_cast<std::size_t>(y + j) * n + x];
  }
  __syncthreads();
  x = static_cast<int>(blockIdx.y) * kTile + static_cast<int>(threadIdx.x);
  y = static_cast<int>(blockIdx.x) * kTile + static_cast<int>(threadIdx.y);
  for (int j = 0; j < kTile; j += kThreadRows) {
    out[static_cast<std::size_t>(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
  }
}

Case make(bool plain) {
  static_assert(kSize % kTile == 0);
  constexpr std::size_t kWords = static_cast<std::size_t>(kSize) * kSize;
  float* in = device_array<float>(kWords);
  float* out = device_array<float>(kWords);
  fill_fractions(in, kWords, 1);
  return {[=] {
            auto* kernel = plain ? transpose_tile_plain : transpose_tile_padded;
            kernel<<<dim3(kSize / kTile, kSize / kTile), dim3(kTile, kThreadRows)>>>(out, in, kSize);
          },
          [=] { return device_sum(out + kWords / 2 + 1234, 4096); }, 1400};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
