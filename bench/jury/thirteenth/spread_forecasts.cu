// Lets 262,144 forecasts of a ring of 32 places run on, each from a slightly different start, and keeps how
// far they have come apart: 16 steps a round by the method of Runge and Kutta, with a mean and a spread for
// each place.
// Nothing is at fault. A warp has a forecast and a lane a place; all steps of a round are taken in registers,
// and lanes hand values to their neighbours. The pattern is that of SciML/DiffEqGPU.jl, issue 187: the whole
// of a solution in one kernel.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kPlaces = 32, kForecasts = 262144, kThreads = 256, kWarps = kThreads / 32, kSteps = 16;
constexpr int kSumBlocks = 528, kRounds = 7000;
constexpr std::size_t kAll = std::size_t{kForecasts} * kPlaces;
constexpr float kTime = 0.005F, kDriven = 8;

// A place is carried on by the two before and the one behind, slows down, and is driven.
__device__ float change(float own) {
  const int lane = static_cast<int>(threadIdx.x) % kPlaces;
  const float behind = __shfl_sync(0xffffffffU, own, lane + 1);
  const float before = __shfl_sync(0xffffffffU, own, lane + kPlaces - 1);
  const float further = __shfl_sync(0xffffffffU, own, lane + kPlaces - 2);
  return (behind - further) * before - own + kDriven;
}

__global__ void __launch_bounds__(kThreads) advance(float* forecasts) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  float own = forecasts[i];
#pragma unroll 1
  for (int step = 0; step < kSteps; ++step) {
    const float one = change(own);
    const float two = change(own + kTime / 2 * one);
    const float three = change(own + kTime / 2 * two);
    const float four = change(own + kTime * three);
    own += kTime / 6 * (one + 2 * (two + three) + four);
  }
  forecasts[i] = own;
}

// In the first warp; other warps have nothing.
__device__ float2 added_in_block(float2 own) {
  __shared__ float2 parts[kWarps][kPlaces];
  const int lane = static_cast<int>(threadIdx.x) % kPlaces, warp = static_cast<int>(threadIdx.x) / kPlaces;
  parts[warp][lane] = own;
  __syncthreads();
  float2 sum = make_float2(0, 0);
  if (warp != 0) return sum;
#pragma unroll
  for (int part = 0; part < kWarps; ++part)
    sum = make_float2(sum.x + parts[part][lane].x, sum.y + parts[part][lane].y);
  return sum;
}

// Warps take forecasts in turn; a lane keeps its place. A block has its own row of sums.
__global__ void __launch_bounds__(kThreads) sum_places(float2* sums, const float* __restrict__ forecasts) {
  float2 own = make_float2(0, 0);
#pragma unroll 8
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x; i < kAll;
       i += std::size_t{kSumBlocks} * kThreads) {
    const float value = forecasts[i];
    own.x += value;
    own.y += value * value;
  }
  own = added_in_block(own);
  if (threadIdx.x < kPlaces) sums[blockIdx.x * kPlaces + threadIdx.x] = own;
}

// One block puts the rows together.
__global__ void __launch_bounds__(kThreads) find_spread(float2* trace, const float2* __restrict__ sums) {
  float2 own = make_float2(0, 0);
#pragma unroll 8
  for (int i = static_cast<int>(threadIdx.x); i < kSumBlocks * kPlaces; i += kThreads)
    own = make_float2(own.x + sums[i].x, own.y + sums[i].y);
  own = added_in_block(own);
  if (threadIdx.x >= kPlaces) return;
  const float mean = own.x / kForecasts;
  trace[threadIdx.x] = make_float2(mean, sqrtf(fmaxf(own.y / kForecasts - mean * mean, 0)));
}

__global__ void __launch_bounds__(kThreads) begin(float* forecasts) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const auto place = static_cast<float>(threadIdx.x % kPlaces);
  forecasts[i] = kDriven + 3 * __sinf(0.8F * place) + 0.01F * mixed_fraction(static_cast<unsigned>(i));
}

Case make() {
  auto* forecasts = device_array<float>(kAll);
  auto* sums = device_array<float2>(std::size_t{kSumBlocks} * kPlaces);
  auto* trace = device_array<float2>(std::size_t{kRounds} * kPlaces);
  begin<<<kAll / kThreads, kThreads>>>(forecasts);
  CHECK(cudaGetLastError());
  auto round = std::make_shared<int>(0);
  return {
      [=] {
        advance<<<kAll / kThreads, kThreads>>>(forecasts);
        sum_places<<<kSumBlocks, kThreads>>>(sums, forecasts);
        find_spread<<<1, kThreads>>>(trace + static_cast<std::size_t>((*round)++) * kPlaces, sums);
      },
      [=] { return device_sum(reinterpret_cast<const float*>(trace), std::size_t{kRounds} * kPlaces * 2); },
      kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, nullptr, [] { return make(); });
}
