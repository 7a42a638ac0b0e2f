// The kinetic energy of particles in double precision.
// Fault: less than half of each structure of 64 bytes is used. Repair: arrays of velocities and masses.
#include "../case.cuh"

namespace {

constexpr unsigned kCount = 5'000'000;

struct Particle {
  double position[3];
  double velocity[3];
  float mass;
  int kind;
  double charge;
};
static_assert(sizeof(Particle) == 64);

struct Velocities {
  double *x, *y, *z;
  float* mass;
};

__global__ void energy_of_structures(const Particle* particles, float* energy, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double* v = particles[i].velocity;
  const double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];     // fault
  energy[i] = static_cast<float>(0.5 * particles[i].mass * square);  // fault
}

__global__ void energy_of_arrays(Velocities of, float* energy, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double square = of.x[i] * of.x[i] + of.y[i] * of.y[i] + of.z[i] * of.z[i];
  energy[i] = static_cast<float>(0.5 * of.mass[i] * square);
}

__device__ double velocity_of(unsigned i, unsigned axis) {
  return mixed_fraction(4 * i + axis) - 0.5;
}
__device__ float mass_of(unsigned i) {
  return mixed_fraction(4 * i + 3);
}

__global__ void fill_arrays(Velocities of, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  of.x[i] = velocity_of(i, 0);
  of.y[i] = velocity_of(i, 1);
  of.z[i] = velocity_of(i, 2);
  of.mass[i] = mass_of(i);
}

// A thread for each word of 8 bytes, so that the stores are contiguous.
__global__ void fill_structures(double* words, unsigned n) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= 8 * n) return;
  const unsigned i = t / 8, word = t % 8;
  double value = 0;
  if (word >= 3 && word < 6) value = velocity_of(i, word - 3);
  if (word == 6) value = __hiloint2double(0, __float_as_int(mass_of(i)));
  words[t] = value;
}

Case fault() {
  double* words = device_array<double>(std::size_t{8} * kCount);
  float* energy = device_array<float>(kCount);
  fill_structures<<<blocks_for(std::size_t{8} * kCount, 256), 256>>>(words, kCount);
  const Particle* particles = reinterpret_cast<const Particle*>(words);
  return {[=] { energy_of_structures<<<blocks_for(kCount, 256), 256>>>(particles, energy, kCount); },
          [=] { return device_sum(energy, kCount); }, 2400};
}

Case clean() {
  const Velocities of{device_array<double>(kCount), device_array<double>(kCount),
                      device_array<double>(kCount), device_array<float>(kCount)};
  float* energy = device_array<float>(kCount);
  fill_arrays<<<blocks_for(kCount, 256), 256>>>(of, kCount);
  return {[=] { energy_of_arrays<<<blocks_for(kCount, 256), 256>>>(of, energy, kCount); },
          [=] { return device_sum(energy, kCount); }, 2400};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, fault, clean);
}
