// Presses water through a porous rock of 128 x 128 x 128 cells by the method of lattice Boltzmann: in each
// cell 19 numbers tell how much water goes which way, and grains of the rock send it back. How fast planes of
// the rock let water through is measured, and silt settles where water is slow. A step a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kSide = 128, kPlane = kSide * kSide, kCells = kPlane * kSide, kWays = 19, kThreads = kSide;
constexpr int kMeasureEvery = 32, kRounds = 21000;
constexpr float kPace = 1.2F, kPush = 2e-6F;
constexpr unsigned kMask = 0xffffffffU, kGrain = 1U << 31;

// Ways come in pairs that are opposite to each other; the first one is to stay.
__device__ constexpr int kAlong[kWays] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
__device__ constexpr int kAcross[kWays] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
__device__ constexpr int kUpwards[kWays] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};

__host__ __device__ constexpr int opposite(int way) {
  return way == 0 ? 0 : way % 2 == 1 ? way + 1 : way - 1;
}

__host__ __device__ constexpr float weight_of(int way) {
  return way == 0 ? 1.0F / 3 : way < 7 ? 1.0F / 18 : 1.0F / 36;
}

// The rock goes on at its other side.
__device__ int cell_at(int x, int y, int z) {
  return (z + kSide) % kSide * kPlane + (y + kSide) % kSide * kSide + (x + kSide) % kSide;
}

struct Cell {
  int x, y, z, own;
};

// A block has a line of cells.
__device__ Cell own_cell() {
  const auto x = static_cast<int>(threadIdx.x), y = static_cast<int>(blockIdx.x),
             z = static_cast<int>(blockIdx.y);
  return {x, y, z, z * kPlane + y * kSide + x};
}

// What comes from cells around; a bit for each way tells whether it would come out of a grain.
__device__ void gather(float (&water)[kWays], const float* before, const Cell& cell, unsigned grains) {
#pragma unroll
  for (int way = 0; way < kWays; ++way) {
    const bool back = (grains >> way & 1U) != 0;
    const int from = cell_at(cell.x - kAlong[way], cell.y - kAcross[way], cell.z - kUpwards[way]);
    water[way] = before[back ? opposite(way) * kCells + cell.own : way * kCells + from];
  }
}

struct Flow {
  float density, x, y, z;
};

__device__ Flow flow_of(const float (&water)[kWays]) {
  Flow flow{};
#pragma unroll
  for (int way = 0; way < kWays; ++way) {
    flow.density += water[way];
    flow.x += static_cast<float>(kAlong[way]) * water[way];
    flow.y += static_cast<float>(kAcross[way]) * water[way];
    flow.z += static_cast<float>(kUpwards[way]) * water[way];
  }
  return flow;
}

// Water in a cell comes nearer to its balance, and is pressed along.
__device__ void relax(float (&water)[kWays]) {
  const Flow flow = flow_of(water);
  const float x = flow.x / flow.density, y = flow.y / flow.density, z = flow.z / flow.density;
  const float slow = 1 - 1.5F * (x * x + y * y + z * z);
#pragma unroll
  for (int way = 0; way < kWays; ++way) {
    const auto along = static_cast<float>(kAlong[way]);
    const float with =
        along * x + static_cast<float>(kAcross[way]) * y + static_cast<float>(kUpwards[way]) * z;
    const float balance = weight_of(way) * flow.density * (slow + with * (3 + 4.5F * with));
    water[way] += kPace * (balance - water[way]) + 3 * weight_of(way) * kPush * along;
  }
}

__device__ void store(float* after, const float (&water)[kWays], const Cell& cell) {
#pragma unroll
  for (int way = 0; way < kWays; ++way) after[way * kCells + cell.own] = water[way];  // fault
}

__global__ void __launch_bounds__(kThreads)
    stream(float* __restrict__ after, const float* __restrict__ before, const unsigned* __restrict__ rock) {
  const Cell cell = own_cell();
  const unsigned grains = rock[cell.own];
  if (grains >= kGrain) return;
  float water[kWays];
  gather(water, before, cell, grains);
  store(after, water, cell);  // fault
}

__global__ void __launch_bounds__(kThreads) collide(float* flowing, const unsigned* __restrict__ rock) {
  const Cell cell = own_cell();
  if (rock[cell.own] >= kGrain) return;
  float water[kWays];
#pragma unroll
  for (int way = 0; way < kWays; ++way) water[way] = flowing[way * kCells + cell.own];  // fault
  relax(water);
  store(flowing, water, cell);
}

