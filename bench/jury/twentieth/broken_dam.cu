// Lets the water of a lake run into a valley of 4096 x 4096 cells when its dam breaks: how deep and how fast
// it is, by the equations of shallow water, with a bed of hills. Only tiles that the water has reached and
// those next to them take part; which these are is found each eight steps. The lake is full again after 4096
// steps. A step a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWide = 4096, kHigh = 4096, kCells = kWide * kHigh, kTileWide = 32, kTileHigh = 8;
constexpr int kThreads = kTileWide * kTileHigh, kTilesWide = kWide / kTileWide;
constexpr int kTilesHigh = kHigh / kTileHigh, kTiles = kTilesWide * kTilesHigh, kBlocks = 132 * 6;
constexpr int kListEvery = 8, kNoteEvery = 16, kLakeEvery = 4096, kLake = 400, kRounds = 52000;
constexpr float kGravity = 9.81F, kStepOverCell = 0.02F, kWet = 1e-6F;
constexpr unsigned kMask = 0xffffffffU;

// Depth, and depth times speed along and across.
struct Water {
  float *depth, *along, *across;
};

struct Valley {
  Water now, later;
  float* bed;
  unsigned char* reached;
  int *active, *counts;  // counts of this list and of the next one
  float* deepest;
  int step;
};

struct State {
  float depth, along, across, bed;
};

struct Flux {
  float depth, along, across;
};

__device__ State read_state(const Water& water, const float* bed, int cell) {
  return {water.depth[cell], water.along[cell], water.across[cell], bed[cell]};
}

__device__ float inverse_depth(float depth) {
  return depth > 1e-4F ? __fdividef(1.0F, depth) : 0;
}

// What flows through an edge between `one` and `other`, and how hard it presses on `one`, with water over the
// higher bed only. `along` is the way through the edge.
__device__ Flux flux_between(const State& one, const State& other, float press_of) {
  const float ground = fmaxf(one.bed, other.bed);
  const float left = fmaxf(one.depth + one.bed - ground, 0),
              right = fmaxf(other.depth + other.bed - ground, 0);
  const float left_inverse = inverse_depth(one.depth), right_inverse = inverse_depth(other.depth);
  const float u = one.along * left_inverse, v = one.across * left_inverse;
  const float far_u = other.along * right_inverse, far_v = other.across * right_inverse;
  const float fastest =
      fmaxf(fabsf(u) + __fsqrt_rn(kGravity * left), fabsf(far_u) + __fsqrt_rn(kGravity * right));
  const float flows = left * u, far_flows = right * far_u, half = 0.5F * fastest;
  const float press = 0.5F * kGravity * (press_of * press_of - left * left);
  return {0.5F * (flows + far_flows) - half * (right - left),
          0.5F * (flows * u + far_flows * far_u + 0.5F * kGravity * (left * left + right * right)) -
              half * (far_flows - flows) + press,
          0.5F * (flows * v + far_flows * far_v) - half * (right * far_v - left * v)};
}

__device__ State turned(const State& state) {
  return {state.depth, state.across, state.along, state.bed};
}

__device__ State mirrored(const State& state) {
  return {state.depth, -state.along, state.across, state.bed};
}

// What a cell loses through its edge to `other`, which lies ahead of it.
__device__ Flux ahead(const State& own, const State& other) {
  return flux_between(own, other, own.depth);
}

// The same for the edge behind it.
__device__ Flux behind(const State& own, const State& other) {
  const Flux flux = flux_between(mirrored(own), mirrored(other), own.depth);
  return {-flux.depth, flux.along, -flux.across};
}

// Blocks take tiles of the list in turn. Water may leave at the rim of the valley.
__global__ void __launch_bounds__(kThreads)
    flow(Water later, Water now, const float* __restrict__ bed, unsigned char* __restrict__ reached,
         const int* __restrict__ active, const int* __restrict__ count) {
  const auto x = static_cast<int>(threadIdx.x % kTileWide), y = static_cast<int>(threadIdx.x / kTileWide);
  const int number = *count;
  for (auto i = static_cast<int>(blockIdx.x); i < number; i += kBlocks) {
    const int tile = active[i], column = tile % kTilesWide * kTileWide + x,
              row = tile / kTilesWide * kTileHigh + y, cell = row * kWide + column;
    const State own = read_state(now, bed, cell);
    const Flux east = ahead(own, read_state(now, bed, column == kWide - 1 ? cell : cell + 1)),
               west = behind(own, read_state(now, bed, column == 0 ? cell : cell - 1));
    const State sideways = turned(own);
    const Flux north = ahead(sideways, turned(read_state(now, bed, row == kHigh - 1 ? cell : cell + kWide))),
               south = behind(sideways, turned(read_state(now, bed, row == 0 ? cell : cell - kWide)));
    const float depth =
        fmaxf(own.depth - kStepOverCell * (east.depth - west.depth + north.depth - south.depth), 0);
    const float drag = depth > 1e-4F ? __fdividef(1.0F, 1 + 2e-3F * __fdividef(1.0F, depth)) : 0;
    later.depth[cell] = depth;
    later.along[cell] =
        drag * (own.along - kStepOverCell * (east.along - west.along + north.across - south.across));
    later.across[cell] =
        drag * (own.across - kStepOverCell * (east.across - west.across + north.along - south.along));
    if (__syncthreads_or(depth > kWet ? 1 : 0) != 0 && threadIdx.x == 0) reached[tile] = 1;
  }
}

