// Nine spherical harmonics of 8 million directions.
// At fault: a thread stores the nine values of its direction, so that neighbouring lanes store 36 bytes
// apart. The pattern is that of lab-cosmo/sphericart, whose pull request 33 writes out buffers in shared
// memory in order.
#include "../case.cuh"

namespace {

constexpr int kDirections = 8 << 20, kValues = 9, kThreads = 256;

struct Values {
  float of[kValues];
};

__device__ Values values_of(const float* directions, int i) {
  const float x = directions[i], y = directions[kDirections + i], z = directions[2 * kDirections + i];
  return {{0.2820948F, 0.4886025F * y, 0.4886025F * z, 0.4886025F * x, 1.0925484F * x * y, 1.0925484F * y * z,
           0.9461747F * z * z - 0.3153916F, 1.0925484F * x * z, 0.5462742F * (x * x - y * y)}};
}

__global__ void harmonics_by_thread(float* out, const float* directions) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const Values values = values_of(directions, i);
#pragma unroll
  for (int k = 0; k < kValues; ++k) out[i * kValues + k] = values.of[k];  // fault
}

__global__ void harmonics_by_block(float* out, const float* directions) {
  __shared__ float tile[kThreads * kValues];
  const int thread = static_cast<int>(threadIdx.x), first = static_cast<int>(blockIdx.x) * kThreads;
  const Values values = values_of(directions, first + thread);
#pragma unroll
  for (int k = 0; k < kValues; ++k) tile[thread * kValues + k] = values.of[k];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kValues; ++k)
    out[first * kValues + k * kThreads + thread] = tile[k * kThreads + thread];
}

Case make(bool by_thread) {
  auto* directions = device_array<float>(std::size_t{3} * kDirections);
  auto* out = device_array<float>(std::size_t{kValues} * kDirections);
  fill_fractions(directions, std::size_t{3} * kDirections, 1);
  return {[=] {
            if (by_thread) {
              harmonics_by_thread<<<kDirections / kThreads, kThreads>>>(out, directions);
            } else {
              harmonics_by_block<<<kDirections / kThreads, kThreads>>>(out, directions);
            }
          },
          [=] { return device_sum(out, std::size_t{kValues} << 18); }, 1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
