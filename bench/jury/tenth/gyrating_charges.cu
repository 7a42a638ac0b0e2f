// Turns 16.8 million charges about the lines of a strong magnetic field, which keeps each in its cell, and
// deposits them on the eight corners of the cells; a step of the potential follows.
// At fault: particles of a cell lie side by side, so the lanes of a warp add to the same eight words with
// atomics. The pattern is that of lanl/vpic-kokkos, pull request 68: on GPUs particles are sorted with a
// stride, one of each cell after the other.
#include <array>

#include "../case.cuh"

namespace {

constexpr int kSide = 64, kCells = kSide * kSide * kSide, kEach = 64, kParticles = kCells * kEach;
constexpr int kThreads = 256, kSteps = 4, kRounds = 500;

// How much of a charge goes to the lower corner along each axis.
struct Shares {
  float x, y, z;
};

__device__ int corner_at(int x, int y, int z) {
  return ((z % kSide) * kSide + y % kSide) * kSide + x % kSide;
}

// The fourth word is the charge. Both orders have the same particles.
__global__ void __launch_bounds__(kThreads) place_particles(float4* particles, bool cell_by_cell) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int cell = cell_by_cell ? i / kEach : i % kCells;  // fault
  const int number = cell_by_cell ? i % kEach : i / kCells;
  const auto seed = static_cast<unsigned>(cell * kEach + number) * 4;
  const float radius = 0.45F * mixed_fraction(seed);
  float sine = 0, cosine = 0;
  sincospif(2 * mixed_fraction(seed + 1), &sine, &cosine);
  const int x = cell % kSide, y = cell / kSide % kSide, z = cell / (kSide * kSide);
  particles[i] = make_float4(
      static_cast<float>(x) + 0.5F + radius * cosine, static_cast<float>(y) + 0.5F + radius * sine,
      static_cast<float>(z) + mixed_fraction(seed + 2), 0.5F + mixed_fraction(seed + 3));
}

__device__ float4 turned(float4 particle, float2 turn) {
  const float x = floorf(particle.x) + 0.5F, y = floorf(particle.y) + 0.5F;
  const float across = particle.x - x, down = particle.y - y;
  return make_float4(x + turn.x * across - turn.y * down, y + turn.y * across + turn.x * down, particle.z,
                     particle.w);
}

__device__ void add_to_corners(float* density, int x, int y, int z, Shares shares, float charge) {
#pragma unroll
  for (int corner = 0; corner < 8; ++corner) {
    const int right = corner % 2, below = corner / 2 % 2, behind = corner / 4;
    const float share = (right == 0 ? shares.x : 1 - shares.x) * (below == 0 ? shares.y : 1 - shares.y) *
                        (behind == 0 ? shares.z : 1 - shares.z);
    atomicAdd(&density[corner_at(x + right, y + below, z + behind)], charge * share);
  }
}

__global__ void __launch_bounds__(kThreads) deposit(float* density, float4* particles, float2 turn) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const float4 particle = turned(particles[i], turn);
  particles[i] = particle;
  const float x = floorf(particle.x), y = floorf(particle.y), z = floorf(particle.z);
  const Shares shares{1 + x - particle.x, 1 + y - particle.y, 1 + z - particle.z};
  add_to_corners(density, static_cast<int>(x), static_cast<int>(y), static_cast<int>(z), shares, particle.w);
}

// The density begins anew.
__global__ void __launch_bounds__(kThreads)
    relax(float* after, float* energy, float* density, const float* __restrict__ before) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int x = i % kSide + kSide, y = i / kSide % kSide + kSide, z = i / (kSide * kSide) + kSide;
  const float excess = density[i] / kEach - 1;
  const float beside = before[corner_at(x - 1, y, z)] + before[corner_at(x + 1, y, z)] +
                       before[corner_at(x, y - 1, z)] + before[corner_at(x, y + 1, z)] +
                       before[corner_at(x, y, z - 1)] + before[corner_at(x, y, z + 1)];
  const float potential = (beside + excess) / 6.5F;
  after[i] = potential;
  energy[i] = 0.95F * energy[i] + excess * potential;
  density[i] = 0;
}

Case make(bool cell_by_cell) {
  auto* particles = device_array<float4>(kParticles);
  auto* density = device_array<float>(kCells);
  auto* energy = device_array<float>(kCells);
  const std::array<float*, 2> potentials{device_array<float>(kCells), device_array<float>(kCells)};
  place_particles<<<kParticles / kThreads, kThreads>>>(particles, cell_by_cell);
  CHECK(cudaGetLastError());
  for (float* field : {density, energy, potentials[0], potentials[1]}) {
    CHECK(cudaMemset(field, 0, kCells * sizeof(float)));
  }
  const float2 turn = make_float2(std::cos(0.1F), std::sin(0.1F));
  return {[=] {
            for (int step = 0; step < kSteps; ++step) {
              deposit<<<kParticles / kThreads, kThreads>>>(density, particles, turn);
              relax<<<kCells / kThreads, kThreads>>>(potentials[step % 2], energy, density,
                                                     potentials[1 - step % 2]);
            }
          },
          [=] { return device_sum(energy, kCells); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
