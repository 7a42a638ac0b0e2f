// Moves gas through an unstructured mesh of 8.4 million cells of four sides: speeds of waves for the time
// step, two stages of fluxes by Rusanov's scheme, and a sensor of shocks that is smoothed. A step a round.
// At fault: cells bear the numbers that the mesh generator gave them, at random, so the states of neighbours
// are read from all over memory; cells along a space-filling curve have their neighbours near. The pattern is
// that of MPAS-Dev/MPAS-Tools, pull request 515, and FEniCS/dolfinx, pull request 1571: cells renumbered
// once.
#include <cub/cub.cuh>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWideBits = 12, kHighBits = 11, kBits = kWideBits + kHighBits;
constexpr int kWide = 1 << kWideBits, kHigh = 1 << kHighBits, kCells = 1 << kBits;
constexpr int kThreads = 256, kBlocks = kCells / kThreads, kSpeedBlocks = 132 * 8, kSides = 4, kRounds = 2400;
constexpr float kCourant = 0.2F, kGamma = 1.4F;
constexpr unsigned kMask = 0xffffffffU;

// Of each cell: its neighbours, and normals of its sides as long as these.
struct Mesh {
  int4* neighbours;
  float4 *normals_x, *normals_y;
  float* inverse_areas;
};

// Density, momentum and energy.
struct Flow {
  float4 *now, *half;
  float *sensor, *smoothed;
  int* speeds;  // the bits of the highest speed, in this step and the next one
};

__device__ int own_cell() {
  return static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
}

__device__ float pressure_of(float4 state) {
  return (kGamma - 1) * (state.w - 0.5F * (state.y * state.y + state.z * state.z) / state.x);
}

__device__ float sound_in(float4 state) {
  return sqrtf(kGamma * fmaxf(pressure_of(state), 1e-3F) / state.x);
}

// What leaves `own` through a side.
__device__ float4 flux(float4 own, float4 other, float x, float y) {
  const float length = sqrtf(x * x + y * y);
  const float out_own = (own.y * x + own.z * y) / own.x, out_other = (other.y * x + other.z * y) / other.x;
  const float push_own = pressure_of(own), push_other = pressure_of(other), push = push_own + push_other;
  const float fastest =
      fmaxf(fabsf(out_own) + length * sound_in(own), fabsf(out_other) + length * sound_in(other));
  return make_float4(0.5F * (own.x * out_own + other.x * out_other - fastest * (other.x - own.x)),
                     0.5F * (own.y * out_own + other.y * out_other + push * x - fastest * (other.y - own.y)),
                     0.5F * (own.z * out_own + other.z * out_other + push * y - fastest * (other.z - own.z)),
                     0.5F * ((own.w + push_own) * out_own + (other.w + push_other) * out_other -
                             fastest * (other.w - own.w)));
}

__global__ void __launch_bounds__(kThreads) find_speed(int* highest, const float4* __restrict__ states) {
  __shared__ float warps[kThreads / 32];
  float speed = 0;
  for (int cell = own_cell(); cell < kCells; cell += kSpeedBlocks * kThreads) {
    const float4 state = states[cell];
    speed = fmaxf(speed, sqrtf(state.y * state.y + state.z * state.z) / state.x + sound_in(state));
  }
  for (int far = 16; far > 0; far /= 2) speed = fmaxf(speed, __shfl_xor_sync(kMask, speed, far));
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = speed;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (const float warp : warps) speed = fmaxf(speed, warp);
  atomicMax(highest, __float_as_int(speed));
}

