// Lightning of a day, from a network of antennas: strokes come in the order of time, get the code of their
// place, and are sorted by it, so that strokes that follow one another at one place can be joined to flashes.
// A map of districts keeps the danger. A day a round.
#include <cstdint>
#include <cub/device/device_radix_sort.cuh>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kStrokes = 1 << 24, kStrokesOfStorm = 4, kThreads = 256, kBlocks = kStrokes / kThreads;
constexpr int kSideBits = 11, kCodeBits = 2 * kSideBits, kDistrictBits = 10, kDistricts = 1 << kDistrictBits;
constexpr int kMapSide = 32, kRounds = 1950;
constexpr float kGap = 0.5F, kFade = 0.9F, kSecondsOfDay = 86400;
constexpr unsigned kMask = 0xffffffffU;

using Code = std::uint64_t;  // as the archive keeps them

struct alignas(8) Stroke {
  float seconds, kiloamperes;
};

struct Network {
  float2* places;
  Stroke* strokes;
  Code* codes[2];
  Stroke* sorted[2];
  void* scratch;
  std::size_t scratch_bytes;
  float *flashes, *danger, *next_danger;
  int day = 0;
};

// Bits of x and y in turn, so that what is near has codes that are near.
__device__ unsigned spread_bits(unsigned x) {
  x = (x | x << 8) & 0x00ff00ffU;
  x = (x | x << 4) & 0x0f0f0f0fU;
  x = (x | x << 2) & 0x33333333U;
  return (x | x << 1) & 0x55555555U;
}

__device__ unsigned cell_of(float place) {
  return min(static_cast<unsigned>(place * (1U << kSideBits)), (1U << kSideBits) - 1);
}

// Storms move with the wind of the day. A thread has two strokes.
__global__ void __launch_bounds__(kThreads)
    encode(ulonglong2* __restrict__ codes, float4* __restrict__ strokes_out,
           const float4* __restrict__ places, const float4* __restrict__ strokes, float east, float north) {
  const auto i = blockIdx.x * kThreads + threadIdx.x;
  const float4 two = places[i];
  const auto code = [&](float x, float y) {
    x += east;
    y += north;
    return Code{spread_bits(cell_of(x - floorf(x))) | spread_bits(cell_of(y - floorf(y))) << 1};
  };
  codes[i] = make_ulonglong2(code(two.x, two.y), code(two.z, two.w));
  strokes_out[i] = strokes[i];
}

// A stroke that does not follow another one at its place begins a flash, and the strongest of its strokes
// counts. A block's strokes are mostly of one district.
__global__ void __launch_bounds__(kThreads)
    join_flashes(float* __restrict__ flashes, const Code* __restrict__ codes,
                 const float2* __restrict__ strokes) {
  __shared__ float warps[kThreads / 32];
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const Code code = codes[i];
  const float2 own = strokes[i];
  float weight = 0;
  const bool follows = i > 0 && codes[i - 1] == code && own.x - strokes[i - 1].x < kGap;
  if (!follows) {
    float strongest = own.y, last = own.x;
    for (int j = i + 1; j < kStrokes && codes[j] == code; ++j) {
      const float2 next = strokes[j];
      if (next.x - last >= kGap) break;
      strongest = fmaxf(strongest, next.y);
      last = next.x;
    }
    weight = sqrtf(strongest);
  }
  const auto district = static_cast<int>(code >> (kCodeBits - kDistrictBits));
  if (!__syncthreads_and(district ==
                         static_cast<int>(codes[blockIdx.x * kThreads] >> (kCodeBits - kDistrictBits)))) {
    if (weight > 0) atomicAdd(flashes + district, weight);
    return;
  }
  for (int far = 16; far > 0; far /= 2) weight += __shfl_xor_sync(kMask, weight, far);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = weight;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int warp = 1; warp < kThreads / 32; ++warp) weight += warps[warp];
  atomicAdd(flashes + district, weight);
}

