// A sleep laboratory: a night of eight electrodes is freed of what all of them have in common, filtered,
// scaled to the night's own spread, and told by the energies of its epochs. Twenty nights a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kElectrodes = 8, kSamples = 1 << 21, kThreads = 256, kNights = 2, kNightsOfRound = 20;
constexpr int kRounds = 520, kQuads = kSamples / 4, kReach = 16, kTaps = 2 * kReach + 1;
constexpr int kTile = 4 * kThreads, kTilePadded = kTile + 2 * kReach;
constexpr int kEpoch = 8192, kEpochs = kSamples / kEpoch, kMostParts = 64, kWide = 1024;
constexpr std::size_t kNight = std::size_t{kElectrodes} * kSamples;
constexpr unsigned kMask = 0xffffffffU;
constexpr float kSpike = 4;

__constant__ float taps[kTaps];

struct Moments {
  float sum, squares;
};

struct Lab {
  float* nights[kNights];
  float *common, *filtered;
  Moments* parts;  // of an electrode, one after the other
  float2* scales;  // middle and one over the spread
  float *energies, *hypnogram;
  int night = 0;
};

// A thread has four samples of each electrode.
__global__ void __launch_bounds__(kThreads)
    take_common(float4* __restrict__ common, const float4* __restrict__ night, float much) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  float4 all[kElectrodes], mean = make_float4(0, 0, 0, 0);
#pragma unroll
  for (int e = 0; e < kElectrodes; ++e) {
    all[e] = night[e * kQuads + i];
    mean = make_float4(mean.x + all[e].x, mean.y + all[e].y, mean.z + all[e].z, mean.w + all[e].w);
  }
  const float share = much / kElectrodes;
#pragma unroll
  for (int e = 0; e < kElectrodes; ++e)
    common[e * kQuads + i] = make_float4(all[e].x - share * mean.x, all[e].y - share * mean.y,
                                         all[e].z - share * mean.z, all[e].w - share * mean.w);
}

// A block has 1024 samples of an electrode and what lies beside them.
__global__ void __launch_bounds__(kThreads)
    filter_band(float4* __restrict__ filtered, const float4* __restrict__ common) {
  __shared__ float4 tile[kTilePadded / 4];
  const auto thread = static_cast<int>(threadIdx.x), block = static_cast<int>(blockIdx.x);
  const float4* own = common + static_cast<int>(blockIdx.y) * kQuads;
  const int first = block * kThreads - kReach / 4;
  for (int i = thread; i < kTilePadded / 4; i += kThreads) tile[i] = own[min(max(first + i, 0), kQuads - 1)];
  __syncthreads();
  float window[kTaps + 3];
#pragma unroll
  for (int i = 0; i < (kTaps + 3) / 4; ++i) {
    const float4 four = tile[thread + i];
    window[4 * i] = four.x;
    window[4 * i + 1] = four.y;
    window[4 * i + 2] = four.z;
    window[4 * i + 3] = four.w;
  }
  float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll
  for (int k = 0; k < kTaps; ++k) {
    sum.x += taps[k] * window[k];
    sum.y += taps[k] * window[k + 1];
    sum.z += taps[k] * window[k + 2];
    sum.w += taps[k] * window[k + 3];
  }
  filtered[static_cast<int>(blockIdx.y) * kQuads + block * kThreads + thread] = sum;
}

__device__ Moments together(Moments mine) {
  for (int far = 16; far > 0; far /= 2) {
    mine.sum += __shfl_xor_sync(kMask, mine.sum, far);
    mine.squares += __shfl_xor_sync(kMask, mine.squares, far);
  }
  return mine;
}

// blockIdx.y is the electrode; the blocks of an electrode share the night.
__global__ void __launch_bounds__(kWide)
    add_moments(Moments* __restrict__ parts, const float4* __restrict__ filtered) {
  __shared__ Moments warps[kWide / 32];
  const auto thread = static_cast<int>(threadIdx.x), electrode = static_cast<int>(blockIdx.y);
  const auto part = static_cast<int>(blockIdx.x), of = static_cast<int>(gridDim.x);
  const float4* own = filtered + electrode * kQuads;
  Moments mine = {0, 0};
#pragma unroll 4
  for (int i = part * kWide + thread; i < kQuads; i += of * kWide) {
    const float4 four = own[i];  // fault
    mine.sum += (four.x + four.y) + (four.z + four.w);
    mine.squares += (four.x * four.x + four.y * four.y) + (four.z * four.z + four.w * four.w);
  }
  mine = together(mine);
  if (thread % 32 == 0) warps[thread / 32] = mine;
  __syncthreads();
  if (thread >= 32) return;
  mine = together(warps[thread]);
  if (thread == 0) parts[electrode * kMostParts + part] = mine;
}

// A warp has an electrode.
__global__ void __launch_bounds__(kElectrodes * 32)
    settle_scales(float2* __restrict__ scales, const Moments* __restrict__ parts, int of) {
  const auto electrode = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  Moments mine = {0, 0};
  for (int i = lane; i < of; i += 32) {
    mine.sum += parts[electrode * kMostParts + i].sum;
    mine.squares += parts[electrode * kMostParts + i].squares;
  }
  mine = together(mine);
  const float middle = mine.sum / kSamples;
  const float spread = mine.squares / kSamples - middle * middle;
  if (lane == 0) scales[electrode] = make_float2(middle, rsqrtf(fmaxf(spread, 0) + 1e-6F));
}

