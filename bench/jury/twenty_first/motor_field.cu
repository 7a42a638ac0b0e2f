// Finds the magnetic field of an electric motor while its rotor turns: 1024 x 512 nodes around the axle and
// outwards. For each step of the rotor the field is solved by 32 steps of conjugate gradients, from the field
// of the step before, by one kernel whose blocks wait for each other. Iron carries less when the field is
// strong. A step of the rotor a round.
#include <cooperative_groups.h>
#include <memory>

#include "../case.cuh"

namespace {

namespace cg = cooperative_groups;

constexpr int kAround = 1024, kOwn = 4, kBlocks = 128, kOutwards = kOwn * kBlocks,
              kNodes = kAround * kOutwards;
constexpr int kTurns = 32, kWarps = kAround / 32, kThreads = 256, kPoles = 8, kTurn = 4, kRounds = 14000;
constexpr int kGap = 240, kGapWide = 8, kSlots = 48;
constexpr unsigned kMask = 0xffffffffU;

struct Motor {
  float *field, *sources, *reluctance;
  float *edges, *partials;  // what blocks tell each other
  double* torques;
  int step;
};

__device__ bool in_gap(int outwards) {
  return outwards >= kGap && outwards < kGap + kGapWide;
}

// Magnets of the rotor and currents in slots of the stator. A thread has a node.
__global__ void __launch_bounds__(kThreads) place_sources(float* __restrict__ sources, int turned) {
  const auto node = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int around = node % kAround, outwards = node / kAround;
  float source = 0;
  if (outwards >= kGap - 48 && outwards < kGap) {
    const int of_pole = (around - turned + kAround) % kAround % (kAround / kPoles * 2);
    source = of_pole % (kAround / kPoles) < 96 ? (of_pole < kAround / kPoles ? 1.0F : -1.0F) : 0;
  } else if (outwards >= kGap + kGapWide && outwards < kGap + kGapWide + 64) {
    const int slot = around * kSlots / kAround;
    const float phase = 6.2831853F * static_cast<float>(slot % 3) / 3;
    const float angle = 6.2831853F * static_cast<float>(turned * (kPoles / 2)) / kAround;
    source = slot % 2 == 0 ? 0.6F * __cosf(angle + phase) : 0;
  }
  sources[node] = 0.01F * source;
}

// How hard it is for the field to pass through a node.
__global__ void __launch_bounds__(kThreads)
    saturate(float* __restrict__ reluctance, const float* __restrict__ field) {
  const auto node = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int around = node % kAround, outwards = node / kAround, row = outwards * kAround;
  if (in_gap(outwards)) {
    reluctance[node] = 1;
    return;
  }
  const float along = field[row + (around + 1) % kAround] - field[row + (around + kAround - 1) % kAround];
  const float out = field[min(outwards + 1, kOutwards - 1) * kAround + around] -
                    field[max(outwards - 1, 0) * kAround + around];
  const float strong = along * along + out * out;
  reluctance[node] = 0.1F + 0.6F * __fdividef(strong, strong + 0.5F);
}

__device__ float warp_sum(float own) {
  for (int far = 16; far > 0; far /= 2) own += __shfl_xor_sync(kMask, own, far);
  return own;
}

// A block's part of a sum, which others read after the next wait.
__device__ void tell_sum(float* partials, float own, float* warps) {
  own = warp_sum(own);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = own;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  own = warp_sum(threadIdx.x < kWarps ? warps[threadIdx.x] : 0);
  if (threadIdx.x == 0) partials[blockIdx.x] = own;
}

__device__ float all_sums(const float* partials) {
  float sum = 0;
  for (auto block = static_cast<int>(threadIdx.x % 32); block < kBlocks; block += 32)
    sum += __ldcg(partials + block);
  return warp_sum(sum);
}

// Adds what a neighbour contributes to the product and to the diagonal.
__device__ void take(float& product, float& diagonal, float reluctance, float next_reluctance, float next) {
  const float carries = 0.5F * (reluctance + next_reluctance);
  product -= carries * next;
  diagonal += carries;
}

// The product of the matrix and a vector, of which a thread has four nodes of a column. `below` and `above`
// are next to them. Outside of the motor there is no field.
__device__ void multiply(float (&product)[kOwn], const float (&vector)[kOwn], float below, float above,
                         float (*shared)[kAround], const float* reluctance) {
  const auto column = static_cast<int>(threadIdx.x);
  const int first = static_cast<int>(blockIdx.x) * kOwn;
  const int left = (column + kAround - 1) % kAround, right = (column + 1) % kAround;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kOwn; ++i) shared[i][column] = vector[i];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kOwn; ++i) {
    const int row = first + i;
    const float* line = reluctance + row * kAround;
    const float own = line[column];
    float sum = 0, diagonal = 0;
    take(sum, diagonal, own, line[left], shared[i][left]);
    take(sum, diagonal, own, line[right], shared[i][right]);
    take(sum, diagonal, own, row > 0 ? line[column - kAround] : own,
         i > 0 ? vector[i == 0 ? 0 : i - 1] : below);
    take(sum, diagonal, own, row < kOutwards - 1 ? line[column + kAround] : own,
         i < kOwn - 1 ? vector[i == kOwn - 1 ? i : i + 1] : above);
    product[i] = diagonal * vector[i] + sum;
  }
}

