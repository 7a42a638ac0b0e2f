// Four million splats are projected to an image of 16,384 tiles; then each entry of the tiles' lists, 512 a
// tile, gets its largest weight within the tile.
// At fault: the splats lie in the order in which training made them, so the lanes fetch their entries from
// anywhere. The pattern is that of AndrewBoessen/3DGS, whose pull request 53 sorts the splats by Morton
// codes; here they lie tile by tile.
#include "../case.cuh"

namespace {

constexpr int kAcross = 128, kTiles = kAcross * kAcross, kOfTile = 256, kSplats = kTiles * kOfTile;
constexpr int kListed = 2 * kOfTile, kEntries = kTiles * kListed, kThreads = 256;
constexpr float kPixels = 16;

struct Splats {
  float4 *centres, *shapes;  // x, y, depth, opacity; extents along x and y, their correlation
  float2* means;
  float4* conics;
};

// Another place for each splat; kSplats is two to the power of 22.
__host__ __device__ unsigned scattered(unsigned splat) {
  constexpr unsigned kMask = kSplats - 1;
  splat ^= splat >> 11;
  splat = splat * 0x2c1b3c6dU & kMask;
  splat ^= splat >> 12;
  splat = splat * 0x297a2d39U & kMask;
  return splat ^ (splat >> 11);
}

__global__ void fill_splats(Splats splats, bool scatters) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, tile = i / kOfTile;
  const unsigned at = scatters ? scattered(i) : i;
  const float depth = 1 + mixed_fraction(i + 1);
  const float x = (static_cast<float>(tile % kAcross) + mixed_fraction(i + 2)) * kPixels;
  const float y = (static_cast<float>(tile / kAcross) + mixed_fraction(i + 3)) * kPixels;
  splats.centres[at] = make_float4(x * depth, y * depth, depth, mixed_fraction(i + 4));
  splats.shapes[at] = make_float4(2 + 8 * mixed_fraction(i + 5), 2 + 8 * mixed_fraction(i + 6),
                                  0.5F * mixed_fraction(i + 7), 0);
}

// A tile lists its own splats and those of the next one.
__global__ void fill_lists(int* lists, bool scatters) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, tile = i / kListed;
  const unsigned splat = (tile * kOfTile + i % kListed) % kSplats;
  lists[i] = static_cast<int>(scatters ? scattered(splat) : splat);
}

__global__ void project(Splats splats) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const float4 centre = splats.centres[i], shape = splats.shapes[i];
  const float near = 1 / centre.z;
  splats.means[i] = make_float2(centre.x * near, centre.y * near);
  const float along = shape.x * shape.x * near + 0.3F, across = shape.y * shape.y * near + 0.3F;
  const float mixed = shape.z * sqrtf(along * across);
  const float scale = 1 / (along * across - mixed * mixed);
  splats.conics[i] = make_float4(across * scale, -mixed * scale, along * scale, centre.w);
}

__global__ void weigh_entries(float* weights, Splats splats, const int* lists) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), tile = i / kListed;
  const int splat = lists[i];
  const float2 mean = splats.means[splat];    // fault
  const float4 conic = splats.conics[splat];  // fault
  const float left = static_cast<float>(tile % kAcross) * kPixels;
  const float top = static_cast<float>(tile / kAcross) * kPixels;
  const float x = mean.x - fminf(fmaxf(mean.x, left), left + kPixels);
  const float y = mean.y - fminf(fmaxf(mean.y, top), top + kPixels);
  const float power = -0.5F * (conic.x * x * x + conic.z * y * y) - conic.y * x * y;
  weights[i] = conic.w * __expf(fminf(power, 0));
}

Case make(bool scatters) {
  const Splats splats{device_array<float4>(kSplats), device_array<float4>(kSplats),
                      device_array<float2>(kSplats), device_array<float4>(kSplats)};
  auto* lists = device_array<int>(kEntries);
  auto* weights = device_array<float>(kEntries);
  fill_splats<<<kSplats / kThreads, kThreads>>>(splats, scatters);
  fill_lists<<<kEntries / kThreads, kThreads>>>(lists, scatters);
  return {[=] {
            project<<<kSplats / kThreads, kThreads>>>(splats);
            weigh_entries<<<kEntries / kThreads, kThreads>>>(weights, splats, lists);
          },
          [=] { return device_sum(weights, kEntries); }, 1200};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
