// Lets 4.2 million cars drive on 4096 roads of a city by the intelligent driver model: how far a car keeps
// from the one before it and from a red light. Lights at 1024 junctions turn green for the longest queue, and
// the wind spreads exhaust over 2048 x 2048 cells. A step of half a second a round.
// At fault: the function that starts a kernel waits for it, as was useful while the program was written, so
// the GPU idles thrice a step, though the host reads nothing; kernels could follow each other. The pattern is
// that of KeitaNakamura/Tesserae.jl, pull request 152: waits only where the host reads, and
// NVIDIA/cuda-quantum, pull request 4596: a needless wait less, 7 % faster.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kRoads = 4096, kCarsOfRoad = 1024, kCars = kRoads * kCarsOfRoad, kJunctions = kRoads / 4;
constexpr int kWide = 2048, kHigh = 2048, kTile = 32, kTilesWide = kWide / kTile, kRounds = 75000;
constexpr int kThreads = 256, kWarps = kCarsOfRoad / 32, kLeastGreen = 20;
constexpr float kLength = 16384, kStep = 0.5F, kFastest = 14, kGap = 2, kCarLength = 5;
constexpr float kPush = 1.5F, kBrake = 2, kHeadway = 1.2F;
constexpr unsigned kMask = 0xffffffffU;

// Of a road: cars that wait, and what all cars puff out.
struct Load {
  float waiting, exhaust;
};

// Which of its four roads has green, and for how many steps.
struct Light {
  int green, steps;
};

// A block has a road, which is a ring; the light is at its beginning. Cars are places and speeds.
__global__ void __launch_bounds__(kCarsOfRoad)
    drive(float2* __restrict__ next, Load* __restrict__ loads, const float2* __restrict__ now,
          const Light* __restrict__ lights) {
  __shared__ Load warps[kWarps];
  const auto road = static_cast<int>(blockIdx.x), car = static_cast<int>(threadIdx.x);
  const float2 own = now[road * kCarsOfRoad + car],
               before = now[road * kCarsOfRoad + (car + 1) % kCarsOfRoad];
  const bool red = lights[road / 4].green != road % 4;
  float gap = before.x - own.x - kCarLength, closing = own.y - before.y;
  if (gap < -kCarLength) gap += kLength;
  const float to_light = kLength - own.x;
  if (red && to_light < gap && to_light > 3) {
    gap = to_light;
    closing = own.y;
  }
  const float wanted = kGap + fmaxf(own.y * kHeadway + own.y * closing / (2 * sqrtf(kPush * kBrake)), 0);
  const float share = own.y / kFastest, tight = wanted / fmaxf(gap, 0.1F);
  const float push = fmaxf(kPush * (1 - share * share * share * share - tight * tight), -8);
  const float speed = fmaxf(own.y + kStep * push, 0);
  float place = own.x + kStep * fminf(speed, fmaxf(gap, 0) / kStep);
  if (place >= kLength) place -= kLength;
  next[road * kCarsOfRoad + car] = make_float2(place, speed);
  float waiting = speed < 1 ? 1 : 0, exhaust = 0.1F + 0.02F * speed * fmaxf(push, 0);
  for (int far = 16; far > 0; far /= 2) {
    waiting += __shfl_xor_sync(kMask, waiting, far);
    exhaust += __shfl_xor_sync(kMask, exhaust, far);
  }
  if (car % 32 == 0) warps[car / 32] = {waiting, exhaust};
  __syncthreads();
  if (car >= 32) return;
  waiting = warps[car].waiting;
  exhaust = warps[car].exhaust;
  for (int far = 16; far > 0; far /= 2) {
    waiting += __shfl_xor_sync(kMask, waiting, far);
    exhaust += __shfl_xor_sync(kMask, exhaust, far);
  }
  if (car == 0) loads[road] = {waiting, exhaust};
}

__global__ void __launch_bounds__(kThreads) switch_lights(Light* lights, const Load* __restrict__ loads) {
  const auto junction = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  Light light = lights[junction];
  if (++light.steps > kLeastGreen) {
    light = {0, 0};
    for (int road = 1; road < 4; ++road)
      if (loads[junction * 4 + road].waiting > loads[junction * 4 + light.green].waiting) light.green = road;
  }
  lights[junction] = light;
}

// A road crosses the middle of each tile; beyond the edge the air is clean.
__global__ void __launch_bounds__(kThreads)
    spread_exhaust(float* __restrict__ next, const float* __restrict__ now, const Load* __restrict__ loads) {
  const auto column = static_cast<int>(blockIdx.x * kThreads + threadIdx.x),
             row = static_cast<int>(blockIdx.y);
  const int cell = row * kWide + column;
  const float own = now[cell], west = column == 0 ? 0 : now[cell - 1];
  const float east = column == kWide - 1 ? 0 : now[cell + 1], south = row == 0 ? 0 : now[cell - kWide];
  const float north = row == kHigh - 1 ? 0 : now[cell + kWide];
  float gained = 0.1F * (west + east + south + north - 4 * own) + 0.2F * (west - own) - 0.001F * own;
  if (row % kTile == kTile / 2) gained += loads[row / kTile * kTilesWide + column / kTile].exhaust / kTile;
  next[cell] = own + gained;
}

__global__ void __launch_bounds__(kCarsOfRoad) set_off(float2* cars) {
  const auto i = static_cast<int>(blockIdx.x * kCarsOfRoad + threadIdx.x);
  const float apart = kLength / kCarsOfRoad, shift = 4 * mixed_fraction(static_cast<unsigned>(i));
  cars[i] = make_float2(apart * static_cast<float>(threadIdx.x) + shift, 5);
}

struct City {
  float2 *cars, *later_cars;
  Load* loads;
  Light* lights;
  float *air, *later_air;
};

// After each start of a kernel.
void check_start(bool waits) {
  CHECK(cudaGetLastError());
  if (waits) CHECK(cudaDeviceSynchronize());  // fault
}

void take_step(City& city, bool waits) {
  drive<<<kRoads, kCarsOfRoad>>>(city.later_cars, city.loads, city.cars, city.lights);
  check_start(waits);
  switch_lights<<<kJunctions / kThreads, kThreads>>>(city.lights, city.loads);
  check_start(waits);
  spread_exhaust<<<dim3(kWide / kThreads, kHigh), kThreads>>>(city.later_air, city.air, city.loads);
  check_start(waits);
  std::swap(city.cars, city.later_cars);
  std::swap(city.air, city.later_air);
}

Case make(bool waits) {
  const auto city = std::make_shared<City>();
  *city = {device_array<float2>(kCars),        device_array<float2>(kCars),
           device_array<Load>(kRoads),         device_array<Light>(kJunctions),
           device_array<float>(kWide * kHigh), device_array<float>(kWide * kHigh)};
  CHECK(cudaMemset(city->lights, 0, kJunctions * sizeof(Light)));
  CHECK(cudaMemset(city->air, 0, sizeof(float) * kWide * kHigh));
  set_off<<<kRoads, kCarsOfRoad>>>(city->cars);
  CHECK(cudaGetLastError());
  return {[=] { take_step(*city, waits); },
          [=] {
            return device_sum(city->air, kWide * kHigh) +
                   device_sum(reinterpret_cast<float*>(city->loads), 2 * kRoads);
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