// What was dangerous before fades, and some of the danger is that of the neighbours.
__global__ void __launch_bounds__(kThreads)
    draw_map(float* __restrict__ next, const float* __restrict__ danger, float* __restrict__ flashes) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int x = i % kMapSide, y = i / kMapSide;
  const auto at = [](int column, int row) {
    return spread_bits(static_cast<unsigned>(column) % kMapSide) |
           spread_bits(static_cast<unsigned>(row) % kMapSide) << 1;
  };
  const unsigned own = at(x, y);
  const float around = danger[at(x + 1, y)] + danger[at(x + kMapSide - 1, y)] + danger[at(x, y + 1)] +
                       danger[at(x, y + kMapSide - 1)];
  next[own] = kFade * (0.8F * danger[own] + 0.05F * around) + 1e-4F * flashes[own];
  flashes[own] = 0;
}

// Strokes of a storm are near each other in place and in time.
__global__ void __launch_bounds__(kThreads) record(float2* places, Stroke* strokes) {
  const auto i = static_cast<unsigned>(blockIdx.x * kThreads + threadIdx.x);
  const unsigned storm = i / kStrokesOfStorm;
  const float front = mixed_fraction(storm % 4096 + 77);
  const float x = front + 0.25F * mixed_fraction(storm + 11), y = 0.3F * front + mixed_fraction(storm + 13);
  places[i] = make_float2(x + 1e-5F * mixed_fraction(i + 17), y + 1e-5F * mixed_fraction(i + 19));
  strokes[i] = {kSecondsOfDay * (static_cast<float>(storm) / (kStrokes / kStrokesOfStorm)) +
                    0.1F * static_cast<float>(i % kStrokesOfStorm),
                5 + 60 * mixed_fraction(i + 23)};
}

void sort_whole_codes(Network& network, cub::DoubleBuffer<Code>& codes, cub::DoubleBuffer<Stroke>& strokes) {
  CHECK(cub::DeviceRadixSort::SortPairs(network.scratch, network.scratch_bytes, codes, strokes,  // fault
                                        kStrokes));
}

void sort_bits_of_cells(Network& network, cub::DoubleBuffer<Code>& codes,
                        cub::DoubleBuffer<Stroke>& strokes) {
  CHECK(cub::DeviceRadixSort::SortPairs(network.scratch, network.scratch_bytes, codes, strokes, kStrokes, 0,
                                        kCodeBits));
}

template <class Sort>
void watch_day(Network& network, Sort sort) {
  const auto day = static_cast<float>(network.day++);
  encode<<<kBlocks / 2, kThreads>>>(
      reinterpret_cast<ulonglong2*>(network.codes[0]), reinterpret_cast<float4*>(network.sorted[0]),
      reinterpret_cast<const float4*>(network.places), reinterpret_cast<const float4*>(network.strokes),
      0.3F * (1 + std::sin(0.05F * day)), 0.2F * (1 + std::cos(0.031F * day)));
  cub::DoubleBuffer<Code> codes(network.codes[0], network.codes[1]);
  cub::DoubleBuffer<Stroke> strokes(network.sorted[0], network.sorted[1]);
  sort(network, codes, strokes);
  join_flashes<<<kBlocks, kThreads>>>(network.flashes, codes.Current(),
                                      reinterpret_cast<const float2*>(strokes.Current()));
  draw_map<<<kDistricts / kThreads, kThreads>>>(network.next_danger, network.danger, network.flashes);
  std::swap(network.danger, network.next_danger);
}

template <class Sort>
Case make(Sort sort) {
  const auto network = std::make_shared<Network>();
  network->places = device_array<float2>(kStrokes);
  network->strokes = device_array<Stroke>(kStrokes);
  record<<<kBlocks, kThreads>>>(network->places, network->strokes);
  for (int i = 0; i < 2; ++i) {
    network->codes[i] = device_array<Code>(kStrokes);
    network->sorted[i] = device_array<Stroke>(kStrokes);
  }
  cub::DoubleBuffer<Code> codes(network->codes[0], network->codes[1]);
  cub::DoubleBuffer<Stroke> strokes(network->sorted[0], network->sorted[1]);
  CHECK(cub::DeviceRadixSort::SortPairs(nullptr, network->scratch_bytes, codes, strokes, kStrokes));
  network->scratch = device_array<char>(network->scratch_bytes);
  for (float** map : {&network->flashes, &network->danger, &network->next_danger}) {
    *map = device_array<float>(kDistricts);
    CHECK(cudaMemset(*map, 0, kDistricts * sizeof(float)));
  }
  return {[=] { watch_day(*network, sort); }, [=] { return device_sum(network->danger, kDistricts); },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(sort_whole_codes); }, [] { return make(sort_bits_of_cells); });
}