// The first stage goes half a step, and marks shocks.
template <bool kFirst>
__global__ void __launch_bounds__(kThreads)
    take_fluxes(float4* __restrict__ to, float* __restrict__ sensor, const float4* __restrict__ from,
                Mesh mesh, const int* highest, int* later) {
  const int cell = own_cell();
  const int4 others = mesh.neighbours[cell];
  const float4 xs = mesh.normals_x[cell], ys = mesh.normals_y[cell], own = from[cell];
  const int at[kSides] = {others.x, others.y, others.z, others.w};
  const float x[kSides] = {xs.x, xs.y, xs.z, xs.w}, y[kSides] = {ys.x, ys.y, ys.z, ys.w};
  float4 lost = make_float4(0, 0, 0, 0);
  float jump = 0;
#pragma unroll
  for (int side = 0; side < kSides; ++side) {
    const float4 other = from[at[side]];  // fault
    const float4 out = flux(own, other, x[side], y[side]);
    lost = make_float4(lost.x + out.x, lost.y + out.y, lost.z + out.z, lost.w + out.w);
    jump = fmaxf(jump, fabsf(other.x - own.x) / (other.x + own.x));
  }
  const float step = (kFirst ? 0.5F : 1.0F) * kCourant / __int_as_float(*highest) * mesh.inverse_areas[cell];
  const float4 base = kFirst ? own : to[cell];
  to[cell] = make_float4(base.x - step * lost.x, base.y - step * lost.y, base.z - step * lost.z,
                         base.w - step * lost.w);
  if (kFirst) sensor[cell] = jump;
  if (!kFirst && cell == 0) *later = 0;
}

__global__ void __launch_bounds__(kThreads)
    smooth_sensor(float* __restrict__ smoothed, const float* __restrict__ sensor,
                  const int4* __restrict__ neighbours) {
  const int cell = own_cell();
  const int4 at = neighbours[cell];
  const float around = sensor[at.x] + sensor[at.y] + sensor[at.z] + sensor[at.w];  // fault
  smoothed[cell] = 0.9F * smoothed[cell] + 0.05F * sensor[cell] + 0.0125F * around;
}

// A permutation of the numbers of cells, which looks random.
__device__ int scrambled(int place) {
  auto bits = static_cast<unsigned>(place);
  for (int turn = 0; turn < 3; ++turn) {
    bits ^= bits >> 12;
    bits = bits * 0x2545f491U & (kCells - 1);
  }
  return static_cast<int>(bits ^ bits >> 12);
}

__device__ int numbered(int column, int row) {
  return scrambled((row & (kHigh - 1)) * kWide + (column & (kWide - 1)));
}

__device__ float2 corner(int column, int row) {
  const auto at = static_cast<unsigned>((row & (kHigh - 1)) * kWide + (column & (kWide - 1)));
  return make_float2(static_cast<float>(column) + 0.3F * (mixed_fraction(at) - 0.5F),
                     static_cast<float>(row) + 0.3F * (mixed_fraction(~at) - 0.5F));
}

// The bits of both in turn.
__device__ unsigned along_curve(unsigned column, unsigned row) {
  unsigned key = 0;
  for (int bit = 0; bit < kWideBits; ++bit) {
    key |= (column >> bit & 1) << 2 * bit;
    key |= (row >> bit & 1) << (2 * bit + 1);
  }
  return key;
}

// Stands for the mesh generator. Opposite borders meet.
__global__ void __launch_bounds__(kThreads) generate(Mesh mesh, Flow flow, unsigned* keys, int* cells) {
  const int place = own_cell(), column = place % kWide, row = place / kWide, cell = numbered(column, row);
  const float2 sw = corner(column, row), se = corner(column + 1, row);
  const float2 nw = corner(column, row + 1), ne = corner(column + 1, row + 1);
  mesh.neighbours[cell] = make_int4(numbered(column - 1, row), numbered(column + 1, row),
                                    numbered(column, row - 1), numbered(column, row + 1));
  mesh.normals_x[cell] = make_float4(sw.y - nw.y, ne.y - se.y, se.y - sw.y, nw.y - ne.y);
  mesh.normals_y[cell] = make_float4(nw.x - sw.x, se.x - ne.x, sw.x - se.x, ne.x - nw.x);
  const float area = 0.5F * ((ne.x - sw.x) * (nw.y - se.y) - (nw.x - se.x) * (ne.y - sw.y));
  mesh.inverse_areas[cell] = 1 / area;
  const bool dense = (column / 128 + row / 128) % 2 == 0;
  flow.now[cell] = make_float4(dense ? 1.4F : 1.0F, dense ? 0.3F : -0.1F, 0.1F, dense ? 3.2F : 2.5F);
  flow.smoothed[cell] = 0;
  keys[cell] = along_curve(static_cast<unsigned>(column), static_cast<unsigned>(row));
  cells[cell] = cell;
}

