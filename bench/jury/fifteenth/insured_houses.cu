// Adds up what 33.5 million insured houses lose in floods: each storm has a map of how deep and how fast the
// water is, and a house is damaged by the water at its place above its floor. A storm a round.
// At fault: houses are listed as their policies were sold, so neighbouring lanes read the map at places far
// from one another, and 32 bytes or more come from DRAM for each 8 that are used. The pattern is that of
// isl-org/Open3D, pull request 3397, and microsoft/SPTAG, pull request 215: put in order of place once.
#include <memory>

#include "../case.cuh"

namespace {

constexpr unsigned kWide = 8192, kHigh = 8192, kPlaces = kWide * kHigh, kHouses = 1U << 25, kTown = 256;
constexpr unsigned kThreads = 256, kField = 64;
constexpr int kStorms = 4, kRounds = 10000;

struct Houses {
  int* places;
  float *values, *floors, *losses;
};

// A policy has number i, and its house comes as the result in the order of places.
__device__ unsigned sold(unsigned i) {
  i = i * 0x9e3779b1U % kHouses;
  i ^= i >> 13;
  i = i * 0x85ebca6bU % kHouses;
  return i ^ i >> 11;
}

// Depth and speed of the water are `x` and `y` of its map.
__global__ void __launch_bounds__(kThreads)
    damage(float* __restrict__ losses, const int* __restrict__ places, const float* __restrict__ values,
           const float* __restrict__ floors, const float2* __restrict__ water) {
  const unsigned house = blockIdx.x * kThreads + threadIdx.x;
  const float2 here = water[places[house]];  // fault
  const float wet = fmaxf(here.x - floors[house], 0);
  const float share = fminf(0.22F * sqrtf(wet) + 0.06F * wet * here.y, 1);
  losses[house] += values[house] * share;
}

// Towns take every other 256 places.
__global__ void __launch_bounds__(kThreads) build(Houses houses, bool by_place) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x, number = by_place ? i : sold(i);
  houses.places[i] = static_cast<int>(number / kTown * 2 * kTown + number % kTown);
  houses.values[i] = 0.1F + mixed_fraction(number);
  houses.floors[i] = 1.5F * mixed_fraction(number + 0x40000000U);
  houses.losses[i] = 0;
}

// Water stands higher and flows faster in some fields of 64 x 64 places than in others.
__global__ void __launch_bounds__(kThreads) rain(float2* water, unsigned storm) {
  const unsigned place = blockIdx.x * kThreads + threadIdx.x, column = place % kWide, row = place / kWide;
  const unsigned field = (storm * (kHigh / kField) + row / kField) * (kWide / kField) + column / kField;
  const float depth = 3 * mixed_fraction(field), slope = 0.004F * static_cast<float>(column % kField);
  water[place] = make_float2(depth + slope, 2 * mixed_fraction(field + 0x40000000U));
}

Case make(bool by_place) {
  auto* water = device_array<float2>(std::size_t{kStorms} * kPlaces);
  for (unsigned storm = 0; storm < kStorms; ++storm)
    rain<<<kPlaces / kThreads, kThreads>>>(water + std::size_t{storm} * kPlaces, storm);
  const Houses houses{device_array<int>(kHouses), device_array<float>(kHouses), device_array<float>(kHouses),
                      device_array<float>(kHouses)};
  build<<<kHouses / kThreads, kThreads>>>(houses, by_place);
  CHECK(cudaGetLastError());
  auto round = std::make_shared<int>(0);
  return {[=] {
            const float2* storm = water + static_cast<std::size_t>((*round)++ % kStorms) * kPlaces;
            damage<<<kHouses / kThreads, kThreads>>>(houses.losses, houses.places, houses.values,  // fault
                                                     houses.floors, storm);                        // fault
          },
          [=] { return device_sum(houses.losses, kHouses); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(false); }, [] { return make(true); });
}
