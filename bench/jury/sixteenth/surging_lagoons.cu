// Moves shallow water in 4096 x 4096 cells by finite volumes: what flows through the sides of the cells,
// by Rusanov's scheme, and then the change of depth and momentum. A step a round.
// At fault: one kernel stores what flows through all sides, and another one reads it for the change, so six
// arrays are written and read that nobody needs. The pattern is that of trixi-gpu/TrixiCUDA.jl, pull
// request 102, and SeisSol/SeisSol, pull request 1487: flows and changes by one kernel, in registers.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWide = 4096, kHigh = 4096, kCells = kWide * kHigh, kThreads = 256, kRounds = 14000;
constexpr float kStep = 0.08F, kHalfGravity = 4.905F, kRootOfGravity = 3.1320919F;

// Depth, and momentum eastwards and northwards; each has an array, one after the other.
struct Water {
  float depth, east, north;
};

// Both ends meet.
__device__ int eastwards(int cell, int by) {
  return (cell & -kWide) + ((cell + by) & (kWide - 1));
}
__device__ int northwards(int cell, int by) {
  return (cell + by * kWide) & (kCells - 1);
}

__device__ Water load(const float* from, int cell) {
  return {from[cell], from[kCells + cell], from[2 * kCells + cell]};
}

__device__ void store(float* to, int cell, Water water) {
  to[cell] = water.depth;
  to[kCells + cell] = water.east;
  to[2 * kCells + cell] = water.north;
}

// What flows from `low` to `high` along the first momentum.
__device__ Water flow(Water low, Water high) {
  const float low_speed = __fdividef(low.east, low.depth), high_speed = __fdividef(high.east, high.depth);
  const float low_wave = kRootOfGravity * low.depth * rsqrtf(low.depth);
  const float high_wave = kRootOfGravity * high.depth * rsqrtf(high.depth);
  const float fastest = fmaxf(fabsf(low_speed) + low_wave, fabsf(high_speed) + high_wave);
  const float low_push = low.east * low_speed + kHalfGravity * low.depth * low.depth;
  const float high_push = high.east * high_speed + kHalfGravity * high.depth * high.depth;
  return {0.5F * (low.east + high.east - fastest * (high.depth - low.depth)),
          0.5F * (low_push + high_push - fastest * (high.east - low.east)),
          0.5F * (low.north * low_speed + high.north * high_speed - fastest * (high.north - low.north))};
}

__device__ Water turned(Water water) {
  return {water.depth, water.north, water.east};
}

__device__ Water changed(Water own, Water west, Water east, Water south, Water north) {
  return {own.depth + kStep * (west.depth - east.depth + south.depth - north.depth),
          own.east + kStep * (west.east - east.east + south.east - north.east),
          own.north + kStep * (west.north - east.north + south.north - north.north)};
}

// Through the western and the southern side of each cell.
__global__ void __launch_bounds__(kThreads)
    find_flows(float* __restrict__ west, float* __restrict__ south, const float* __restrict__ now) {
  const int cell = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const Water own = load(now, cell);
  store(west, cell, flow(load(now, eastwards(cell, -1)), own));                            // fault
  store(south, cell, turned(flow(turned(load(now, northwards(cell, -1))), turned(own))));  // fault
}

__global__ void __launch_bounds__(kThreads)
    apply_flows(float* __restrict__ now, const float* __restrict__ west, const float* __restrict__ south) {
  const int cell = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const Water from_west = load(west, cell), to_east = load(west, eastwards(cell, 1));       // fault
  const Water from_south = load(south, cell), to_north = load(south, northwards(cell, 1));  // fault
  store(now, cell, changed(load(now, cell), from_west, to_east, from_south, to_north));
}

__global__ void __launch_bounds__(kThreads)
    flow_and_change(float* __restrict__ next, const float* __restrict__ now) {
  const int cell = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const Water own = load(now, cell), across = turned(own);
  const Water west = flow(load(now, eastwards(cell, -1)), own);
  const Water east = flow(own, load(now, eastwards(cell, 1)));
  const Water south = turned(flow(turned(load(now, northwards(cell, -1))), across));
  const Water north = turned(flow(across, turned(load(now, northwards(cell, 1)))));
  store(next, cell, changed(own, west, east, south, north));
}

// A hill of water in each square of 512 cells.
__global__ void __launch_bounds__(kThreads) begin(float* now) {
  const int cell = static_cast<int>(blockIdx.x * kThreads + threadIdx.x), column = cell % kWide,
            row = cell / kWide;
  const auto x = static_cast<float>(column % 512 - 256), y = static_cast<float>(row % 512 - 200);
  const float height = 0.5F + mixed_fraction(static_cast<unsigned>(row / 512 * 8 + column / 512));
  store(now, cell, {1 + height * __expf(-(x * x + y * y) / 5000), 0.1F, 0.05F});
}

Case make(bool stores_flows) {
  constexpr int kBlocks = kCells / kThreads, kAll = 3 * kCells, kSummed = kCells / 5;
  const auto now = std::make_shared<float*>(device_array<float>(kAll));
  const auto next = std::make_shared<float*>(device_array<float>(kAll));
  auto* south = stores_flows ? device_array<float>(kAll) : nullptr;
  begin<<<kBlocks, kThreads>>>(*now);
  CHECK(cudaGetLastError());
  return {[=] {
            if (stores_flows) {
              find_flows<<<kBlocks, kThreads>>>(*next, south, *now);   // fault
              apply_flows<<<kBlocks, kThreads>>>(*now, *next, south);  // fault
            } else {
              flow_and_change<<<kBlocks, kThreads>>>(*next, *now);
              std::swap(*now, *next);
            }
          },
          [=] { return device_sum(*now, kSummed); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
