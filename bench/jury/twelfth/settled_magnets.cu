// Settles the magnetisation of a film of 512 x 256 cells and four layers, in a field that turns slowly:
// each step sums exchange, grains, the applied field and the dipoles within five cells, turns each cell
// towards it, and chooses the length of the next step by the mean torque.
// At fault: energies and torques are summed by one block of 256 threads, so one multiprocessor works.
// The pattern is that of mumax/plus, issue 175: kernels for sums are locked to one block.
#include <memory>
#include <utility>

#include "../case.cuh"

namespace {

constexpr int kWide = 512, kHigh = 256, kLayers = 4, kPlane = kWide * kHigh, kCells = kPlane * kLayers;
constexpr int kReach = 5, kTaps = 2 * kReach + 1, kOffsets = kTaps * kTaps;
constexpr int kBlockWide = 32, kBlockHigh = 8, kThreads = kBlockWide * kBlockHigh, kSumBlocks = 256;
constexpr int kTileWide = kBlockWide + 2 * kReach, kTileHigh = kBlockHigh + 2 * kReach;
constexpr int kTileCells = kTileWide * kTileHigh, kSteps = 4, kRounds = 3000;
constexpr float kTurn = 0.0005F, kApplied = 1.5F, kExchange = 0.3F, kGrains = 0.4F, kDipoles = 0.6F;

// Each coordinate of all cells is an array.
struct Vectors {
  float *x, *y, *z;
};

struct Film {
  Vectors now, next;
  float* grains;
};

// How dipoles at some layers' distance act: xx, yy, zz, xy, xz, yz.
struct Tensor {
  float parts[kLayers * 6];
};

// What the steps leave for the next one.
struct State {
  float length, energy;
};

using Tile = float[3][kLayers][kTileCells];
using Cells = float3[kLayers];

__device__ float product(float3 one, float3 two) {
  return one.x * two.x + one.y * two.y + one.z * two.z;
}

__device__ void add_scaled(float3& sum, float scale, float3 one) {
  sum = make_float3(sum.x + scale * one.x, sum.y + scale * one.y, sum.z + scale * one.z);
}

__device__ float3 cell_of(const Tile& tile, int layer, int place) {
  return make_float3(tile[0][layer][place], tile[1][layer][place], tile[2][layer][place]);
}

__device__ void stage(Tile& tile, Tensor (&tensors)[kOffsets], const Vectors& now, const Tensor* all) {
  const int left = static_cast<int>(blockIdx.x) * kBlockWide - kReach;
  const int top = static_cast<int>(blockIdx.y) * kBlockHigh - kReach;
  const int thread = static_cast<int>(threadIdx.y * kBlockWide + threadIdx.x);
  for (int place = thread; place < kTileCells; place += kThreads) {
    const int x = (left + place % kTileWide) & (kWide - 1), y = (top + place / kTileWide) & (kHigh - 1);
#pragma unroll
    for (int layer = 0; layer < kLayers; ++layer) {
      const int i = layer * kPlane + y * kWide + x;
      tile[0][layer][place] = now.x[i];
      tile[1][layer][place] = now.y[i];
      tile[2][layer][place] = now.z[i];
    }
  }
  constexpr int kWords = kOffsets * static_cast<int>(sizeof(Tensor) / sizeof(float4));
  for (int i = thread; i < kWords; i += kThreads)
    reinterpret_cast<float4*>(tensors)[i] = reinterpret_cast<const float4*>(all)[i];
  __syncthreads();
}

// What the cells of all layers at an offset add to the fields at the own ones. Below and above differ in the
// signs of xz and yz.
__device__ void add_dipoles(Cells& fields, const Cells& cells, const Tensor& tensor) {
#pragma unroll
  for (int own = 0; own < kLayers; ++own) {
#pragma unroll
    for (int other = 0; other < kLayers; ++other) {
      const float* parts = tensor.parts + 6 * (own < other ? other - own : own - other);
      const float side = own < other ? 1 : -1;
      const float xz = side * parts[4], yz = side * parts[5];
      const float3 cell = cells[other];
      fields[own].x += parts[0] * cell.x + parts[3] * cell.y + xz * cell.z;
      fields[own].y += parts[3] * cell.x + parts[1] * cell.y + yz * cell.z;
      fields[own].z += xz * cell.x + yz * cell.y + parts[2] * cell.z;
    }
  }
}

__device__ void add_neighbours(Cells& fields, const Tile& tile, int place) {
  constexpr int kAround[4] = {-1, 1, -kTileWide, kTileWide};
#pragma unroll
  for (int layer = 0; layer < kLayers; ++layer) {
#pragma unroll
    for (const int around : kAround)
      add_scaled(fields[layer], kExchange, cell_of(tile, layer, place + around));
    if (layer > 0) add_scaled(fields[layer], kExchange, cell_of(tile, layer - 1, place));
    if (layer < kLayers - 1) add_scaled(fields[layer], kExchange, cell_of(tile, layer + 1, place));
  }
}

// A thread has the cells of all layers at its place. The map is of energies and squares of torques.
__global__ void __launch_bounds__(kThreads)
    settle(Vectors next, float2* __restrict__ map, const Vectors now, const float* __restrict__ grains,
           const Tensor* __restrict__ tensors, const State* __restrict__ state, float3 applied) {
  __shared__ Tile tile;
  __shared__ __align__(16) Tensor own_tensors[kOffsets];
  stage(tile, own_tensors, now, tensors);
  const int column = static_cast<int>(threadIdx.x), row = static_cast<int>(threadIdx.y);
  const int place = (row + kReach) * kTileWide + column + kReach;
  Cells fields = {}, cells;
  for (int down = 0; down < kTaps; ++down) {
    for (int right = 0; right < kTaps; ++right) {
      const int there = (row + down) * kTileWide + column + right;
#pragma unroll
      for (int layer = 0; layer < kLayers; ++layer) cells[layer] = cell_of(tile, layer, there);
      add_dipoles(fields, cells, own_tensors[down * kTaps + right]);
    }
  }
  add_neighbours(fields, tile, place);
  const int first = (static_cast<int>(blockIdx.y) * kBlockHigh + row) * kWide +
                    static_cast<int>(blockIdx.x) * kBlockWide + column;
  const float grain = kGrains * grains[first], length = state->length;
#pragma unroll
  for (int layer = 0; layer < kLayers; ++layer) {
    const float3 cell = cell_of(tile, layer, place);
    float3 field = fields[layer];
    field.z += grain * cell.z;
    const float energy = -0.5F * product(cell, field) - product(cell, applied);
    add_scaled(field, 1, applied);
    float3 torque = field, turned = cell;
    add_scaled(torque, -product(cell, field), cell);
    add_scaled(turned, length, torque);
    const float scale = rsqrtf(product(turned, turned));
    const int i = layer * kPlane + first;
    next.x[i] = scale * turned.x;
    next.y[i] = scale * turned.y;
    next.z[i] = scale * turned.z;
    map[i] = make_float2(energy, product(torque, torque));
  }
}

// In the first thread.
__device__ float2 added_in_block(float2 own) {
  __shared__ float2 parts[kThreads / 32];
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int far = 16; far > 0; far /= 2) {
    own.x += __shfl_xor_sync(0xffffffffU, own.x, far);
    own.y += __shfl_xor_sync(0xffffffffU, own.y, far);
  }
  if (thread % 32 == 0) parts[thread / 32] = own;
  __syncthreads();
  if (thread == 0)
    for (int part = 1; part < kThreads / 32; ++part)
      own = make_float2(own.x + parts[part].x, own.y + parts[part].y);
  return own;
}