// A thread has a tile. Blocks find out where their tiles go in the list.
__global__ void __launch_bounds__(kThreads)
    list_active(int* __restrict__ active, int* __restrict__ counts, const unsigned char* __restrict__ reached,
                int which) {
  __shared__ int warps[kThreads / 32], first;
  const auto thread = static_cast<int>(threadIdx.x), tile = static_cast<int>(blockIdx.x) * kThreads + thread;
  const int column = tile % kTilesWide, row = tile / kTilesWide;
  bool takes_part = false;
#pragma unroll
  for (int y = -1; y <= 1; ++y) {
    const unsigned char* line = reached + min(max(row + y, 0), kTilesHigh - 1) * kTilesWide;
#pragma unroll
    for (int x = -1; x <= 1; ++x)
      takes_part = takes_part || line[min(max(column + x, 0), kTilesWide - 1)] != 0;
  }
  const unsigned together = __ballot_sync(kMask, takes_part);
  const int before = __popc(together & ((1U << thread % 32) - 1));
  if (thread % 32 == 0) warps[thread / 32] = __popc(together);
  __syncthreads();
  int in_block = 0, sum = 0;
  for (int i = 0; i < kThreads / 32; ++i) {
    if (i == thread / 32) in_block = sum;
    sum += warps[i];
  }
  if (thread == 0) first = sum == 0 ? 0 : atomicAdd(counts + which, sum);
  if (tile == 0) counts[1 - which] = 0;
  __syncthreads();
  if (takes_part) active[first + in_block + before] = tile;
}

// How deep the water in a tile ever was. Blocks take tiles of the list in turn.
__global__ void __launch_bounds__(kThreads)
    note_depths(float* __restrict__ deepest, const float* __restrict__ depths, const int* __restrict__ active,
                const int* __restrict__ count) {
  const auto lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  const int number = *count;
  for (int i = static_cast<int>(blockIdx.x) * (kThreads / 32) + warp; i < number;
       i += kBlocks * (kThreads / 32)) {
    const int tile = active[i];
    const float* own = depths + tile / kTilesWide * kTileHigh * kWide + tile % kTilesWide * kTileWide + lane;
    float depth = 0;
#pragma unroll
    for (int row = 0; row < kTileHigh; ++row) depth = fmaxf(depth, own[row * kWide]);
    for (int far = 16; far > 0; far /= 2) depth = fmaxf(depth, __shfl_xor_sync(kMask, depth, far));
    if (lane == 0) deepest[tile] += depth;
  }
}

// Hills, between which the valley falls away from the lake.
__global__ void __launch_bounds__(kThreads) fill_lake(Valley valley) {
  const auto cell = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int column = cell % kWide, row = cell / kWide;
  const auto x = static_cast<float>(column), y = static_cast<float>(row - kHigh / 2);
  const float bed = 6 - 0.002F * x + 1e-6F * y * y + 0.5F * __sinf(0.02F * x) * __sinf(0.03F * y);
  const bool in_lake = column < kLake && row > kHigh / 4 && row < kHigh * 3 / 4;
  const float depth = in_lake ? fmaxf(18 - bed, 0) : 0;
  valley.bed[cell] = bed;
  valley.now.depth[cell] = valley.later.depth[cell] = depth;
  valley.now.along[cell] = valley.later.along[cell] = 0;
  valley.now.across[cell] = valley.later.across[cell] = 0;
  if (column % kTileWide == 0 && row % kTileHigh == 0)
    valley.reached[row / kTileHigh * kTilesWide + column / kTileWide] =
        column < kLake && row + kTileHigh > kHigh / 4 && row < kHigh * 3 / 4 ? 1 : 0;
}

void take_step(Valley& valley) {
  if (valley.step % kLakeEvery == 0) fill_lake<<<kCells / kThreads, kThreads>>>(valley);
  const int which = valley.step / kListEvery % 2;
  if (valley.step % kListEvery == 0)
    list_active<<<kTiles / kThreads, kThreads>>>(valley.active, valley.counts, valley.reached, which);
  flow<<<kBlocks, kThreads>>>(valley.later, valley.now, valley.bed, valley.reached, valley.active,
                              valley.counts + which);
  std::swap(valley.now, valley.later);
  if (++valley.step % kNoteEvery == 0)
    note_depths<<<kBlocks, kThreads>>>(valley.deepest, valley.now.depth, valley.active,
                                       valley.counts + which);
}

Water new_water() {
  return {device_array<float>(kCells), device_array<float>(kCells), device_array<float>(kCells)};
}

Case make() {
  const auto valley = std::make_shared<Valley>();
  *valley = {new_water(),
             new_water(),
             device_array<float>(kCells),
             device_array<unsigned char>(kTiles),
             device_array<int>(kTiles),
             device_array<int>(2),
             device_array<float>(kTiles),
             0};
  CHECK(cudaMemset(valley->counts, 0, 2 * sizeof(int)));
  CHECK(cudaMemset(valley->deepest, 0, kTiles * sizeof(float)));
  return {[=] { take_step(*valley); }, [=] { return device_sum(valley->deepest, kTiles); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, nullptr, [] { return make(); });
}
