// Moves shallow water in 4096 x 4096 cells by finite volumes: what flows through the sides of the cells,
// by Rusanov's scheme, and then the change of depth and momentum. A step a round.
// At fault: one kernel stores what flows through all sides, and another one reads it for the change, so six
// arrays are written and read that nobody needs. The pattern is that of trixi-gpu/TrixiCUDA.jl, pull
// request 102, and SeisSol/SeisSol, pull request 1487: flows and changes by one kernel, in registers.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWide = 4096, kHigh = 4096, kCells = kWide * kHigh, kAcross = 64, kDown = 4;
constexpr int kThreads = kAcross * kDown, kRounds = 14000;
constexpr float kStep = 0.08F, kHalfGravity = 4.905F, kRootOfGravity = 3.1320919F;

// Depth, and momentum eastwards and northwards.
struct Water {
  float depth, east, north;
};

struct Fields {
  float *depth, *east, *north;
};

// Both ends meet.
__device__ int cell_at(int column, int row) {
  return (row & (kHigh - 1)) * kWide + (column & (kWide - 1));
}

__device__ Water load(const Fields& from, int cell) {
  return {from.depth[cell], from.east[cell], from.north[cell]};
}

// How fast a wave is.
__device__ float wave(float depth) {
  return kRootOfGravity * depth * rsqrtf(depth);
}

// What flows from `low` to `high` along the first momentum.
__device__ Water flow(Water low, Water high) {
  const float low_speed = __fdividef(low.east, low.depth), high_speed = __fdividef(high.east, high.depth);
  const float fastest = fmaxf(fabsf(low_speed) + wave(low.depth), fabsf(high_speed) + wave(high.depth));
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

__device__ void store(const Fields& to, int cell, Water water) {
  to.depth[cell] = water.depth;
  to.east[cell] = water.east;
  to.north[cell] = water.north;
}

// Through the western and the southern side of each cell.
__global__ void __launch_bounds__(kThreads) find_flows(Fields west, Fields south, Fields now) {
  const int column = static_cast<int>(blockIdx.x * kAcross + threadIdx.x),
            row = static_cast<int>(blockIdx.y * kDown + threadIdx.y), cell = cell_at(column, row);
  const Water own = load(now, cell);
  store(west, cell, flow(load(now, cell_at(column - 1, row)), own));                           // fault
  store(south, cell, turned(flow(turned(load(now, cell_at(column, row - 1))), turned(own))));  // fault
}

__global__ void __launch_bounds__(kThreads) change(Fields now, Fields west, Fields south) {
  const int column = static_cast<int>(blockIdx.x * kAcross + threadIdx.x),
            row = static_cast<int>(blockIdx.y * kDown + threadIdx.y), cell = cell_at(column, row);
  const Water from_west = load(west, cell), to_east = load(west, cell_at(column + 1, row));      // fault
  const Water from_south = load(south, cell), to_north = load(south, cell_at(column, row + 1));  // fault
  store(now, cell, changed(load(now, cell), from_west, to_east, from_south, to_north));
}

__global__ void __launch_bounds__(kThreads) flow_and_change(Fields next, Fields now) {
  const int column = static_cast<int>(blockIdx.x * kAcross + threadIdx.x),
            row = static_cast<int>(blockIdx.y * kDown + threadIdx.y), cell = cell_at(column, row);
  const Water own = load(now, cell), across = turned(own);
  const Water west = flow(load(now, cell_at(column - 1, row)), own);
  const Water east = flow(own, load(now, cell_at(column + 1, row)));
  const Water south = turned(flow(turned(load(now, cell_at(column, row - 1))), across));
  const Water north = turned(flow(across, turned(load(now, cell_at(column, row + 1)))));
  store(next, cell, changed(own, west, east, south, north));
}

// A hill of water in each square of 512 cells.
__global__ void __launch_bounds__(kThreads) begin(Fields now) {
  const int column = static_cast<int>(blockIdx.x * kAcross + threadIdx.x),
            row = static_cast<int>(blockIdx.y * kDown + threadIdx.y);
  const auto x = static_cast<float>(column % 512 - 256), y = static_cast<float>(row % 512 - 200);
  const float height = 0.5F + mixed_fraction(static_cast<unsigned>(row / 512 * 8 + column / 512));
  store(now, cell_at(column, row), {1 + height * __expf(-(x * x + y * y) / 5000), 0.1F, 0.05F});
}

Fields fields() {
  return {device_array<float>(kCells), device_array<float>(kCells), device_array<float>(kCells)};
}

Case make(bool stores_flows) {
  const dim3 blocks(kWide / kAcross, kHigh / kDown), threads(kAcross, kDown);
  const auto now = std::make_shared<Fields>(fields());
  const auto next = std::make_shared<Fields>(fields());
  const Fields south = stores_flows ? fields() : Fields{};
  begin<<<blocks, threads>>>(*now);
  CHECK(cudaGetLastError());
  return {[=] {
            if (stores_flows) {
              find_flows<<<blocks, threads>>>(*next, south, *now);  // fault
              change<<<blocks, threads>>>(*now, *next, south);      // fault
              return;
            }
            flow_and_change<<<blocks, threads>>>(*next, *now);
            std::swap(*now, *next);
          },
          [=] {
            const double pushed = device_sum(now->east, kCells) + device_sum(now->north, kCells);
            return device_sum(now->depth, kCells) + pushed;
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
