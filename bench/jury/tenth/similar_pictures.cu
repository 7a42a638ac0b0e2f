// Scores how similar eight pictures of 1920 x 1080 pixels in three colours are to others, and finds the
// gradient for whoever drew them: means in windows of 7 x 7 pixels give the structural similarity of each
// pixel and how it changes.
// At fault: the four maps of the scores and the gradient are filled with zeros first, though the kernels
// write each of their values. The pattern is that of openvdb/fvdb-core, pull request 212: nothing is filled
// before the fused kernels of the similarity.
#include <cuda_pipeline.h>

#include "../case.cuh"

namespace {

constexpr int kWide = 1920, kHigh = 1080, kPlanes = 24, kRounds = 800;
constexpr int kReach = 3, kTaps = 2 * kReach + 1, kTileWide = 32, kTileHigh = 16, kThreadRows = 8;
constexpr int kInWide = kTileWide + 2 * kReach, kInHigh = kTileHigh + 2 * kReach;
constexpr int kThreads = kTileWide * kThreadRows;
constexpr std::size_t kPlane = std::size_t{kWide} * kHigh, kAll = kPlanes * kPlane,
                      kBytes = kAll * sizeof(float);

__constant__ float taps[kTaps] = {0.03663F, 0.11128F, 0.21674F, 0.2707F, 0.21674F, 0.11128F, 0.03663F};

using Tile = float[kInHigh][kInWide];
using Rows = float[kInHigh][kTileWide];

// How the score of a pixel changes by its mean, mean square and mean product.
struct Maps {
  float *score, *by_mean, *by_square, *by_product;
};

// Pixels outside of the picture are 0.
__device__ void stage(Tile& tile, const float* plane, int left, int top) {
  for (int i = static_cast<int>(threadIdx.y * kTileWide + threadIdx.x); i < kInHigh * kInWide;
       i += kThreads) {
    const int y = i / kInWide, x = i % kInWide, down = top + y - kReach, across = left + x - kReach;
    const bool inside = across >= 0 && across < kWide && down >= 0 && down < kHigh;
    const float* from = plane + (inside ? down * kWide + across : 0);
    __pipeline_memcpy_async(&tile[y][x], from, sizeof(float), inside ? 0 : sizeof(float));
  }
}

__device__ void wait_for_tiles() {
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
}

__device__ float column_mean(const Rows& rows, int y, int x) {
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kTaps; ++i) sum += taps[i] * rows[y + i][x];
  return sum;
}

__device__ void write_pixel(const Maps& maps, std::size_t i, float mean, float other, float square,
                            float other_square, float product) {
  const float steady = 0.0001F, spread = 0.0009F;
  const float means = mean * mean + other * other + steady, twice = 2 * mean * other + steady;
  const float variances = square - mean * mean + other_square - other * other + spread;
  const float shared = 2 * (product - mean * other) + spread;
  const float scale = 1 / (means * variances), score = twice * shared * scale;
  maps.score[i] = score;
  maps.by_square[i] = -score / variances;
  maps.by_product[i] = 2 * twice * scale;
  maps.by_mean[i] = 2 * other * (shared - twice) * scale + 2 * mean * score * (1 / variances - 1 / means);
}

__global__ void __launch_bounds__(kThreads) compare(Maps maps, const float* shown, const float* wanted) {
  __shared__ Tile first, second;
  __shared__ Rows mean, other, square, other_square, product;
  const int left = static_cast<int>(blockIdx.x) * kTileWide, top = static_cast<int>(blockIdx.y) * kTileHigh;
  const int x = static_cast<int>(threadIdx.x);
  const std::size_t plane = blockIdx.z * kPlane;
  stage(first, shown + plane, left, top);
  stage(second, wanted + plane, left, top);
  wait_for_tiles();
  for (int y = static_cast<int>(threadIdx.y); y < kInHigh; y += kThreadRows) {
    float sums[5] = {};
#pragma unroll
    for (int i = 0; i < kTaps; ++i) {
      const float own = first[y][x + i], there = second[y][x + i], weighed = taps[i] * own;
      sums[0] += weighed;
      sums[1] += taps[i] * there;
      sums[2] += weighed * own;
      sums[3] += taps[i] * there * there;
      sums[4] += weighed * there;
    }
    mean[y][x] = sums[0];
    other[y][x] = sums[1];
    square[y][x] = sums[2];
    other_square[y][x] = sums[3];
    product[y][x] = sums[4];
  }
  __syncthreads();
  for (int y = static_cast<int>(threadIdx.y); y < kTileHigh && top + y < kHigh; y += kThreadRows) {
    write_pixel(maps, plane + (top + y) * kWide + left + x, column_mean(mean, y, x), column_mean(other, y, x),
                column_mean(square, y, x), column_mean(other_square, y, x), column_mean(product, y, x));
  }
}

__global__ void __launch_bounds__(kThreads)
    find_gradient(float* gradient, Maps maps, const float* shown, const float* wanted) {
  __shared__ Tile tiles[3];
  __shared__ Rows rows[3];
  const int left = static_cast<int>(blockIdx.x) * kTileWide, top = static_cast<int>(blockIdx.y) * kTileHigh;
  const int x = static_cast<int>(threadIdx.x);
  const std::size_t plane = blockIdx.z * kPlane;
  stage(tiles[0], maps.by_mean + plane, left, top);
  stage(tiles[1], maps.by_square + plane, left, top);
  stage(tiles[2], maps.by_product + plane, left, top);
  wait_for_tiles();
  for (int y = static_cast<int>(threadIdx.y); y < kInHigh; y += kThreadRows) {
#pragma unroll
    for (int map = 0; map < 3; ++map) {
      float sum = 0;
#pragma unroll
      for (int i = 0; i < kTaps; ++i) sum += taps[i] * tiles[map][y][x + i];
      rows[map][y][x] = sum;
    }
  }
  __syncthreads();
  for (int y = static_cast<int>(threadIdx.y); y < kTileHigh && top + y < kHigh; y += kThreadRows) {
    const std::size_t i = plane + (top + y) * kWide + left + x;
    gradient[i] = column_mean(rows[0], y, x) + 2 * shown[i] * column_mean(rows[1], y, x) +
                  wanted[i] * column_mean(rows[2], y, x);
  }
}

Case make(bool fill) {
  auto* shown = device_array<float>(kAll);
  auto* wanted = device_array<float>(kAll);
  auto* gradient = device_array<float>(kAll);
  const Maps maps{device_array<float>(kAll), device_array<float>(kAll), device_array<float>(kAll),
                  device_array<float>(kAll)};
  fill_fractions(shown, kAll, 1);
  fill_fractions(wanted, kAll, 2);
  const dim3 blocks(kWide / kTileWide, blocks_for(kHigh, kTileHigh), kPlanes),
      threads(kTileWide, kThreadRows);
  return {[=] {
            if (fill) {
              for (float* map : {maps.score, maps.by_mean, maps.by_square, maps.by_product, gradient}) {
                CHECK(cudaMemsetAsync(map, 0, kBytes));  // fault
              }
            }
            compare<<<blocks, threads>>>(maps, shown, wanted);
            find_gradient<<<blocks, threads>>>(gradient, maps, shown, wanted);
          },
          [=] { return device_sum(maps.score, kAll) + device_sum(gradient, kAll); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