__global__ void __launch_bounds__(kThreads)
    flow_on(float* __restrict__ after, const float* __restrict__ before, const unsigned* __restrict__ rock) {
  const Cell cell = own_cell();
  const unsigned grains = rock[cell.own];
  if (grains >= kGrain) return;
  float water[kWays];
  gather(water, before, cell, grains);
  relax(water);
  store(after, water, cell);
}

// Of a line: water that goes along. Silt settles beside grains where water is slow.
__global__ void __launch_bounds__(kThreads)
    measure(double* __restrict__ lines, float* __restrict__ silt, const float* __restrict__ flowing,
            const unsigned* __restrict__ rock) {
  __shared__ float warps[kThreads / 32];
  const Cell cell = own_cell();
  const unsigned grains = rock[cell.own];
  float along = 0;
  if (grains < kGrain) {
    float water[kWays];
#pragma unroll
    for (int way = 0; way < kWays; ++way) water[way] = flowing[way * kCells + cell.own];
    const Flow flow = flow_of(water);
    along = flow.x;
    const float speed = sqrtf(flow.x * flow.x + flow.y * flow.y + flow.z * flow.z);
    if (grains != 0) silt[cell.own] += 1e-3F / (1 + 1e4F * speed);
  }
  for (int far = 16; far > 0; far /= 2) along += __shfl_xor_sync(kMask, along, far);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = along;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < kThreads / 32; ++i) along += warps[i];
  lines[cell.own / kSide] += static_cast<double>(along);
}

// Grains are balls, one in each box of 16 cells a side.
__device__ bool is_grain(int cell) {
  const int x = cell % kSide, y = cell / kSide % kSide, z = cell / kPlane;
  const auto box = static_cast<unsigned>((z / 16 * 64 + y / 16) * 64 + x / 16) * 4;
  const float aside = static_cast<float>(x % 16) - 5 - 6 * mixed_fraction(box),
              away = static_cast<float>(y % 16) - 5 - 6 * mixed_fraction(box + 1),
              up = static_cast<float>(z % 16) - 5 - 6 * mixed_fraction(box + 2);
  const float radius = 3 + 2 * mixed_fraction(box + 3);
  return aside * aside + away * away + up * up < radius * radius;
}

__global__ void __launch_bounds__(kThreads) lay_rock(unsigned* rock, float* one, float* other) {
  const Cell cell = own_cell();
  unsigned grains = is_grain(cell.own) ? kGrain : 0;
  for (int way = 0; way < kWays; ++way) {
    const int from = cell_at(cell.x - kAlong[way], cell.y - kAcross[way], cell.z - kUpwards[way]);
    if (is_grain(from)) grains |= 1U << way;
    one[way * kCells + cell.own] = other[way * kCells + cell.own] = weight_of(way);
  }
  rock[cell.own] = grains;
}

struct Rock {
  float *water, *later;
  unsigned* grains;
  float* silt;
  double* lines;
  int step;
};

void take_step(Rock& rock, bool at_once) {
  const dim3 lines(kSide, kSide);
  if (at_once) {
    flow_on<<<lines, kThreads>>>(rock.later, rock.water, rock.grains);
  } else {
    stream<<<lines, kThreads>>>(rock.later, rock.water, rock.grains);
    collide<<<lines, kThreads>>>(rock.later, rock.grains);
  }
  std::swap(rock.water, rock.later);
  if (++rock.step % kMeasureEvery == 0)
    measure<<<lines, kThreads>>>(rock.lines, rock.silt, rock.water, rock.grains);
}

Case make(bool at_once) {
  constexpr std::size_t kAll = std::size_t{kWays} * kCells;
  const auto rock = std::make_shared<Rock>();
  *rock = {device_array<float>(kAll),   device_array<float>(kAll),    device_array<unsigned>(kCells),
           device_array<float>(kCells), device_array<double>(kPlane), 0};
  CHECK(cudaMemset(rock->silt, 0, kCells * sizeof(float)));
  CHECK(cudaMemset(rock->lines, 0, kPlane * sizeof(double)));
  lay_rock<<<dim3(kSide, kSide), kThreads>>>(rock->grains, rock->water, rock->later);
  CHECK(cudaGetLastError());
  return {[=] { take_step(*rock, at_once); },
          [=] { return device_sum(rock->lines, kPlane) + device_sum(rock->silt, kCells); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(false); }, [] { return make(true); });
}