__device__ float energy_of(float value, float2 scale) {
  const float scaled = fminf(fmaxf((value - scale.x) * scale.y, -kSpike), kSpike);
  return scaled * scaled;
}

// A block has an epoch of an electrode. Spikes are cut off.
__global__ void __launch_bounds__(kThreads)
    tell_epochs(float* __restrict__ energies, const float4* __restrict__ filtered,
                const float2* __restrict__ scales) {
  __shared__ float warps[kThreads / 32];
  const auto thread = static_cast<int>(threadIdx.x), electrode = static_cast<int>(blockIdx.y);
  const float2 scale = scales[electrode];
  const float4* own = filtered + electrode * kQuads + static_cast<int>(blockIdx.x) * (kEpoch / 4);
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kEpoch / 4 / kThreads; ++i) {
    const float4 four = own[i * kThreads + thread];
    sum += (energy_of(four.x, scale) + energy_of(four.y, scale)) +
           (energy_of(four.z, scale) + energy_of(four.w, scale));
  }
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(kMask, sum, far);
  if (thread % 32 == 0) warps[thread / 32] = sum;
  __syncthreads();
  if (thread != 0) return;
  for (int warp = 1; warp < kThreads / 32; ++warp) sum += warps[warp];
  energies[electrode * kEpochs + static_cast<int>(blockIdx.x)] = sum / kEpoch;
}

// How the nights went so far, epoch by epoch.
__global__ void __launch_bounds__(kEpochs)
    remember(float* __restrict__ hypnogram, const float* __restrict__ energies) {
  const auto i = static_cast<int>(blockIdx.x * kEpochs + threadIdx.x);
  hypnogram[i] = 0.9F * hypnogram[i] + 0.1F * energies[i];
}

// Slow waves that come and go, spindles, and noise.
__global__ void __launch_bounds__(kThreads) record_night(float* night, unsigned seed) {
  const auto i = static_cast<unsigned>(blockIdx.x * kThreads + threadIdx.x);
  const auto time = static_cast<float>(i % kSamples), electrode = static_cast<float>(i / kSamples);
  const float deep = 0.5F + 0.5F * __sinf(time * 1e-5F + static_cast<float>(seed));
  const float waves = 30 * deep * __sinf(0.05F * time + electrode) + 8 * (1 - deep) * __sinf(0.6F * time);
  night[i] = 5 + waves + 20 * mixed_fraction(i + seed * 50000017U) + 3 * __sinf(0.02F * time);
}

// What is near in time is averaged, by a bell.
void upload_taps() {
  float table[kTaps], sum = 0;
  for (int i = 0; i < kTaps; ++i) {
    const float far = static_cast<float>(i - kReach) / 6;
    table[i] = std::exp(-0.5F * far * far);
    sum += table[i];
  }
  for (float& tap : table) tap /= sum;
  CHECK(cudaMemcpyToSymbol(taps, table, sizeof table));
}

// kParts: by how many blocks the moments of an electrode are added up.
template <int kParts>
void examine(Lab& lab) {
  const int number = lab.night++;
  const float much = 0.8F + 0.2F * std::sin(0.01F * static_cast<float>(number));
  take_common<<<kQuads / kThreads, kThreads>>>(reinterpret_cast<float4*>(lab.common),
                                               reinterpret_cast<const float4*>(lab.nights[number % kNights]),
                                               much);
  filter_band<<<dim3(kQuads / kThreads, kElectrodes), kThreads>>>(
      reinterpret_cast<float4*>(lab.filtered), reinterpret_cast<const float4*>(lab.common));
  add_moments<<<dim3(kParts, kElectrodes), kWide>>>(lab.parts,                                       // fault
                                                    reinterpret_cast<const float4*>(lab.filtered));  // fault
  settle_scales<<<1, kElectrodes * 32>>>(lab.scales, lab.parts, kParts);
  tell_epochs<<<dim3(kEpochs, kElectrodes), kThreads>>>(
      lab.energies, reinterpret_cast<const float4*>(lab.filtered), lab.scales);
  remember<<<kElectrodes, kEpochs>>>(lab.hypnogram, lab.energies);
}

template <int kParts>
Case make() {
  static_assert(kParts <= kMostParts);
  const auto lab = std::make_shared<Lab>();
  upload_taps();
  for (unsigned night = 0; night < kNights; ++night) {
    lab->nights[night] = device_array<float>(kNight);
    record_night<<<kNight / kThreads, kThreads>>>(lab->nights[night], night);
  }
  lab->common = device_array<float>(kNight);
  lab->filtered = device_array<float>(kNight);
  lab->parts = device_array<Moments>(kElectrodes * kMostParts);
  lab->scales = device_array<float2>(kElectrodes);
  lab->energies = device_array<float>(kElectrodes * kEpochs);
  lab->hypnogram = device_array<float>(kElectrodes * kEpochs);
  CHECK(cudaMemset(lab->hypnogram, 0, kElectrodes * kEpochs * sizeof(float)));
  const auto round = [=] {
    for (int i = 0; i < kNightsOfRound; ++i) examine<kParts>(*lab);
  };
  const auto sum = [=] {
    return device_sum(lab->hypnogram, kElectrodes * kEpochs) +
           device_sum(reinterpret_cast<const float*>(lab->scales), 2 * kElectrodes);
  };
  return {round, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, make<1>, make<33>);
}