__global__ void __launch_bounds__(kThreads) sum_map(float2* sums, const float2* __restrict__ map) {
  float2 own = make_float2(0, 0);
  const int all = static_cast<int>(gridDim.x) * kThreads;
#pragma unroll 8
  for (int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x); i < kCells; i += all) {  // fault
    const float2 cell = map[i];                                                                // fault
    own.x += cell.x;
    own.y += cell.y;
  }
  own = added_in_block(own);
  if (threadIdx.x == 0) sums[blockIdx.x] = own;
}

// One block.
__global__ void __launch_bounds__(kThreads) choose_length(State* state, const float2* sums, int blocks) {
  const int thread = static_cast<int>(threadIdx.x);
  const float2 sum = added_in_block(thread < blocks ? sums[thread] : make_float2(0, 0));
  if (thread == 0) *state = {0.3F / (1 + sum.y / kCells), 0.99F * state->energy + sum.x / kCells};
}

__global__ void __launch_bounds__(kThreads) make_film(Film film) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  const float turns = 2 * mixed_fraction(2 * i), up = 1.8F * mixed_fraction(2 * i + 1) - 0.9F;
  const float flat = sqrtf(1 - up * up);
  film.now.x[i] = flat * cospif(turns);
  film.now.y[i] = flat * sinpif(turns);
  film.now.z[i] = up;
  if (i < kPlane) film.grains[i] = mixed_fraction(i / 8 % (kWide / 8) + i / kWide / 8 * 977);
}