// A block's first and last row of what is left, for the blocks next to it.
__device__ void tell_edges(float* edges, float first, float last) {
  float* own = edges + static_cast<int>(blockIdx.x) * 2 * kAround + static_cast<int>(threadIdx.x);
  own[0] = first;
  own[kAround] = last;
}

__device__ float edge_below(const float* edges) {
  const auto block = static_cast<int>(blockIdx.x);
  return block == 0 ? 0 : __ldcg(edges + (2 * block - 1) * kAround + static_cast<int>(threadIdx.x));
}

__device__ float edge_above(const float* edges) {
  const auto block = static_cast<int>(blockIdx.x);
  return block == kBlocks - 1 ? 0 : __ldcg(edges + (2 * block + 2) * kAround + static_cast<int>(threadIdx.x));
}

// A block has four rows, and a thread a column of them.
__global__ void __launch_bounds__(kAround)
    solve(float* __restrict__ field, const float* __restrict__ sources, const float* __restrict__ reluctance,
          float* edges, float* partials) {
  __shared__ float shared[kOwn][kAround], warps[kWarps];
  const cg::grid_group grid = cg::this_grid();
  const int first = static_cast<int>(blockIdx.x) * kOwn * kAround + static_cast<int>(threadIdx.x);
  float solution[kOwn], left[kOwn], way[kOwn], product[kOwn], squares = 0;
#pragma unroll
  for (int i = 0; i < kOwn; ++i) solution[i] = field[first + i * kAround];
  multiply(product, solution, blockIdx.x == 0 ? 0 : field[first - kAround],
           blockIdx.x == kBlocks - 1 ? 0 : field[first + kOwn * kAround], shared, reluctance);
#pragma unroll
  for (int i = 0; i < kOwn; ++i) {
    way[i] = left[i] = sources[first + i * kAround] - product[i];
    squares += left[i] * left[i];
  }
  tell_edges(edges, left[0], left[kOwn - 1]);
  tell_sum(partials, squares, warps);
  grid.sync();
  float error = all_sums(partials), below = edge_below(edges), above = edge_above(edges);
  for (int turn = 0; turn < kTurns; ++turn) {
    multiply(product, way, below, above, shared, reluctance);
    float bends = 0;
#pragma unroll
    for (int i = 0; i < kOwn; ++i) bends += way[i] * product[i];
    tell_sum(partials + kBlocks, bends, warps);
    grid.sync();
    const float far = error / fmaxf(all_sums(partials + kBlocks), 1e-30F);
    squares = 0;
#pragma unroll
    for (int i = 0; i < kOwn; ++i) {
      solution[i] += far * way[i];
      left[i] -= far * product[i];
      squares += left[i] * left[i];
    }
    tell_edges(edges, left[0], left[kOwn - 1]);
    tell_sum(partials, squares, warps);
    grid.sync();
    const float now = all_sums(partials), keeps = now / fmaxf(error, 1e-30F);
    error = now;
#pragma unroll
    for (int i = 0; i < kOwn; ++i) way[i] = left[i] + keeps * way[i];
    below = edge_below(edges) + keeps * below;
    above = edge_above(edges) + keeps * above;
  }
#pragma unroll
  for (int i = 0; i < kOwn; ++i) field[first + i * kAround] = solution[i];
}

// What turns the rotor, from the field in the gap. A block has a row of it. Torques are summed over steps.
__global__ void __launch_bounds__(kAround)
    find_torque(double* __restrict__ torques, const float* __restrict__ field) {
  __shared__ float warps[kWarps];
  const auto around = static_cast<int>(threadIdx.x);
  const float* row = field + (kGap + static_cast<int>(blockIdx.x)) * kAround;
  const float along = row[(around + 1) % kAround] - row[(around + kAround - 1) % kAround];
  const float out = row[kAround + around] - row[around - kAround];
  float sum = warp_sum(0.25F * along * out + 1e-3F * (along * along + out * out));
  if (around % 32 == 0) warps[around / 32] = sum;
  __syncthreads();
  if (around >= 32) return;
  sum = warp_sum(around < kWarps ? warps[around] : 0);
  if (around == 0) torques[blockIdx.x] += sum;
}

void turn(Motor& motor) {
  const int turned = motor.step++ * kTurn % kAround;
  place_sources<<<kNodes / kThreads, kThreads>>>(motor.sources, turned);
  saturate<<<kNodes / kThreads, kThreads>>>(motor.reluctance, motor.field);
  void* arguments[] = {&motor.field, &motor.sources, &motor.reluctance, &motor.edges, &motor.partials};
  CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(&solve), dim3(kBlocks), dim3(kAround),
                                    arguments, 0, nullptr));
  find_torque<<<kGapWide, kAround>>>(motor.torques, motor.field);
}

Case make() {
  const auto motor = std::make_shared<Motor>(
      Motor{device_array<float>(kNodes), device_array<float>(kNodes), device_array<float>(kNodes),
            device_array<float>(std::size_t{2} * kBlocks * kAround), device_array<float>(2 * kBlocks),
            device_array<double>(kGapWide), 0});
  CHECK(cudaMemset(motor->field, 0, kNodes * sizeof(float)));
  CHECK(cudaMemset(motor->torques, 0, kGapWide * sizeof(double)));
  return {[=] { turn(*motor); }, [=] { return device_sum(motor->torques, kGapWide); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, nullptr, [] { return make(); });
}
