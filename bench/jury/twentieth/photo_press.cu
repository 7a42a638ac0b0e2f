// Makes photographs smaller so that each of them fits into the same number of bits: brightness is found from
// three colours, blocks of 8 x 8 pixels become sums of waves, how many bits these need is told for four
// strengths, and the least strength that fits rounds them. A photograph of 4096 x 3072 pixels a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWide = 4096, kHigh = 3072, kPixels = kWide * kHigh, kPhotos = 6, kEdge = 8, kThreads = 256;
constexpr int kWarps = kThreads / 32, kTilesWide = kWide / kThreads, kTiles = kTilesWide * (kHigh / kEdge);
constexpr int kPitch = kThreads + 1, kStrengths = 4, kChoosers = 1024, kRounds = 30000;
constexpr unsigned kMask = 0xffffffffU, kBudget = 1U << 24;

// Sums of a row or column of eight become waves of it, from the longest one to the shortest one.
__device__ void to_waves(float (&v)[kEdge]) {
  constexpr float kCosines[7] = {0.49039264F, 0.46193977F, 0.41573481F, 0.35355339F,
                                 0.27778512F, 0.19134172F, 0.09754516F};
  const float a = v[0] + v[7], b = v[1] + v[6], c = v[2] + v[5], d = v[3] + v[4];
  const float e = v[0] - v[7], f = v[1] - v[6], g = v[2] - v[5], h = v[3] - v[4];
  v[0] = kCosines[3] * (a + b + c + d);
  v[4] = kCosines[3] * (a - b - c + d);
  v[2] = kCosines[1] * (a - d) + kCosines[5] * (b - c);
  v[6] = kCosines[5] * (a - d) - kCosines[1] * (b - c);
  v[1] = kCosines[0] * e + kCosines[2] * f + kCosines[4] * g + kCosines[6] * h;
  v[3] = kCosines[2] * e - kCosines[6] * f - kCosines[0] * g - kCosines[4] * h;
  v[5] = kCosines[4] * e - kCosines[0] * f + kCosines[6] * g + kCosines[2] * h;
  v[7] = kCosines[6] * e - kCosines[4] * f + kCosines[2] * g - kCosines[0] * h;
}

__device__ float brightness(unsigned pixel) {
  return 0.299F * static_cast<float>(pixel & 255) + 0.587F * static_cast<float>(pixel >> 8 & 255) +
         0.114F * static_cast<float>(pixel >> 16 & 255) - 128;
}

// Short waves are rounded more than long ones, and all by twice as much for the next strength.
__device__ int rounded(float wave, int number, int strength) {
  const float step = static_cast<float>((6 + 2 * number) << strength);
  return __float2int_rn(__fdividef(wave, step));
}

__device__ unsigned bits_of(int number) {
  return number == 0 ? 1 : 2 * (32 - static_cast<unsigned>(__clz(abs(number)))) + 2;
}

__device__ unsigned packed(float one, float other) {
  return (static_cast<unsigned>(__float2int_rn(4 * one)) & 0xffffU) |
         static_cast<unsigned>(__float2int_rn(4 * other)) << 16;
}

__device__ float low_wave(unsigned both) {
  return 0.25F * static_cast<float>(static_cast<short>(both & 0xffffU));
}

__device__ float high_wave(unsigned both) {
  return 0.25F * static_cast<float>(static_cast<short>(both >> 16));
}

// A block has 32 blocks of pixels side by side; a thread has a column and then a row of one. Waves are kept
// in quarters.
__global__ void __launch_bounds__(kThreads)
    transform(uint4* __restrict__ waves, uint4* __restrict__ bits, const unsigned* __restrict__ photo) {
  __shared__ float columns[kEdge * kPitch];
  __shared__ unsigned warps[kStrengths][kWarps];
  const auto thread = static_cast<int>(threadIdx.x), tile = static_cast<int>(blockIdx.x);
  const unsigned* own = photo + tile / kTilesWide * kEdge * kWide + tile % kTilesWide * kThreads + thread;
  float v[kEdge];
#pragma unroll
  for (int row = 0; row < kEdge; ++row) v[row] = brightness(own[row * kWide]);
  to_waves(v);
#pragma unroll
  for (int row = 0; row < kEdge; ++row) columns[row * kPitch + thread] = v[row];
  __syncthreads();
  const int row = thread % kEdge, left = thread - row;
#pragma unroll
  for (int i = 0; i < kEdge; ++i) v[i] = columns[row * kPitch + left + i];
  to_waves(v);
  waves[tile * kThreads + thread] =
      make_uint4(packed(v[0], v[1]), packed(v[2], v[3]), packed(v[4], v[5]), packed(v[6], v[7]));
#pragma unroll
  for (int strength = 0; strength < kStrengths; ++strength) {
    unsigned sum = 0;
#pragma unroll
    for (int i = 0; i < kEdge; ++i) sum += bits_of(rounded(v[i], row + i, strength));
    sum = __reduce_add_sync(kMask, sum);
    if (thread % 32 == 0) warps[strength][thread / 32] = sum;
  }
  __syncthreads();
  if (thread != 0) return;
  unsigned sums[kStrengths]{};
#pragma unroll
  for (int strength = 0; strength < kStrengths; ++strength)
    for (int i = 0; i < kWarps; ++i) sums[strength] += warps[strength][i];
  bits[tile] = make_uint4(sums[0], sums[1], sums[2], sums[3]);
}