__global__ void __launch_bounds__(kThreads) find_places(int* places, const int* order) {
  places[order[own_cell()]] = own_cell();
}

__global__ void __launch_bounds__(kThreads)
    move_cells(Mesh to, float4* now, Mesh from, const float4* before, const int* order, const int* places) {
  const int cell = own_cell(), old = order[cell];
  const int4 at = from.neighbours[old];
  to.neighbours[cell] = make_int4(places[at.x], places[at.y], places[at.z], places[at.w]);
  to.normals_x[cell] = from.normals_x[old];
  to.normals_y[cell] = from.normals_y[old];
  to.inverse_areas[cell] = from.inverse_areas[old];
  now[cell] = before[old];
}

Mesh new_mesh() {
  return {device_array<int4>(kCells), device_array<float4>(kCells), device_array<float4>(kCells),
          device_array<float>(kCells)};
}

void free_mesh(const Mesh& mesh) {
  CHECK(cudaFree(mesh.neighbours));
  CHECK(cudaFree(mesh.normals_x));
  CHECK(cudaFree(mesh.normals_y));
  CHECK(cudaFree(mesh.inverse_areas));
}

void renumber(Mesh& mesh, Flow& flow, const unsigned* keys, const int* cells) {
  auto *order = device_array<int>(kCells), *places = device_array<int>(kCells);
  auto* sorted = device_array<unsigned>(kCells);
  std::size_t bytes = 0;
  CHECK(
      cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, sorted, cells, order, kCells, 0, 2 * kWideBits));
  auto* workspace = device_array<char>(bytes);
  CHECK(cub::DeviceRadixSort::SortPairs(workspace, bytes, keys, sorted, cells, order, kCells, 0,
                                        2 * kWideBits));
  find_places<<<kBlocks, kThreads>>>(places, order);
  const Mesh moved = new_mesh();
  move_cells<<<kBlocks, kThreads>>>(moved, flow.half, mesh, flow.now, order, places);
  CHECK(cudaGetLastError());
  std::swap(flow.now, flow.half);
  free_mesh(mesh);
  mesh = moved;
  CHECK(cudaFree(order));
  CHECK(cudaFree(places));
  CHECK(cudaFree(sorted));
  CHECK(cudaFree(workspace));
}

void take_step(const Mesh& mesh, const Flow& flow, int number) {
  int *highest = flow.speeds + number % 2, *later = flow.speeds + (number + 1) % 2;
  find_speed<<<kSpeedBlocks, kThreads>>>(highest, flow.now);
  take_fluxes<true><<<kBlocks, kThreads>>>(flow.half, flow.sensor, flow.now, mesh, highest, later);
  take_fluxes<false><<<kBlocks, kThreads>>>(flow.now, flow.sensor, flow.half, mesh, highest, later);
  smooth_sensor<<<kBlocks, kThreads>>>(flow.smoothed, flow.sensor, mesh.neighbours);
}

Case make(bool renumbers) {
  Mesh mesh = new_mesh();
  Flow flow{device_array<float4>(kCells), device_array<float4>(kCells), device_array<float>(kCells),
            device_array<float>(kCells), device_array<int>(2)};
  CHECK(cudaMemset(flow.speeds, 0, 2 * sizeof(int)));
  auto* keys = device_array<unsigned>(kCells);
  auto* cells = device_array<int>(kCells);
  generate<<<kBlocks, kThreads>>>(mesh, flow, keys, cells);
  CHECK(cudaGetLastError());
  if (renumbers) renumber(mesh, flow, keys, cells);
  CHECK(cudaFree(keys));
  CHECK(cudaFree(cells));
  const auto number = std::make_shared<int>(0);
  return {[=] { take_step(mesh, flow, (*number)++); }, [=] { return device_sum(flow.smoothed, kCells); },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(false); }, [] { return make(true); });
}
