// Moves the particles of a beam along a drift of an accelerator.
// At fault: a particle is a record of 72 bytes, of which the kernel wants two thirds, so that the lanes of a
// warp read and write words 72 bytes apart. The pattern is that of BLAST-ImpactX/impactx, src/particles:
// records in AMReX before pull request 348, arrays after it.
#include "../case.cuh"

namespace {

constexpr int kCount = 4 << 20, kThreads = 256;
constexpr unsigned long long kValid = 1ULL << 63;

struct Particle {
  double x, y, t;
  unsigned long long id;
  double px, py, pt, charge_to_mass, weight;
};

struct Beam {
  double *x, *y, *t, *px, *py, *pt;
  unsigned long long* id;
};

struct Drift {
  double length, inverse_beta_gamma_squared;
};

__global__ void drift_records(Particle* particles, int count, Drift drift) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count || (particles[i].id & kValid) == 0) return;
  Particle& p = particles[i];
  p.x += drift.length * p.px;  // fault
  p.y += drift.length * p.py;
  p.t += drift.length * drift.inverse_beta_gamma_squared * p.pt;
}

__global__ void drift_arrays(Beam beam, int count, Drift drift) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count || (beam.id[i] & kValid) == 0) return;
  beam.x[i] += drift.length * beam.px[i];
  beam.y[i] += drift.length * beam.py[i];
  beam.t[i] += drift.length * drift.inverse_beta_gamma_squared * beam.pt[i];
}

__device__ double fraction_of(int i, unsigned seed) {
  return mixed_fraction(static_cast<unsigned>(i) * 8 + seed);
}

__global__ void fill_records(Particle* particles, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  particles[i] = {fraction_of(i, 0),
                  fraction_of(i, 1),
                  fraction_of(i, 2),
                  kValid | static_cast<unsigned>(i),
                  fraction_of(i, 3),
                  fraction_of(i, 4),
                  fraction_of(i, 5),
                  1,
                  1};
}

__global__ void fill_arrays(Beam beam, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  beam.x[i] = fraction_of(i, 0), beam.y[i] = fraction_of(i, 1), beam.t[i] = fraction_of(i, 2);
  beam.px[i] = fraction_of(i, 3), beam.py[i] = fraction_of(i, 4), beam.pt[i] = fraction_of(i, 5);
  beam.id[i] = kValid | static_cast<unsigned>(i);
}

__global__ void add_up_records(double* sums, const Particle* particles, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) sums[i] = particles[i].x + 2 * particles[i].y + 3 * particles[i].t;
}

__global__ void add_up_arrays(double* sums, Beam beam, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) sums[i] = beam.x[i] + 2 * beam.y[i] + 3 * beam.t[i];
}

constexpr Drift kDrift{1e-3, 0.25};
constexpr int kRounds = 3000;
const unsigned kBlocks = blocks_for(kCount, kThreads);

Case with_records() {
  auto* particles = device_array<Particle>(kCount);
  fill_records<<<kBlocks, kThreads>>>(particles, kCount);
  return {[=] { drift_records<<<kBlocks, kThreads>>>(particles, kCount, kDrift); },
          [=] {
            auto* sums = device_array<double>(kCount);
            add_up_records<<<kBlocks, kThreads>>>(sums, particles, kCount);
            return device_sum(sums, kCount);
          },
          kRounds};
}

Case with_arrays() {
  auto array = [] { return device_array<double>(kCount); };
  const Beam beam{
      array(), array(), array(), array(), array(), array(), device_array<unsigned long long>(kCount)};
  fill_arrays<<<kBlocks, kThreads>>>(beam, kCount);
  return {[=] { drift_arrays<<<kBlocks, kThreads>>>(beam, kCount, kDrift); },
          [=] {
            auto* sums = device_array<double>(kCount);
            add_up_arrays<<<kBlocks, kThreads>>>(sums, beam, kCount);
            return device_sum(sums, kCount);
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, with_records, with_arrays);
}
