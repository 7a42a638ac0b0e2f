// The tiles of a step of a task graph, 1024 of 32 x 32: uploads them and adds the product of each with its
// transpose to a sum.
// At fault: each tile is a copy of 4 KB of its own. The pattern is that of ICLDisco/parsec, whose pull
// request 791 copies them together; here the tiles of a step lie side by side.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kEdge = 32, kWords = kEdge * kEdge, kTiles = 1024, kSteps = 8, kHigh = 8, kRounds = 400;
constexpr std::size_t kBytes = kWords * sizeof(float);

__global__ void add_products(float* sums, const float* tiles) {
  __shared__ float tile[kEdge][kEdge + 1];
  const float* own = tiles + std::size_t{blockIdx.x} * kWords;
  const int column = static_cast<int>(threadIdx.x);
  for (int row = static_cast<int>(threadIdx.y); row < kEdge; row += kHigh)
    tile[row][column] = own[row * kEdge + column];
  __syncthreads();
  for (int row = static_cast<int>(threadIdx.y); row < kEdge; row += kHigh) {
    float product = 0;
#pragma unroll
    for (int k = 0; k < kEdge; ++k) product += tile[row][k] * tile[column][k];
    float& sum = sums[std::size_t{blockIdx.x} * kWords + static_cast<std::size_t>(row * kEdge + column)];
    sum = 0.9F * sum + product;
  }
}

// Where a tile of a step lies on the host.
std::size_t place_of(bool scattered, int step, int tile) {
  const int place = scattered ? (tile * kSteps + step) * 5 % (kTiles * kSteps) : step * kTiles + tile;
  return static_cast<std::size_t>(place) * kWords;
}

Case make(bool one_by_one) {
  auto* host = pinned_array<float>(std::size_t{kSteps} * kTiles * kWords);
  for (int step = 0; step < kSteps; ++step)
    for (int tile = 0; tile < kTiles; ++tile)
      for (int i = 0; i < kWords; ++i)
        host[place_of(one_by_one, step, tile) + static_cast<std::size_t>(i)] =
            mixed_fraction(static_cast<unsigned>((step * kTiles + tile) * kWords + i));
  auto* tiles = device_array<float>(std::size_t{kTiles} * kWords);
  auto* sums = device_array<float>(std::size_t{kTiles} * kWords);
  CHECK(cudaMemset(sums, 0, kTiles * kBytes));
  auto number = std::make_shared<int>(0);
  return {[=] {
            const int step = (*number)++ % kSteps;
            if (one_by_one) {
              for (int tile = 0; tile < kTiles; ++tile)
                CHECK(cudaMemcpyAsync(tiles + std::size_t{kWords} * static_cast<std::size_t>(tile),  // fault
                                      host + place_of(true, step, tile), kBytes,                     // fault
                                      cudaMemcpyHostToDevice));                                      // fault
            } else {
              CHECK(cudaMemcpyAsync(tiles, host + place_of(false, step, 0), kTiles * kBytes,
                                    cudaMemcpyHostToDevice));
            }
            add_products<<<kTiles, dim3(kEdge, kHigh)>>>(sums, tiles);
          },
          [=] { return device_sum(sums, std::size_t{kTiles} * kWords); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
