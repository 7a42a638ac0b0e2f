// The gradients of 65,536 splats from an image of 1024 x 1024 pixels, 64 splats a tile of 16 x 16 pixels.
// At fault: each pixel adds to each splat of its tile with atomics, 256 of them to one address at a time. The
// pattern is that of graphdeco-inria/diff-gaussian-rasterization, whose pull request 53 reduces in the block
// first; so does AndrewBoessen/3DGS, issue 33.
#include "../case.cuh"

namespace {

constexpr int kSize = 1024, kTile = 16, kThreads = kTile * kTile, kTiles = kSize / kTile;
constexpr int kOwn = 64, kSplats = 1 << 16, kParts = 4, kWarps = kThreads / 32, kPixels = kSize * kSize;

struct Pixel {
  float red, green, blue, x, y;
};

__device__ Pixel pixel_of_thread(const float* upstream) {
  const int x = static_cast<int>(blockIdx.x * kTile + threadIdx.x % kTile);
  const int y = static_cast<int>(blockIdx.y * kTile + threadIdx.x / kTile);
  const int at = y * kSize + x;
  return {upstream[at], upstream[at + kPixels], upstream[at + 2 * kPixels],
          static_cast<float>(threadIdx.x % kTile), static_cast<float>(threadIdx.x / kTile)};
}

__device__ int first_splat() {
  return static_cast<int>((blockIdx.y * gridDim.x + blockIdx.x) * kOwn) % kSplats;
}

// Centre, inverse width and height of the splats of the tile.
__device__ void load_splats(float4* own, const float4* splats) {
  if (threadIdx.x < kOwn) own[threadIdx.x] = splats[first_splat() + static_cast<int>(threadIdx.x)];
  __syncthreads();
}

__device__ float weight_of(const float4& splat, const Pixel& pixel) {
  const float dx = pixel.x - splat.x * kTile, dy = pixel.y - splat.y * kTile;
  return splat.w * __expf(-splat.z * (dx * dx + dy * dy) * 0.1F);
}

__global__ void gradients_by_pixel(float* gradients, const float4* splats, const float* upstream) {
  __shared__ float4 own[kOwn];
  load_splats(own, splats);
  const Pixel pixel = pixel_of_thread(upstream);
  float* to = gradients + first_splat() * kParts;
  for (int k = 0; k < kOwn; ++k) {
    const float weight = weight_of(own[k], pixel);
    atomicAdd(to + k * kParts, weight * pixel.red);                                   // fault
    atomicAdd(to + k * kParts + 1, weight * pixel.green);                             // fault
    atomicAdd(to + k * kParts + 2, weight * pixel.blue);                              // fault
    atomicAdd(to + k * kParts + 3, weight * (pixel.red + pixel.green + pixel.blue));  // fault
  }
}

__device__ float sum_of_warp(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffffU, value, step);
  return value;
}

__global__ void gradients_by_tile(float* gradients, const float4* splats, const float* upstream) {
  __shared__ float4 own[kOwn];
  __shared__ float sums[kWarps][kOwn * kParts];
  load_splats(own, splats);
  const Pixel pixel = pixel_of_thread(upstream);
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int k = 0; k < kOwn; ++k) {
    const float weight = weight_of(own[k], pixel);
    const float red = sum_of_warp(weight * pixel.red), green = sum_of_warp(weight * pixel.green);
    const float blue = sum_of_warp(weight * pixel.blue);
    if (lane < kParts) {
      const float all = red + green + blue;
      sums[warp][k * kParts + lane] = lane == 0 ? red : lane == 1 ? green : lane == 2 ? blue : all;
    }
  }
  __syncthreads();
  float total = 0;
  for (int other = 0; other < kWarps; ++other) total += sums[other][threadIdx.x];
  atomicAdd(gradients + first_splat() * kParts + threadIdx.x, total);
}

Case make(bool by_pixel) {
  auto* splats = device_array<float4>(kSplats);
  auto* gradients = device_array<float>(std::size_t{kSplats} * kParts);
  auto* upstream = device_array<float>(std::size_t{3} * kPixels);
  fill_fractions(reinterpret_cast<float*>(splats), std::size_t{kSplats} * 4, 1);
  fill_fractions(upstream, std::size_t{3} * kPixels, 2);
  return {[=] {
            CHECK(cudaMemsetAsync(gradients, 0, kSplats * kParts * sizeof(float)));
            const dim3 grid(kTiles, kTiles);
            if (by_pixel) {
              gradients_by_pixel<<<grid, kThreads>>>(gradients, splats, upstream);
            } else {
              gradients_by_tile<<<grid, kThreads>>>(gradients, splats, upstream);
            }
          },
          [=] { return device_sum(gradients, std::size_t{kSplats} * kParts); }, 300};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
