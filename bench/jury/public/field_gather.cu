// Interpolates a field on a grid of 256 x 256 x 256 to the places of 16 million particles.
// At fault: the particles are in no order, so that each lane's words of the field lie elsewhere. The pattern
// is that of BLAST-WarpX/warpx, whose pull request 739 sorts the particles by their cells, as issue 238 of
// Hi-PACE/hipace says.
#include "../case.cuh"

namespace {

constexpr int kSide = 256, kParticles = 16 << 20, kThreads = 256;
constexpr int kCells = kSide * kSide * kSide;

struct Particles {
  const float *x, *y, *z;
};

__device__ float interpolated(const float* field, float x, float y, float z) {
  const int i = static_cast<int>(x), j = static_cast<int>(y), k = static_cast<int>(z);
  const float u = x - static_cast<float>(i), v = y - static_cast<float>(j), w = z - static_cast<float>(k);
  const float* corner = field + (k * kSide + j) * kSide + i;
  float sum = 0;
#pragma unroll
  for (int dz = 0; dz < 2; ++dz) {
#pragma unroll
    for (int dy = 0; dy < 2; ++dy) {
      const float* row = corner + (dz * kSide + dy) * kSide;
      const float across = (dy == 0 ? 1 - v : v) * (dz == 0 ? 1 - w : w);
      sum += across * ((1 - u) * row[0] + u * row[1]);  // fault
    }
  }
  return sum;
}

__global__ void gather_unsorted(float* values, Particles p, const float* field) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  values[i] = interpolated(field, p.x[i], p.y[i], p.z[i]);  // fault
}

__global__ void gather_sorted(float* values, Particles p, const float* field) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  values[i] = interpolated(field, p.x[i], p.y[i], p.z[i]);
}

// Both sides have the same particles: a product with an odd number puts them in another order.
__global__ void place_particles(float* words, bool sorted) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned number = sorted ? i : i * 2654435761U % kParticles;
  const unsigned cell = number;
  const auto place = [=](unsigned at, unsigned seed) {
    return static_cast<float>(min(at, static_cast<unsigned>(kSide - 2))) + mixed_fraction(3 * number + seed);
  };
  words[i] = place(cell % kSide, 0);
  words[kParticles + i] = place(cell / kSide % kSide, 1);
  words[2 * kParticles + i] = place(cell / (kSide * kSide), 2);
}

Case make(bool sorted) {
  static_assert(kParticles % kThreads == 0 && kCells == kParticles);
  auto* words = device_array<float>(std::size_t{3} * kParticles);
  // A place may be rounded up to the last plane, whose upper neighbours are one more plane, row and word.
  constexpr std::size_t kFieldWords = static_cast<std::size_t>(kCells) + kSide * kSide + kSide + 1;
  auto* field = device_array<float>(kFieldWords);
  auto* values = device_array<float>(kParticles);
  place_particles<<<kParticles / kThreads, kThreads>>>(words, sorted);
  fill_fractions(field, kFieldWords, 1);
  const Particles particles{words, words + kParticles, words + 2 * kParticles};
  return {[=] {
            auto* kernel = sorted ? gather_sorted : gather_unsorted;
            kernel<<<kParticles / kThreads, kThreads>>>(values, particles, field);
          },
          [=] { return device_sum(values, kParticles); }, 700};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(false); }, [] { return make(true); });
}
