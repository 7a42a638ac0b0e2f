// Particles in cells: moved, sorted by cell, summed per cell.
// Planted: a particle is a structure of eight floats of which a kernel uses three (G01, `move`).
#include <thrust/device_ptr.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>

#include "steady.cuh"

namespace {

constexpr long kParticles = 4 << 20;
constexpr int kSide = 256;

struct Particle {
  float x, y, vx, vy, mass, charge, spin, age;
};

__global__ void move(Particle* particles, int* cells, float step) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (i >= kParticles) return;
  Particle& one = particles[i];  // planted
  one.x += step * one.vx;
  one.x -= floorf(one.x);
  cells[i] = static_cast<int>(one.x * kSide) % kSide * kSide + static_cast<int>(one.y * kSide) % kSide;
}

__global__ void gather(const Particle* particles, const int* order, Particle* sorted) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (i < kParticles) sorted[i] = particles[order[i]];
}

// Sorted cells: each thread adds up its own and writes once a cell.
__global__ void add_up(const int* cells, int* counts) {
  constexpr int kEach = 32;
  const long first = (blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x) * kEach;
  if (first >= kParticles) return;
  int cell = cells[first], count = 0;
  for (long i = first; i < first + kEach; ++i) {
    if (cells[i] != cell) {
      atomicAdd(counts + cell, count);
      cell = cells[i];
      count = 0;
    }
    ++count;
  }
  atomicAdd(counts + cell, count);
}

}  // namespace

int main(int argc, char** argv) {
  const long steps = count_from(argc, argv, 1500);
  std::vector<Particle> host(kParticles);
  for (long i = 0; i < kParticles; ++i) {
    const auto mixed = static_cast<unsigned>(i) * 2654435761U;
    host[i] = {static_cast<float>(mixed >> 16) / 65536,
               static_cast<float>(mixed & 0xffff) / 65536,
               static_cast<float>(mixed % 97) / 97,
               0,
               1,
               0,
               0,
               0};
  }
  Particle* particles = on_device(host);
  Particle* sorted = on_device(host);
  int *cells = nullptr, *order = nullptr, *counts = nullptr;
  CHECK(cudaMalloc(&cells, kParticles * sizeof(int)));
  CHECK(cudaMalloc(&order, kParticles * sizeof(int)));
  CHECK(cudaMalloc(&counts, kSide * kSide * sizeof(int)));
  const unsigned blocks = blocks_for(kParticles, 256);
  steady(steps, [&] {
    move<<<blocks, 256>>>(particles, cells, 0.001F);
    const thrust::device_ptr<int> keys(cells), places(order);
    thrust::sequence(places, places + kParticles);
    thrust::sort_by_key(keys, keys + kParticles, places);
    gather<<<blocks, 256>>>(particles, order, sorted);
    std::swap(particles, sorted);
    CHECK(cudaMemsetAsync(counts, 0, kSide * kSide * sizeof(int)));
    add_up<<<blocks_for(kParticles / 32, 256), 256>>>(cells, counts);
  });
  print_sum("particles", counts, kSide * kSide);
  return 0;
}
