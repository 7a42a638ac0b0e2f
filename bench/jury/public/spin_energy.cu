// The energy of 4 million spins in a field.
// At fault: every thread adds its spin's energy to one word in global memory with an atomic. The pattern is
// that of spirit-code/spirit, whose issue 80 replaces such sums by reductions.
#include "../case.cuh"

namespace {

constexpr int kSpins = 4 << 20, kThreads = 256, kBlocks = 1056;

struct Spins {
  const float *x, *y, *z;
};

__device__ double energy_of(const Spins& s, int i) {
  constexpr double kFieldX = 0.2, kFieldY = 0.3, kFieldZ = 0.9, kAnisotropy = 0.1;
  const double x = s.x[i], y = s.y[i], z = s.z[i];
  return kFieldX * x + kFieldY * y + kFieldZ * z + kAnisotropy * z * z;
}

__global__ void energy_by_atomics(double* energy, Spins spins) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < kSpins) atomicAdd(energy, energy_of(spins, i));  // fault
}

__global__ void energy_by_blocks(double* energy, Spins spins) {
  double sum = 0;
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < kSpins; i += kBlocks * kThreads) {
    sum += energy_of(spins, i);
  }
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffU, sum, offset);
  __shared__ double of_warps[kThreads / 32];
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int warp = 1; warp < kThreads / 32; ++warp) sum += of_warps[warp];
  atomicAdd(energy, sum);
}

Case make(bool by_atomics) {
  auto* words = device_array<float>(std::size_t{3} * kSpins);
  auto* energy = device_array<double>(1);
  fill_fractions(words, std::size_t{3} * kSpins, 1);
  const Spins spins{words, words + kSpins, words + 2 * kSpins};
  return {[=] {
            CHECK(cudaMemsetAsync(energy, 0, sizeof(double)));
            if (by_atomics) {
              energy_by_atomics<<<blocks_for(kSpins, kThreads), kThreads>>>(energy, spins);
            } else {
              energy_by_blocks<<<kBlocks, kThreads>>>(energy, spins);
            }
          },
          [=] { return device_sum(energy, 1); }, 300};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
