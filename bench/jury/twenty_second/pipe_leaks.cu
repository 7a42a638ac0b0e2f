// Listens for leaks in water pipes by 65,536 hydrophones: each second's samples pass a cascade of
// second-order filters that keeps the band in which leaks hiss, then each hydrophone's strength and the
// likeness of each two neighbours are measured, and hydrophones that are louder than usual are counted. A
// second a round.
#include <cuda_pipeline.h>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kPhones = 65536, kSamples = 512, kSeconds = 4, kSections = 8, kThreads = 64, kTile = 32;
constexpr int kTiles = kSamples / kTile, kWarps = kThreads / 32, kWide = 256, kRounds = 10500;
constexpr std::size_t kAll = std::size_t{kPhones} * kSamples;
constexpr float kUnusual = 1.02F;
constexpr unsigned kMask = 0xffffffffU;

// A second-order section in transposed form II.
struct Section {
  float b0, b1, b2, a1, a2;
};

struct Cascade {
  Section sections[kSections];
};

struct Pipes {
  float *recorded, *filtered, *strengths, *likeness, *usual;
  float2* memory;  // of the filters: section by section, hydrophone by hydrophone
  int* alarms;
  Cascade cascade;
  int second;
};

// Begins to copy a block's samples of a tile; a row has a hydrophone.
template <int kRow>
__device__ void begin_tile(float (*tile)[kRow], const float* from) {
  const auto lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
#pragma unroll 8
  for (int row = warp; row < kThreads; row += kWarps)
    __pipeline_memcpy_async(&tile[row][lane], from + static_cast<std::size_t>(row) * kSamples + lane,
                            sizeof(float));
  __pipeline_commit();
}

// A thread has a hydrophone and goes through its samples in order. Tiles are copied one ahead.
template <int kRow>
__global__ void __launch_bounds__(kThreads)
    pass_band(float* __restrict__ filtered, float2* __restrict__ memory, const float* __restrict__ recorded,
              const Cascade cascade) {
  __shared__ float tiles[2][kThreads][kRow];
  const auto thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const int first = static_cast<int>(blockIdx.x) * kThreads;
  const float* from = recorded + static_cast<std::size_t>(first) * kSamples;
  float* to = filtered + static_cast<std::size_t>(first) * kSamples;
  float2 held[kSections];
#pragma unroll
  for (int i = 0; i < kSections; ++i) held[i] = memory[i * kPhones + first + thread];
  begin_tile<kRow>(tiles[0], from);
  for (int number = 0; number < kTiles; ++number) {
    float(*tile)[kRow] = tiles[number % 2];
    if (number + 1 < kTiles)
      begin_tile<kRow>(tiles[(number + 1) % 2], from + (number + 1) * kTile);
    else
      __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
#pragma unroll 2
    for (int at = 0; at < kTile; ++at) {
      float sample = tile[thread][at];  // fault
#pragma unroll
      for (int i = 0; i < kSections; ++i) {
        const Section& section = cascade.sections[i];
        const float out = section.b0 * sample + held[i].x;
        held[i].x = section.b1 * sample - section.a1 * out + held[i].y;
        held[i].y = section.b2 * sample - section.a2 * out;
        sample = out;
      }
      tile[thread][at] = sample;  // fault
    }
    __syncthreads();
#pragma unroll 8
    for (int row = warp; row < kThreads; row += kWarps)
      to[static_cast<std::size_t>(row) * kSamples + number * kTile + lane] = tile[row][lane];
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kSections; ++i) memory[i * kPhones + first + thread] = held[i];
}

__device__ float sum_of_warp(float own) {
  for (int far = 16; far > 0; far /= 2) own += __shfl_xor_sync(kMask, own, far);
  return own;
}

