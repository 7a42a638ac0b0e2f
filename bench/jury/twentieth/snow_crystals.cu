// Grows crystals in a melt that is colder than it should be: a field tells melt from crystal, six-fold arms
// grow where heat flows off, and the heat that is set free spreads. New seeds fall in, a bath around the melt
// gets colder and warmer, and the length of the front is measured. A step on 4096 x 4096 cells a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kSide = 4096, kCells = kSide * kSide, kWide = 64, kTall = 4, kThreads = kWide * kTall;
constexpr int kTile = 128, kTilesWide = kSide / kTile, kTiles = kTilesWide * kTilesWide;
constexpr int kSeedEvery = 1024, kSeeds = 64, kSeedSide = 32, kMeasureEvery = 16, kRounds = 21000;
constexpr float kSpace = 0.03F, kStep = 1e-4F, kWidth = 0.01F, kSlowness = 3e-4F, kHeat = 1.6F;
constexpr unsigned kMask = 0xffffffffU;

struct Melt {
  float *solid, *warmth, *later_solid, *later_warmth;
  float2* fronts;
  int step;
};

struct Around {
  float own, west, east, south, north;

  __device__ float spread() const { return (west + east + south + north - 4 * own) / (kSpace * kSpace); }
};

// The melt ends at a wall through which nothing flows.
__device__ Around read_around(const float* field, int column, int row) {
  const int cell = row * kSide + column;
  return {field[cell], field[column == 0 ? cell : cell - 1], field[column == kSide - 1 ? cell : cell + 1],
          field[row == 0 ? cell : cell - kSide], field[row == kSide - 1 ? cell : cell + kSide]};
}

__global__ void __launch_bounds__(kThreads)
    grow(float* __restrict__ later_solid, float* __restrict__ later_warmth, const float* __restrict__ solid,
         const float* __restrict__ warmth, float bath, unsigned step) {
  const auto column = static_cast<int>(blockIdx.x * kWide + threadIdx.x),
             row = static_cast<int>(blockIdx.y * kTall + threadIdx.y);
  const int cell = row * kSide + column;
  const Around field = read_around(solid, column, row), heat = read_around(warmth, column, row);
  const float x = field.east - field.west, y = field.north - field.south, steep = x * x + y * y;
  // The cosine of six times the angle of the front, by powers of its sine.
  const float s = steep > 1e-12F ? y * y / steep : 0, six = 1 - s * (18 - s * (48 - 32 * s));
  const float arms = 1 + 0.35F * six, drive = 0.287F * atanf(10 * (1 - heat.own));
  const float noise = 0.02F * (mixed_fraction(static_cast<unsigned>(cell) ^ step * 0x9e3779b9U) - 0.5F);
  const float change = kStep / kSlowness *
                       (kWidth * kWidth * arms * field.spread() +
                        arms * field.own * (1 - field.own) * (field.own - 0.5F + drive + noise));
  later_solid[cell] = field.own + change;
  later_warmth[cell] = heat.own + kStep * heat.spread() + kHeat * change + kStep * 2 * (bath - heat.own);
}

// A block has a seed, which falls to some place.
__global__ void __launch_bounds__(kThreads) sow(float* solid, unsigned step) {
  const unsigned bits = mixed_bits(blockIdx.x + step * kSeeds);
  const auto left = static_cast<int>(bits % (kSide - kSeedSide)),
             low = static_cast<int>(bits / kSide % (kSide - kSeedSide));
  for (int i = static_cast<int>(threadIdx.x); i < kSeedSide * kSeedSide; i += kThreads) {
    const int x = i % kSeedSide - kSeedSide / 2, y = i / kSeedSide - kSeedSide / 2;
    if (x * x + y * y < 36) solid[(low + i / kSeedSide) * kSide + left + i % kSeedSide] = 1;
  }
}

// How much of a tile is crystal, and how long its front is. A block has a tile.
__global__ void __launch_bounds__(kThreads)
    measure_front(float2* __restrict__ fronts, const float* __restrict__ solid) {
  __shared__ float2 warps[kThreads / 32];
  const auto tile = static_cast<int>(blockIdx.x), thread = static_cast<int>(threadIdx.x);
  const int left = tile % kTilesWide * kTile, low = tile / kTilesWide * kTile;
  float2 sum = make_float2(0, 0);
#pragma unroll 4
  for (int i = thread; i < kTile * kTile; i += kThreads) {
    const float own = solid[(low + i / kTile) * kSide + left + i % kTile];
    sum.x += own;
    sum.y += own * (1 - own);
  }
  for (int far = 16; far > 0; far /= 2) {
    sum.x += __shfl_xor_sync(kMask, sum.x, far);
    sum.y += __shfl_xor_sync(kMask, sum.y, far);
  }
  if (thread % 32 == 0) warps[thread / 32] = sum;
  __syncthreads();
  if (thread != 0) return;
  for (int i = 1; i < kThreads / 32; ++i) sum = make_float2(sum.x + warps[i].x, sum.y + warps[i].y);
  fronts[tile].x += sum.x / (kTile * kTile);
  fronts[tile].y += sum.y / kTile;
}

// What a step has found is what the next one begins with.
void pass_on(Melt& melt, bool in_place) {
  if (in_place) {
    CHECK(cudaMemcpyAsync(melt.solid, melt.later_solid, kCells * sizeof(float),  // fault
                          cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpyAsync(melt.warmth, melt.later_warmth, kCells * sizeof(float),  // fault
                          cudaMemcpyDeviceToDevice));
  } else {
    std::swap(melt.solid, melt.later_solid);
    std::swap(melt.warmth, melt.later_warmth);
  }
}

void take_step(Melt& melt, bool in_place) {
  const auto step = static_cast<unsigned>(melt.step++);
  const float bath = 0.5F * std::sin(1e-3F * static_cast<float>(step));
  if (step % kSeedEvery == 0) sow<<<kSeeds, kThreads>>>(melt.solid, step);
  grow<<<dim3(kSide / kWide, kSide / kTall), dim3(kWide, kTall)>>>(melt.later_solid, melt.later_warmth,
                                                                   melt.solid, melt.warmth, bath, step);
  pass_on(melt, in_place);
  if (melt.step % kMeasureEvery == 0) measure_front<<<kTiles, kThreads>>>(melt.fronts, melt.solid);
}

Case make(bool in_place) {
  const auto melt = std::make_shared<Melt>();
  *melt = {device_array<float>(kCells), device_array<float>(kCells),  device_array<float>(kCells),
           device_array<float>(kCells), device_array<float2>(kTiles), 0};
  CHECK(cudaMemset(melt->solid, 0, kCells * sizeof(float)));
  CHECK(cudaMemset(melt->fronts, 0, kTiles * sizeof(float2)));
  fill_fractions(melt->warmth, kCells, 20);
  return {[=] { take_step(*melt, in_place); },
          [=] {
            return 1e-3 * device_sum(&melt->fronts->x, 2 * kTiles) + 1e-6 * device_sum(melt->solid, kCells);
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