Tensor tensor_at(int right, int down) {
  Tensor tensor{};
  for (int apart = 0; apart < kLayers; ++apart) {
    const float square = static_cast<float>(right * right + down * down + apart * apart);
    if (square == 0) continue;
    const float x = static_cast<float>(right), y = static_cast<float>(down), z = static_cast<float>(apart);
    const float scale = kDipoles / (12.5663706F * square * std::sqrt(square)), along = 3 * scale / square;
    const float parts[6] = {along * x * x - scale, along * y * y - scale, along * z * z - scale,
                            along * x * y,         along * x * z,         along * y * z};
    std::copy_n(parts, 6, tensor.parts + 6 * apart);
  }
  return tensor;
}

Tensor* made_tensors() {
  Tensor all[kOffsets];
  for (int i = 0; i < kOffsets; ++i) all[i] = tensor_at(i % kTaps - kReach, i / kTaps - kReach);
  auto* tensors = device_array<Tensor>(kOffsets);
  CHECK(cudaMemcpy(tensors, all, sizeof(all), cudaMemcpyHostToDevice));
  return tensors;
}

Vectors made_vectors() {
  return {device_array<float>(kCells), device_array<float>(kCells), device_array<float>(kCells)};
}

Case make(int sum_blocks) {
  const auto film = std::make_shared<Film>(Film{made_vectors(), made_vectors(), device_array<float>(kPlane)});
  make_film<<<kCells / kThreads, kThreads>>>(*film);
  CHECK(cudaGetLastError());
  const Tensor* tensors = made_tensors();
  auto *map = device_array<float2>(kCells), *sums = device_array<float2>(kSumBlocks);
  const State begin{0.1F, 0};
  auto* state = device_array<State>(1);
  CHECK(cudaMemcpy(state, &begin, sizeof(begin), cudaMemcpyHostToDevice));
  auto number = std::make_shared<int>(0);
  const dim3 blocks(kWide / kBlockWide, kHigh / kBlockHigh), threads(kBlockWide, kBlockHigh);
  return {[=] {
            for (int step = 0; step < kSteps; ++step) {
              const float angle = kTurn * static_cast<float>((*number)++);
              const float3 applied =
                  make_float3(kApplied * std::cos(angle), kApplied * std::sin(angle), 0.3F);
              settle<<<blocks, threads>>>(film->next, map, film->now, film->grains, tensors, state, applied);
              std::swap(film->now, film->next);
              sum_map<<<sum_blocks, kThreads>>>(sums, map);  // fault
              choose_length<<<1, kThreads>>>(state, sums, sum_blocks);
            }
          },
          [=] { return device_sum(&state->energy, 1) + device_sum(film->now.x, kCells) / kCells; }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(1); }, [] { return make(kSumBlocks); });
}