// The least strength that fits; `chosen` counts how often each was. One block adds up all tiles.
__global__ void __launch_bounds__(kChoosers)
    choose(int* strength, unsigned long long* chosen, const uint4* __restrict__ bits) {
  __shared__ unsigned warps[kStrengths][kChoosers / 32];
  const auto thread = static_cast<int>(threadIdx.x);
  unsigned sums[kStrengths]{};
#pragma unroll
  for (int tile = thread; tile < kTiles; tile += kChoosers) {
    const uint4 own = bits[tile];
    sums[0] += own.x;
    sums[1] += own.y;
    sums[2] += own.z;
    sums[3] += own.w;
  }
#pragma unroll
  for (int i = 0; i < kStrengths; ++i) {
    const unsigned sum = __reduce_add_sync(kMask, sums[i]);
    if (thread % 32 == 0) warps[i][thread / 32] = sum;
  }
  __syncthreads();
  if (thread >= 32) return;
  int least = 0;
#pragma unroll
  for (int i = 0; i < kStrengths; ++i)
    if (__reduce_add_sync(kMask, warps[i][thread]) > kBudget) least = min(i + 1, kStrengths - 1);
  if (thread != 0) return;
  *strength = least;
  ++chosen[least];
}

// A thread has a row of a block of pixels; eight waves are rounded to bytes. `kept` counts those that are
// left.
__global__ void __launch_bounds__(kThreads)
    round_waves(uint2* __restrict__ bytes, unsigned long long* __restrict__ kept,
                const uint4* __restrict__ waves, const int* __restrict__ strength) {
  __shared__ unsigned warps[kWarps];
  const auto thread = static_cast<int>(threadIdx.x), at = static_cast<int>(blockIdx.x) * kThreads + thread;
  const uint4 own = waves[at];
  const int chosen = *strength, row = thread % kEdge;
  const unsigned words[4] = {own.x, own.y, own.z, own.w};
  unsigned found[2]{}, left = 0;
#pragma unroll
  for (int i = 0; i < kEdge; ++i) {
    const float wave = i % 2 == 0 ? low_wave(words[i / 2]) : high_wave(words[i / 2]);
    const int number = min(max(rounded(wave, row + i, chosen), -128), 127);
    found[i / 4] |= (static_cast<unsigned>(number) & 255U) << i % 4 * 8;
    left += number != 0 ? 1 : 0;
  }
  bytes[at] = make_uint2(found[0], found[1]);
  left = __reduce_add_sync(kMask, left);
  if (thread % 32 == 0) warps[thread / 32] = left;
  __syncthreads();
  if (thread != 0) return;
  for (int i = 1; i < kWarps; ++i) left += warps[i];
  kept[blockIdx.x] += left;
}

// Soft light, hard edges and grain, of which photographs have more and more.
__global__ void __launch_bounds__(kThreads) take_photo(unsigned* photo, int number) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int column = i % kWide, row = i / kWide;
  const float light = 100 + 60 * __sinf(0.002F * static_cast<float>(column + number * 300)) *
                                __cosf(0.003F * static_cast<float>(row));
  const unsigned edge = mixed_bits(static_cast<unsigned>(column / 96 + row / 64 * kWide + number)) % 40,
                 grain = mixed_bits(static_cast<unsigned>(i)) % static_cast<unsigned>(2 + number * 5);
  const unsigned shade = static_cast<unsigned>(light) + edge + grain;
  photo[i] = shade | (shade + 10) << 8 | (shade + 20) << 16;
}

struct Press {
  unsigned* photos;
  uint4 *waves, *bits;
  uint2* bytes;
  int* strength;
  unsigned long long *chosen, *kept;
  int photo;
};

void press(Press& all) {
  const unsigned* photo = all.photos + std::size_t{kPixels} * static_cast<std::size_t>(all.photo++ % kPhotos);
  transform<<<kTiles, kThreads>>>(all.waves, all.bits, photo);
  choose<<<1, kChoosers>>>(all.strength, all.chosen, all.bits);
  round_waves<<<kTiles, kThreads>>>(all.bytes, all.kept, all.waves, all.strength);
}

Case make() {
  const auto all = std::make_shared<Press>();
  *all = {device_array<unsigned>(std::size_t{kPhotos} * kPixels),
          device_array<uint4>(kPixels / kEdge),
          device_array<uint4>(kTiles),
          device_array<uint2>(kPixels / kEdge),
          device_array<int>(1),
          device_array<unsigned long long>(kStrengths),
          device_array<unsigned long long>(kTiles),
          0};
  CHECK(cudaMemset(all->chosen, 0, kStrengths * sizeof(unsigned long long)));
  CHECK(cudaMemset(all->kept, 0, kTiles * sizeof(unsigned long long)));
  for (int number = 0; number < kPhotos; ++number)
    take_photo<<<kPixels / kThreads, kThreads>>>(
        all->photos + std::size_t{kPixels} * static_cast<std::size_t>(number), number);
  CHECK(cudaGetLastError());
  return {[=] { press(*all); },
          [=] { return 1e-3 * device_sum(all->kept, kTiles) + device_sum(all->chosen, kStrengths); },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, nullptr, [] { return make(); });
}