__device__ float product(float4 a, float4 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

// A warp has a pair of hydrophones, at either end of a pipe.
__global__ void __launch_bounds__(kWide)
    compare_pairs(float* __restrict__ strengths, float* __restrict__ likeness,
                  const float4* __restrict__ filtered) {
  const auto lane = static_cast<int>(threadIdx.x % 32);
  const auto pair = static_cast<int>((blockIdx.x * kWide + threadIdx.x) / 32);
  const float4* one = filtered + static_cast<std::size_t>(2 * pair) * (kSamples / 4);
  const float4* other = one + kSamples / 4;
  float own = 0, across = 0, both = 0;
#pragma unroll
  for (int at = 0; at < kSamples / 4; at += 32) {
    const float4 a = one[at + lane], b = other[at + lane];
    own += product(a, a);
    across += product(b, b);
    both += product(a, b);
  }
  own = sum_of_warp(own);
  across = sum_of_warp(across);
  both = sum_of_warp(both);
  if (lane != 0) return;
  reinterpret_cast<float2*>(strengths)[pair] = make_float2(sqrtf(own / kSamples), sqrtf(across / kSamples));
  likeness[pair] = both * rsqrtf(own * across + 1e-20F);
}

// Compares each hydrophone with its usual strength. `alarms` is over all seconds, block by block.
__global__ void __launch_bounds__(kWide)
    find_leaks(float* __restrict__ usual, int* __restrict__ alarms, const float* __restrict__ strengths,
               const float* __restrict__ likeness) {
  const auto phone = static_cast<int>(blockIdx.x * kWide + threadIdx.x);
  const float now = strengths[phone], before = usual[phone];
  usual[phone] = before + 0.1F * (now - before);
  const bool strange = now > kUnusual * before && fabsf(likeness[phone / 2]) < 0.5F;
  const int found = __syncthreads_count(strange ? 1 : 0);
  if (threadIdx.x == 0) alarms[blockIdx.x] += found;
}

// Half of the sections hold back what is low, half of them what is high.
Cascade new_cascade() {
  Cascade cascade = {};
  for (int i = 0; i < kSections; ++i) {
    const bool low = i % 2 == 0;
    const double turn = 2 * 3.14159265358979 * (low ? 0.2 : 0.01), wide = 0.6 + 0.1 * i;
    const double alpha = std::sin(turn) / (2 * wide), cosine = std::cos(turn), scale = 1 / (1 + alpha);
    const double middle = low ? 1 - cosine : -(1 + cosine), side = (low ? 1 - cosine : 1 + cosine) / 2;
    cascade.sections[i] = {static_cast<float>(side * scale), static_cast<float>(middle * scale),
                           static_cast<float>(side * scale), static_cast<float>(-2 * cosine * scale),
                           static_cast<float>((1 - alpha) * scale)};
  }
  return cascade;
}

template <int kRow>
void listen(Pipes& pipes) {
  const float* recorded = pipes.recorded + static_cast<std::size_t>(pipes.second++ % kSeconds) * kAll;
  pass_band<kRow><<<kPhones / kThreads, kThreads>>>(pipes.filtered, pipes.memory, recorded, pipes.cascade);
  compare_pairs<<<kPhones / 2 * 32 / kWide, kWide>>>(pipes.strengths, pipes.likeness,
                                                     reinterpret_cast<const float4*>(pipes.filtered));
  find_leaks<<<kPhones / kWide, kWide>>>(pipes.usual, pipes.alarms, pipes.strengths, pipes.likeness);
}

double total(const Pipes& pipes) {
  return 1e-3 * device_sum(pipes.alarms, kPhones / kWide) + device_sum(pipes.usual, kPhones);
}

template <int kRow>
Case make() {
  const auto pipes = std::make_shared<Pipes>();
  *pipes = {device_array<float>(kSeconds * kAll),
            device_array<float>(kAll),
            device_array<float>(kPhones),
            device_array<float>(kPhones / 2),
            device_array<float>(kPhones),
            device_array<float2>(kSections * kPhones),
            device_array<int>(kPhones / kWide),
            new_cascade(),
            0};
  fill_fractions(pipes->recorded, kSeconds * kAll, 41);
  CHECK(cudaMemset(pipes->usual, 0, kPhones * sizeof(float)));
  CHECK(cudaMemset(pipes->memory, 0, kSections * kPhones * sizeof(float2)));
  CHECK(cudaMemset(pipes->alarms, 0, kPhones / kWide * sizeof(int)));
  return {[=] { listen<kRow>(*pipes); }, [=] { return total(*pipes); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make<kTile>(); }, [] { return make<kTile + 1>(); });
}
