// Lets an alloy of two metals part while it cools: Cahn-Hilliard's equation on 384 x 384 x 384 cells, where
// atoms move more easily in mixed places. A step a round; the energy is summed every 32 steps.
// At fault: the new composition is written to a second array, and then copied back over the first one, which
// is more than a quarter of the traffic of a step; the two arrays could change places. The pattern is that of
// arbor-sim/arbor, pull request 1027, and NVIDIA/cuml, pull request 3096: pointers swapped, nothing copied.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kSide = 384, kPlane = kSide * kSide, kCells = kPlane * kSide;
constexpr int kThreads = 384, kLines = kSide * kSide, kEnergyEvery = 32, kRounds = 10000;
constexpr std::size_t kBytes = kCells * sizeof(float);
constexpr float kStep = 0.01F, kGradient = 0.7F;
constexpr unsigned kMask = 0xffffffffU;

// A cell and its six neighbours; opposite faces of the box meet.
struct Around {
  int own, west, east, south, north, below, above;
};

__device__ Around around_own() {
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(blockIdx.x),
            z = static_cast<int>(blockIdx.y);
  const int line = z * kPlane + y * kSide, layer = z * kPlane + x, column = y * kSide + x;
  return {line + x,
          line + (x == 0 ? kSide - 1 : x - 1),
          line + (x == kSide - 1 ? 0 : x + 1),
          layer + (y == 0 ? kSide - 1 : y - 1) * kSide,
          layer + (y == kSide - 1 ? 0 : y + 1) * kSide,
          column + (z == 0 ? kSide - 1 : z - 1) * kPlane,
          column + (z == kSide - 1 ? 0 : z + 1) * kPlane};
}

__device__ float mobility(float one, float other) {
  const float mean = 0.5F * (one + other);
  return fmaxf(1 - mean * mean, 0.02F);
}

// What pushes atoms: the slope of the free energy, and the surface between the phases.
__global__ void __launch_bounds__(kThreads)
    find_potential(float* __restrict__ potential, const float* __restrict__ part, float warmth) {
  const Around at = around_own();
  const float own = part[at.own];
  const float sum =
      part[at.west] + part[at.east] + part[at.south] + part[at.north] + part[at.below] + part[at.above];
  potential[at.own] = own * (own * own - 1 + warmth) - kGradient * (sum - 6 * own);
}

__global__ void __launch_bounds__(kThreads)
    move_atoms(float* __restrict__ next, const float* __restrict__ part,
               const float* __restrict__ potential) {
  const Around at = around_own();
  const float own = part[at.own], pushed = potential[at.own];
  const auto flow = [&](int other) { return mobility(own, part[other]) * (potential[other] - pushed); };
  const float gained =
      flow(at.west) + flow(at.east) + flow(at.south) + flow(at.north) + flow(at.below) + flow(at.above);
  next[at.own] = own + kStep * gained;
}

// Of each line, by its block.
__global__ void __launch_bounds__(kThreads)
    sum_energy(float* __restrict__ lines, const float* __restrict__ part, float warmth) {
  __shared__ float warps[kThreads / 32];
  const Around at = around_own();
  const float own = part[at.own], square = own * own;
  const float x = part[at.east] - own, y = part[at.north] - own, z = part[at.above] - own;
  float energy =
      0.25F * square * square - 0.5F * (1 - warmth) * square + 0.5F * kGradient * (x * x + y * y + z * z);
  for (int far = 16; far > 0; far /= 2) energy += __shfl_xor_sync(kMask, energy, far);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = energy;
  __syncthreads();
  if (threadIdx.x != 0) return;
  float sum = 0;
  for (const float warp : warps) sum += warp;
  lines[blockIdx.y * kSide + blockIdx.x] += sum;
}

__global__ void __launch_bounds__(kThreads) melt(float* part) {
  const int i = around_own().own;
  part[i] = 0.1F + 0.4F * (mixed_fraction(static_cast<unsigned>(i)) - 0.5F);
}

struct Alloy {
  float *part, *next, *potential, *lines;
  int step;

  float warmth() const { return 0.5F / (1 + 0.001F * static_cast<float>(step)); }
};

void take_step(Alloy& alloy, bool copies) {
  const dim3 blocks(kSide, kSide);
  find_potential<<<blocks, kThreads>>>(alloy.potential, alloy.part, alloy.warmth());
  move_atoms<<<blocks, kThreads>>>(alloy.next, alloy.part, alloy.potential);
  if (copies) {
    CHECK(cudaMemcpyAsync(alloy.part, alloy.next, kBytes, cudaMemcpyDeviceToDevice));  // fault
  } else {
    std::swap(alloy.part, alloy.next);
  }
  if (++alloy.step % kEnergyEvery == 0)
    sum_energy<<<blocks, kThreads>>>(alloy.lines, alloy.part, alloy.warmth());
}

Case make(bool copies) {
  const auto alloy = std::make_shared<Alloy>();
  *alloy = {device_array<float>(kCells), device_array<float>(kCells), device_array<float>(kCells),
            device_array<float>(kLines), 0};
  CHECK(cudaMemset(alloy->lines, 0, kLines * sizeof(float)));
  melt<<<dim3(kSide, kSide), kThreads>>>(alloy->part);
  CHECK(cudaGetLastError());
  return {[=] { take_step(*alloy, copies); },
          [=] { return device_sum(alloy->lines, kLines) + device_sum(alloy->part, kCells / 7); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
