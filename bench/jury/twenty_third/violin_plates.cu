// How the plate of a violin bends under its bridge: for each place of the bow, the bridge pushes on the
// plate, and conjugate gradients find how far each point of the plate gives way. The solver is one
// cooperative kernel, as all of its vectors stay in the L2. A place of the bow a round.
#include <cooperative_groups.h>
#include <memory>

#include "../case.cuh"

namespace cg = cooperative_groups;

namespace {

constexpr int kWide = 1536, kHigh = 1024, kCells = kWide * kHigh, kThreads = 256, kIterations = 24;
constexpr int kWarps = kThreads / 32, kSpots = 256, kRounds = 3700;
constexpr float kMass = 0.01F;
constexpr unsigned kMask = 0xffffffffU;

struct Plate {
  float *thickness, *bent, *residual, *direction, *image, *partial, *spots;
  int blocks, round;
};

__device__ float sum_of_block(float own) {
  __shared__ float warps[kWarps];
  for (int far = 16; far > 0; far /= 2) own += __shfl_xor_sync(kMask, own, far);
  __syncthreads();
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = own;
  __syncthreads();
  float sum = 0;
  for (const float warp : warps) sum += warp;
  return sum;
}

// The sum over the whole grid, known to all blocks. A slot is free again after the next sum but one.
__device__ float sum_of_grid(const cg::grid_group& grid, float* partial, float own) {
  const float block = sum_of_block(own);
  if (threadIdx.x == 0) partial[blockIdx.x] = block;
  grid.sync();
  float sum = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += kThreads) sum += __ldcg(partial + i);
  return sum_of_block(sum);
}

// Stiff where the wood is thick. The rim is held.
__device__ float applied(const float* direction, const float* __restrict__ thickness, int cell) {
  const int x = cell % kWide, y = cell / kWide;
  const float own = direction[cell], stiff = thickness[cell];
  float result = kMass * own;
  const auto spring = [&](bool inside, int other) {
    result += inside ? 0.5F * (stiff + thickness[other]) * (own - direction[other]) : stiff * own;
  };
  spring(x > 0, cell - 1);
  spring(x < kWide - 1, cell + 1);
  spring(y > 0, cell - kWide);
  spring(y < kHigh - 1, cell + kWide);
  return result;
}

// Both feet of the bridge push, by turns more and less.
__global__ void __launch_bounds__(kThreads)
    push(float* __restrict__ bent, float* __restrict__ residual, float* __restrict__ direction, float bow) {
  const auto cell = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const float x = static_cast<float>(cell % kWide) - kWide / 2, y = static_cast<float>(cell / kWide);
  const float bass = y - 400, treble = y - 624;
  const float force = (1 + 0.5F * __sinf(bow)) * __expf(-1e-3F * (x * x + bass * bass)) +
                      (1 - 0.5F * __cosf(2 * bow)) * __expf(-1e-3F * (x * x + treble * treble));
  bent[cell] = 0;
  residual[cell] = force;
  direction[cell] = force;
}

__global__ void __launch_bounds__(kThreads) bend(float* bent, float* residual, float* direction, float* image,
                                                 float* partial, const float* __restrict__ thickness) {
  const cg::grid_group grid = cg::this_grid();
  const auto first = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const auto all = static_cast<int>(gridDim.x * kThreads);
  float *one = partial, *other = partial + gridDim.x;
  float own = 0;
  for (int cell = first; cell < kCells; cell += all) own += residual[cell] * residual[cell];
  float square = sum_of_grid(grid, one, own);
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    own = 0;
    for (int cell = first; cell < kCells; cell += all) {
      const float result = applied(direction, thickness, cell);
      image[cell] = result;
      own += result * direction[cell];
    }
    const float step = square / (sum_of_grid(grid, other, own) + 1e-30F);
    own = 0;
    for (int cell = first; cell < kCells; cell += all) {
      bent[cell] += step * direction[cell];
      const float left = residual[cell] - step * image[cell];
      residual[cell] = left;
      own += left * left;
    }
    const float next = sum_of_grid(grid, one, own);
    const float keep = next / (square + 1e-30F);
    square = next;
    for (int cell = first; cell < kCells; cell += all)
      direction[cell] = residual[cell] + keep * direction[cell];
    grid.sync();
  }
}

// A block has a part of the plate. `spots` are over all rounds.
__global__ void __launch_bounds__(kThreads)
    listen(float* __restrict__ spots, const float* __restrict__ bent) {
  constexpr int kPart = kCells / kSpots;
  float own = 0;
#pragma unroll 8
  for (int i = static_cast<int>(threadIdx.x); i < kPart; i += kThreads)
    own += fabsf(bent[static_cast<int>(blockIdx.x) * kPart + i]);
  own = sum_of_block(own);
  if (threadIdx.x == 0) spots[blockIdx.x] += 1e-3F * own / kPart;
}

// Thick in the middle, thin near the rim, and not quite even.
__global__ void __launch_bounds__(kThreads) carve(float* thickness) {
  const auto cell = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const float x = static_cast<float>(cell % kWide) / kWide - 0.5F;
  const float y = static_cast<float>(cell / kWide) / kHigh - 0.5F;
  thickness[cell] =
      0.4F + 0.6F * __expf(-6 * (x * x + y * y)) + 0.05F * mixed_fraction(static_cast<unsigned>(cell));
}

void draw_bow(Plate& plate) {
  const float bow = 0.01F * static_cast<float>(plate.round++);
  push<<<kCells / kThreads, kThreads>>>(plate.bent, plate.residual, plate.direction, bow);
  void* arguments[] = {&plate.bent,  &plate.residual, &plate.direction,
                       &plate.image, &plate.partial,  &plate.thickness};
  CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(bend),
                                    dim3(static_cast<unsigned>(plate.blocks)), dim3(kThreads), arguments, 0,
                                    nullptr));
  listen<<<kSpots, kThreads>>>(plate.spots, plate.bent);
}

Case make() {
  const auto plate = std::make_shared<Plate>();
  for (float** vector : {&plate->thickness, &plate->bent, &plate->residual, &plate->direction, &plate->image})
    *vector = device_array<float>(kCells);
  int device = 0, processors = 0, of_processor = 0;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_processor, bend, kThreads, 0));
  plate->blocks = processors * of_processor;
  plate->partial = device_array<float>(2 * static_cast<std::size_t>(plate->blocks));
  plate->spots = device_array<float>(kSpots);
  carve<<<kCells / kThreads, kThreads>>>(plate->thickness);
  CHECK(cudaGetLastError());
  CHECK(cudaMemset(plate->spots, 0, kSpots * sizeof(float)));
  return {[=] { draw_bow(*plate); }, [=] { return device_sum(plate->spots, kSpots); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, nullptr, [] { return make(); });
}
