// Moves particles by their velocities.
// Fault: a particle is a structure of 28 bytes, taken field by field. Repair: an array for each field.
#include "../case.cuh"

namespace {

constexpr unsigned kCount = 8'000'000, kFields = 7;
constexpr float kStep = 1e-4F;

struct Particle {
  float x, y, z, vx, vy, vz, mass;
};
static_assert(sizeof(Particle) == kFields * sizeof(float));

struct Fields {
  float* of[kFields];
};

__global__ void move_structures(Particle* particles, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  particles[i].x += kStep * particles[i].vx;  // fault
  particles[i].y += kStep * particles[i].vy;  // fault
  particles[i].z += kStep * particles[i].vz;  // fault
}

__global__ void move_fields(float* __restrict__ x, float* __restrict__ y, float* __restrict__ z,
                            const float* __restrict__ vx, const float* __restrict__ vy,
                            const float* __restrict__ vz, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  x[i] += kStep * vx[i];
  y[i] += kStep * vy[i];
  z[i] += kStep * vz[i];
}

// The same values that fill_fractions() gives to the structures.
__global__ void fill_field(float* field, unsigned n, unsigned number) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) field[i] = mixed_fraction(i * kFields + number);
}

Case fault() {
  float* words = device_array<float>(std::size_t{kCount} * kFields);
  fill_fractions(words, std::size_t{kCount} * kFields, 0);
  Particle* particles = reinterpret_cast<Particle*>(words);
  return {[=] { move_structures<<<blocks_for(kCount, 256), 256>>>(particles, kCount); },
          [=] { return device_sum(words, kFields << 18); }, 2000};
}

Case clean() {
  Fields fields{};
  for (unsigned number = 0; number < kFields; ++number) {
    fields.of[number] = device_array<float>(kCount);
    fill_field<<<blocks_for(kCount, 256), 256>>>(fields.of[number], kCount, number);
  }
  const auto& of = fields.of;
  return {[=] {
            move_fields<<<blocks_for(kCount, 256), 256>>>(of[0], of[1], of[2], of[3], of[4], of[5], kCount);
          },
          [=] {
            double sum = 0;
            for (const float* field : fields.of) sum += device_sum(field, 1 << 18);
            return sum;
          },
          2000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, fault, clean);
}
